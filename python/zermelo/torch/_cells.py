# SPDX-License-Identifier: Apache-2.0
"""Cell by cell: projections, parametrisations and other forms of a front."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy as np
import torch
from torch import Tensor

from .. import _convert
from .._arrays import Nonfinite
from .._convert import Convention
from .._core import ArgumentError
from .._parametrise import JVP, VALUE, VJP, Chart, Parametrisation, Wind, free_pair
from ._linear import Act, Tensors, Value
from ._tensors import (Home, array, gather, in_one_piece, is_value, move, pair, refuse_derivatives,
                       stacked, tensor)

Field = Union[Tensor, float]


def pieces(tensors: Tensors) -> List[Any]:
    return [None if t is None else array(in_one_piece(t.detach())) for t in tensors]


def zeros_like(given: Sequence[Any], shapes: Sequence[Any], like: Any) -> List[Any]:
    """Zeros in the place of derivatives that are None."""
    return [np.zeros(s.shape, like.dtype) if a is None and s is not None else a
            for a, s in zip(given, shapes)]


class Act1(Act):
    """An act without memory."""

    def again(self) -> "Act1":
        return self


# ---- projections ---------------------------------------------------------------------

class Project(Act1):
    """All three planes and the drift (or None), of the same batch."""

    inputs, outputs = 2, 2

    def __init__(self, bounds: _convert.Bounds):
        self.bounds = bounds

    def value(self, *inputs: Any) -> Tensors:
        G, b = pieces(inputs)
        out_G, out_b = _convert.project_full(G, b, self.bounds)
        return tensor(out_G), tensor(out_b)

    def pull(self, inputs: Tensors, cotangents: Tensors) -> Tensors:
        G, b = pieces(inputs)
        cG, cb = zeros_like(pieces(cotangents), (G, b), G)
        dG, db = _convert.project_full_vjp(G, b, cG, None if b is None else cb, self.bounds)
        return tensor(dG), tensor(db)

    def push(self, inputs: Tensors, tangents: Tensors) -> Tensors:
        """Cells are independent, so five cotangents give all of a cell's Jacobian."""
        at = pieces(inputs)
        given = [d for d in zeros_like(pieces(tangents), at, at[0]) if d is not None]
        out = [np.zeros(a.shape, a.dtype) for a in at if a is not None]
        for part, result in enumerate(out):
            for k in range(result.shape[-3]):
                unit: List[Any] = [*(np.zeros_like(a) for a in out), None]
                unit[part][..., k, :, :] = 1
                rows = _convert.project_full_vjp(at[0], at[1], unit[0], unit[1], self.bounds)
                result[..., k, :, :] = sum((row * d).sum(axis=-3)
                                           for row, d in zip(rows, given) if row is not None)
        return tensor(out[0]), tensor(out[1]) if at[1] is not None else None


@overload
def project(G: Tensor, b: None = ..., *, eig_min: float = ..., eig_max: float = ...,
            rho: float = ..., threads: int = ..., nonfinite: Nonfinite = ...) -> Tensor: ...
@overload
def project(G: Tensor, b: Tensor, *, eig_min: float = ..., eig_max: float = ..., rho: float = ...,
            threads: int = ..., nonfinite: Nonfinite = ...) -> Tuple[Tensor, Tensor]: ...


def project(G: Tensor, b: Optional[Tensor] = None, *, eig_min: float = 1e-6,
            eig_max: float = float("inf"), rho: float = 0.99, threads: int = 1,
            nonfinite: Nonfinite = "propagate") -> Union[Tensor, Tuple[Tensor, Tensor]]:
    """`zermelo.project` with derivatives: G, or (G, b) with a drift.

    >>> import torch, zermelo
    >>> zermelo.torch.project(torch.full((1, 1), -3.0), eig_min=0.5)
    tensor([[0.5000]])
    """
    full, drift, home = pair(G, b)
    refuse_derivatives("G and b have", eig_min=eig_min, eig_max=eig_max, rho=rho)
    act = Project(_convert.Bounds.of(eig_min, eig_max, rho, nonfinite, threads))
    out_G, out_b = act.value(full, drift) if is_value(full, drift) else \
        Value.apply(act, full, drift)
    if G.dim() == 2:
        out_G = out_G[..., 0, :, :]
    elif G.shape[-3] != 3:
        out_G = out_G[..., ::2, :, :] if G.shape[-3] == 2 else out_G[..., :1, :, :]
    return home.take(out_G) if b is None else (home.take(out_G), home.take(out_b))


class Projection(torch.nn.Module):
    """`project` as a module: what a network puts out becomes admissible.

    What is clamped has no derivative; `zermelo.torch.nn` has maps that train better.

    >>> import torch, zermelo
    >>> project = zermelo.torch.Projection(eig_min=0.1, rho=0.5)
    >>> G, b = project(torch.randn(2, 3, 8, 8), torch.randn(2, 2, 8, 8))
    >>> zermelo.check(G.numpy(), b.numpy())
    """

    def __init__(self, eig_min: float = 1e-6, eig_max: float = float("inf"), rho: float = 0.99,
                 threads: int = 1, nonfinite: Nonfinite = "propagate"):
        super().__init__()
        self.eig_min, self.eig_max, self.rho = eig_min, eig_max, rho
        self.threads, self.nonfinite = threads, nonfinite
        Projection.forward(self, torch.ones(1, 1), torch.zeros(2, 1, 1))  # refuses wrong bounds

    @overload
    def forward(self, G: Tensor, b: None = ...) -> Tensor: ...
    @overload
    def forward(self, G: Tensor, b: Tensor) -> Tuple[Tensor, Tensor]: ...

    def forward(self, G: Tensor, b: Optional[Tensor] = None
                ) -> Union[Tensor, Tuple[Tensor, Tensor]]:
        options: Any = {"eig_min": self.eig_min, "eig_max": self.eig_max, "rho": self.rho,
                        "threads": self.threads, "nonfinite": self.nonfinite}
        result: Union[Tensor, Tuple[Tensor, Tensor]] = project(G, b, **options)
        return result

    def extra_repr(self) -> str:
        return f"eig_min={self.eig_min}, eig_max={self.eig_max}, rho={self.rho}"


# ---- parametrisations ----------------------------------------------------------------

class Parametrise(Act1):
    """Metric and drift of free planes, (B, C, H, W) or (C, H, W)."""

    inputs = 1

    def __init__(self, options: Parametrisation, drift: bool):
        self.options, self.drift = options, drift
        self.outputs = 2 if drift else 1

    def split(self, free: Tensor) -> Tuple[Any, Any]:
        P, q = free_pair(in_one_piece(free.detach()), self.drift)
        return array(P), array(q)

    def value(self, *inputs: Any) -> Tensors:
        G, b = self.options.run(VALUE, self.split(inputs[0]), (None, None))
        return (tensor(G), tensor(b)) if self.drift else (tensor(G),)

    def pull(self, inputs: Tensors, cotangents: Tensors) -> Tensors:
        assert inputs[0] is not None
        at = self.split(inputs[0])
        cG, *rest = pieces(cotangents)
        out = np.empty(tuple(inputs[0].shape), at[0].dtype)
        self.options.into(VJP, at, (cG, rest[0] if rest else None), free_pair(out, self.drift))
        return (tensor(out),)

    def push(self, inputs: Tensors, tangents: Tensors) -> Tensors:
        assert inputs[0] is not None and tangents[0] is not None
        G, b = self.options.run(JVP, self.split(inputs[0]), self.split(tangents[0]))
        return (tensor(G), tensor(b)) if self.drift else (tensor(G),)


def parametrise_with(free: Tensor, options: Parametrisation, drift: bool
                     ) -> Tuple[Tensor, Optional[Tensor]]:
    refuse_derivatives("free has", start=options.start, eig_min=options.eig_min,
                       eig_max=options.eig_max, rho=options.rho)
    (free,), home = gather(free=free)
    act = Parametrise(options, drift)
    out = act.value(free) if is_value(free) else Value.apply(act, free)
    if drift:
        return home.take(out[0]), home.take(out[1])
    return home.take(out[0] if isinstance(out, tuple) else out), None


def parametrise(free: Tensor, *, chart: Chart = "log-cholesky", form: Wind = "randers",
                drift: bool = True, start: float = 1.0, eig_min: float = 1e-6,
                eig_max: float = 1e6, rho: float = 0.99, threads: int = 1,
                nonfinite: Nonfinite = "propagate") -> Tuple[Tensor, Optional[Tensor]]:
    """`zermelo.parametrise` with derivatives: an admissible (G, b) of any numbers.

    >>> import torch, zermelo
    >>> G, b = zermelo.torch.parametrise(torch.randn(2, 5, 8, 8), rho=0.8)
    >>> zermelo.check(G.numpy(), b.numpy())
    """
    return parametrise_with(free, Parametrisation(chart, form, start, eig_min, eig_max, rho,
                                                  nonfinite, threads), drift)


# ---- forms ---------------------------------------------------------------------------

class Convert(Act1):
    """Planes (P, H, W) or (B, P, H, W) of one form to those of another."""

    inputs = outputs = 1

    def __init__(self, source: int, target: int, convention: Convention = "compass"):
        self.form = _convert.Form(source, target, convention, nonfinite="propagate")

    def run(self, what: int, at: Any, given: Any) -> Tensors:
        X = array(at.detach().contiguous())
        d = None if given is None else self.each(array(given.detach().contiguous()))
        out = _convert.convert(self.form, self.each(X), what, d)
        return (torch.from_numpy(out if X.ndim == 4 else out[0]),)

    @staticmethod
    def each(X: Any) -> List[Any]:
        return [_convert.as_five(planes) for planes in (X if X.ndim == 4 else X[None])]

    def value(self, *inputs: Any) -> Tensors:
        return self.run(_convert.VALUE, inputs[0], None)

    def pull(self, inputs: Tensors, cotangents: Tensors) -> Tensors:
        return self.run(_convert.VJP, inputs[0], cotangents[0])

    def push(self, inputs: Tensors, tangents: Tensors) -> Tensors:
        return self.run(_convert.JVP, inputs[0], tangents[0])


def _split(Y: Tensor, home: Home) -> Tuple[Tensor, Tensor]:
    return home.take(Y[..., :3, :, :]), home.take(Y[..., 3:, :, :])


def _convert_pair(act: Convert, G: Tensor, b: Optional[Tensor], names: str
                  ) -> Tuple[Tensor, Tensor]:
    full, drift, home = pair(G, b, names)
    if drift is None:
        drift = torch.zeros_like(full[..., :2, :, :])
    return _split(Value.apply(act, torch.cat([full, drift], dim=-3)), home)


def from_zermelo(h: Tensor, W: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    """`zermelo.from_zermelo` with derivatives: (G, b) of own speed and wind."""
    return _convert_pair(Convert(_convert.ZERMELO, _convert.RANDERS), h, W, "hW")


def to_zermelo(G: Tensor, b: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    """`zermelo.to_zermelo` with derivatives: own speed and wind (h, W)."""
    return _convert_pair(Convert(_convert.RANDERS, _convert.ZERMELO), G, b, "Gb")


def fire_ellipse(head: Tensor, flank: Optional[Field] = None, back: Optional[Field] = None,
                 heading: Field = 0.0, *, length_to_breadth: Optional[Field] = None,
                 convention: Convention = "compass") -> Tuple[Tensor, Tensor]:
    """`zermelo.fire_ellipse` with derivatives: (G, b) of a fire's rates of spread.

    >>> import torch, zermelo
    >>> head = torch.full((1, 5), 2.0, dtype=torch.float64, requires_grad=True)
    >>> G, b = zermelo.torch.fire_ellipse(head, 1.0, 0.5, heading=90.0)
    >>> float(zermelo.torch.solve(G, b, (0, 0))[0, 4].detach())
    2.0
    """
    if (length_to_breadth is None) == (flank is None or back is None) or \
            (length_to_breadth is not None and (flank is not None or back is not None)):
        raise ArgumentError("give flank and back, or length_to_breadth")
    fields: List[Any] = [flank, back, heading] if length_to_breadth is None else \
        [length_to_breadth, heading]
    (head,), home = gather(head=head)
    cpu = torch.device("cpu")
    rest = [move(f, cpu).to(head.dtype) if isinstance(f, Tensor) else stacked(f).to(head.dtype)
            for f in fields]
    spread: Any = torch.broadcast_tensors
    tensors = spread(head, *rest)
    if tensors[0].dim() not in (2, 3):
        raise ArgumentError(f"the fields have shape {tuple(tensors[0].shape)}, expected (H, W) or "
                            "(B, H, W)")
    source = _convert.ELLIPSE if len(tensors) == 4 else _convert.FOCUS
    act = Convert(source, _convert.RANDERS, convention)
    return _split(Value.apply(act, torch.stack(tensors, dim=-3)), home)
