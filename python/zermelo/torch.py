# SPDX-License-Identifier: Apache-2.0
"""Arrival times as a PyTorch function and layer.

>>> import torch, zermelo
>>> G = torch.ones(1, 3, 20, 20, dtype=torch.float64)
>>> G[:, 1] = 0
>>> G.requires_grad_()                                              # doctest: +ELLIPSIS
tensor(...)
>>> T = zermelo.torch.solve(G, None, [(10, 10)])
>>> T[0, 10, 19].backward()
>>> float(G.grad[0, 0, 10, 19])                 # half a unit of time for a unit of g11
0.5

Derivatives are exact, in reverse and in forward mode (`torch.autograd.forward_ad`).  Second
derivatives raise an error.  Tensors live on the CPU; float32 and float64 are used in place.
"""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function

from . import _convert
from ._arrays import mask
from ._core import ArgumentError
from ._setup import Cost, Periodic, Setup, StencilKind, forward
from ._solve import Solution
from ._sources import sources_of
from ._types import Spacing

__all__ = ["EikonalLayer", "Projection", "fire_ellipse", "from_zermelo", "project", "solve",
           "to_zermelo"]


def _numpy(t: Optional[Tensor]) -> Any:
    return None if t is None else t.detach().numpy()


def _tensor(a: Optional[np.ndarray]) -> Optional[Tensor]:
    return None if a is None else torch.from_numpy(a)


def _check(name: str, t: Any) -> Any:
    if t is None or (isinstance(t, Tensor) and t.device.type == "cpu"
                     and t.dtype in (torch.float32, torch.float64)):
        return t
    what = f"{t.dtype} on {t.device}" if isinstance(t, Tensor) else type(t).__name__
    raise TypeError(f"{name} is {what}, expected a float32 or float64 tensor on the CPU")


def _first_only(*_: Any) -> Any:
    raise NotImplementedError(
        "zermelo: arrival times have first derivatives only; a second one was asked for "
        "(create_graph=True, torch.autograd.functional.hessian, ...)")


class _Once(Function):
    """The derivative `compute(*cotangents)` as a function that cannot be differentiated."""

    @staticmethod
    def forward(ctx: Any, compute: Any, *tensors: Any) -> Any:  # type: ignore[override]
        return compute()

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        return _first_only()

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return _first_only()


# ---- solve ---------------------------------------------------------------------------

class _Solve(Function):
    """`run(G, b, sources)` gives a Solution.  S has all sources, (n, 3), one list after the
    other."""

    @staticmethod
    def forward(ctx: Any, G: Tensor, b: Optional[Tensor], S: Optional[Tensor],  # type: ignore
                run: Any) -> Tensor:
        ctx.solution = run(_numpy(G), _numpy(b), _numpy(S))
        T = torch.from_numpy(ctx.solution._T)
        ctx.save_for_backward(G, b, S, T)  # torch notices changes in place
        return T

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:  # type: ignore[override]
        G, b, S, _ = ctx.saved_tensors
        needs = ctx.needs_input_grad

        def compute() -> Any:
            dG, db, dS = ctx.solution.vjp(g.detach().numpy(), sources=True)
            return (_tensor(dG) if needs[0] else None,
                    _tensor(db) if needs[1] else None,
                    _tensor(_joined(dS)) if needs[2] else None)
        return (*_Once.apply(compute, g, G, b, S), None)

    @staticmethod
    def jvp(ctx: Any, dG: Optional[Tensor], db: Optional[Tensor],  # type: ignore[override]
            dS: Optional[Tensor], _: Any) -> Tensor:
        dS = None if dS is None else ctx.solution._setup.source_lists(_numpy(dS))
        return torch.from_numpy(ctx.solution.jvp(_numpy(dG), _numpy(db), dS))


def _joined(lists: Any) -> np.ndarray:
    """(n, 3) of an array (n, 3) or (B, n, 3), or of a list of arrays of different length."""
    return lists.reshape(-1, 3) if isinstance(lists, np.ndarray) else np.concatenate(lists)


def solve(G: Tensor, b: Optional[Tensor], sources: Any, spacing: Spacing = 1.0, walls: Any = None,
          t_max: Optional[float] = None, *, threads: int = 1, stencils: StencilKind = "adaptive",
          order: int = 1, factor: Optional[float] = None, periodic: Periodic = "",
          targets: Any = None, max_cells: Optional[int] = None, max_iterations: int = 100_000,
          starts: Any = None, stopped: Any = None, cost: Cost = "mean") -> Tensor:
    """Arrival times T of `zermelo.solve` with derivatives with respect to G, b and sources.

    Shapes are those of `zermelo.solve`: G (H, W), (3, H, W) or (B, 3, H, W), b (2, H, W) or
    (B, 2, H, W) or None; two numbers, or one for both components, are a constant drift.  Sources
    that are a tensor (n, 2|3) or (B, n, 2|3), or have such tensors or numbers in their lists,
    have derivatives with respect to row, column and time; those of the place only between cells.
    With ``starts`` the metric changes with time.

    >>> import torch, zermelo
    >>> g = torch.full((5, 5), 4.0, dtype=torch.float64, requires_grad=True)
    >>> when = torch.tensor([[2.0, 2.0, 1.0]], dtype=torch.float64, requires_grad=True)
    >>> T = zermelo.torch.solve(g, None, when)
    >>> T[2, 4].backward()
    >>> float(T[2, 4]), when.grad.tolist()
    (5.0, [[0.0, 0.0, 1.0]])
    >>> G = torch.ones(2, 1, 1, 5)
    >>> G[1] = 4                                          # from time 2 on at half the speed
    >>> zermelo.torch.solve(G, None, (0, 0), starts=[0.0, 2.0])
    tensor([[0., 1., 2., 4., 6.]])
    """
    G, b = _metric_and_drift(G, b)
    plain = _plain(sources)

    def run(g: Any, d: Any, s: Any) -> Solution:
        setup = Setup(g, d, plain, spacing, _plain(walls), _plain(starts), _plain(stopped))
        options = (t_max, threads, stencils, order, factor, periodic, _plain(targets), max_cells,
                   0.0, max_iterations, None, cost)
        return Solution(setup, options, *forward(setup, None, *options))
    return _Solve.apply(G, b, _source_tensor(sources, G.shape[-2:]), run)


def _plain(value: Any) -> Any:
    """The same without tensors: arrays, and lists of numbers and arrays."""
    if isinstance(value, Tensor):
        return value.detach().numpy()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value


def _metric_and_drift(G: Any, b: Any) -> Tuple[Tensor, Optional[Tensor]]:
    """G and b of one type; a constant drift as planes."""
    if _check("G", G) is None:
        raise TypeError("G is None, expected a tensor")
    if b is None:
        return G, None
    if isinstance(b, (int, float, list, tuple)):
        b = _stacked(b).to(G.dtype)
    if _check("b", b).dtype != G.dtype:
        G, b = G.double(), b.double()
    if b.dim() == 0 or b.shape == (2,):
        b = b.reshape(-1, 1, 1).expand(2, *G.shape[-2:])
    return G, b


def _has_floats(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.is_floating_point()
    return isinstance(value, (list, tuple)) and any(map(_has_floats, value))


def _stacked(value: Any) -> Tensor:
    """A float64 tensor of numbers, tensors and lists of such of one length."""
    if isinstance(value, (list, tuple)):
        return torch.stack([_stacked(entry) for entry in value])
    return torch.as_tensor(value, dtype=torch.float64)


def _source_tensor(sources: Any, cells: Any) -> Optional[Tensor]:
    """(n, 3): all sources, one list after the other; None if they have no derivatives."""
    if not _has_floats(sources):
        return None
    count = sum(map(len, sources_of(_plain(sources), tuple(cells))[0]))  # they are sources

    def rows(value: Any) -> List[Tensor]:
        if isinstance(value, (list, tuple)) and any(
                isinstance(entry, (list, tuple)) or getattr(entry, "ndim", 0) for entry in value):
            return [row for entry in value for row in rows(entry)]
        t = _stacked(value)  # a source, or a tensor of them
        return [torch.nn.functional.pad(t, (0, 3 - t.shape[-1])).reshape(-1, 3)]
    S = torch.cat(rows(sources))
    assert len(S) == count, "a source was lost"
    return S


class EikonalLayer(torch.nn.Module):
    """`solve` as a module that keeps sources, walls and options.

    >>> import torch, zermelo
    >>> layer = zermelo.torch.EikonalLayer(sources=[(0, 0)], spacing=0.5)
    >>> layer(torch.ones(1, 3))
    tensor([[0.0000, 0.5000, 1.0000]])
    """

    def __init__(self, sources: Any = None, spacing: Spacing = 1.0, walls: Any = None,
                 **options: Any):
        super().__init__()
        self.sources, self.spacing, self.walls, self.options = sources, spacing, walls, options
        if unknown := set(options) - set(solve.__kwdefaults__) - {"t_max"}:
            raise TypeError(f"EikonalLayer has no option {', '.join(sorted(unknown))}")
        self._check()

    def _check(self) -> None:
        """Refuses what no grid makes right; a small solve knows most of it."""
        of_grid = "targets", "starts", "stopped"
        solve(torch.ones(8, 8), None, (0, 0), self.spacing, None,
              **{name: value for name, value in self.options.items() if name not in of_grid})
        sources, walls = _plain(self.sources), _plain(self.walls)
        if sources is not None:
            sources_of(sources, getattr(sources, "shape", (0, 0))[-2:])
        if walls is not None:
            shape = np.shape(walls)
            mask(walls, shape[-2:] if len(shape) > 1 else ("H", "W"), "walls", batch=True)

    def forward(self, G: Tensor, b: Optional[Tensor] = None, sources: Any = None) -> Tensor:
        """Sources given here are used instead of the layer's."""
        if sources is None:
            sources = self.sources
        return solve(G, b, sources, self.spacing, self.walls, **self.options)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in
                         {"spacing": self.spacing, **self.options}.items())


# ---- projections ---------------------------------------------------------------------

class _Project(Function):
    """All three planes and the drift (or None), of the same batch."""

    @staticmethod
    def forward(ctx: Any, G: Tensor, b: Optional[Tensor], bounds: Any) -> Any:  # type: ignore
        ctx.bounds = bounds
        ctx.save_for_backward(G, b)
        ctx.values = _numpy(G), _numpy(b)  # forward mode has no saved tensors
        out_G, out_b = _convert.project_full(_numpy(G), _numpy(b), bounds)
        return _tensor(out_G), _tensor(out_b)

    @staticmethod
    def _pull(ctx: Any, cG: Any, cb: Any) -> Any:
        G, b = ctx.values
        return _convert.project_full_vjp(G, b, cG, cb, ctx.bounds)

    @staticmethod
    def backward(ctx: Any, cG: Tensor, cb: Any) -> Any:  # type: ignore[override]
        G, b = ctx.saved_tensors  # torch has noticed changes in place

        def compute() -> Any:
            dG, db = _Project._pull(ctx, cG.detach().contiguous().numpy(),
                                    None if b is None else cb.detach().contiguous().numpy())
            return _tensor(dG), _tensor(db)
        return (*_Once.apply(compute, cG, cb, G, b), None)

    @staticmethod
    def jvp(ctx: Any, dG: Optional[Tensor], db: Optional[Tensor], _: Any) -> Any:  # type: ignore
        """Cells are independent, so five cotangents give all of a cell's Jacobian."""
        G, b = ctx.values
        given = [np.zeros_like(a) if d is None else d.detach().numpy()
                 for a, d in zip((G, b), (dG, db)) if a is not None]
        out = [np.zeros_like(a) for a in (G, b) if a is not None]
        for part, result in enumerate(out):
            for k in range(result.shape[-3]):
                unit = [np.zeros_like(a) for a in out]
                unit[part][..., k, :, :] = 1
                rows = _Project._pull(ctx, unit[0], unit[1] if b is not None else None)
                result[..., k, :, :] = sum((row * d).sum(axis=-3)
                                           for row, d in zip(rows, given))
        return _tensor(out[0]), _tensor(out[1]) if b is not None else None


def _full(G: Tensor) -> Tensor:
    """All three planes of a scalar or diagonal metric."""
    if G.dim() > 2 and G.shape[-3] == 3:
        return G
    g = G[None] if G.dim() == 2 else G
    g11, g22 = g[..., :1, :, :], g[..., -1:, :, :]
    return torch.cat([g11, torch.zeros_like(g11), g22], dim=-3)


def _pair(G: Tensor, b: Optional[Tensor], names: str = "Gb") -> Tuple[Tensor, Optional[Tensor]]:
    """Three planes and two of one type, one batch, in one piece."""
    G, b = _check(names[0], G), _check(names[1], b)
    if G.dim() < 2 or G.dim() > 4 or (G.dim() > 2 and G.shape[-3] not in (1, 2, 3)):
        raise ArgumentError(f"{names[0]} has shape {tuple(G.shape)}, expected (H, W), (3, H, W) or "
                            "(B, 3, H, W)")
    full = _full(G)
    if b is None:
        return full.contiguous(), None
    if b.shape[-3:] != (2, *full.shape[-2:]):
        raise ArgumentError(f"{names[1]} has shape {tuple(b.shape)}, expected (2, "
                            f"{full.shape[-2]}, {full.shape[-1]}) or a batch of them")
    if b.dtype != full.dtype:
        full, b = full.double(), b.double()
    if full.dim() != b.dim() or full.shape[:-3] != b.shape[:-3]:
        batch = torch.broadcast_shapes(full.shape[:-3], b.shape[:-3])
        full, b = full.expand(*batch, *full.shape[-3:]), b.expand(*batch, *b.shape[-3:])
    return full.contiguous(), b.contiguous()


def project(G: Tensor, b: Optional[Tensor] = None, *, eig_min: float = 1e-6,
            eig_max: float = float("inf"), rho: float = 0.99) -> Any:
    """`zermelo.project` with derivatives: G, or (G, b) with a drift.

    >>> import torch, zermelo
    >>> zermelo.torch.project(torch.full((1, 1), -3.0), eig_min=0.5)
    tensor([[0.5000]])
    """
    full, drift = _pair(G, b)
    out_G, out_b = _Project.apply(full, drift, _convert.Bounds(eig_min, eig_max, rho))
    if G.dim() == 2:
        out_G = out_G[..., 0, :, :]
    elif G.shape[-3] != 3:
        out_G = out_G[..., ::2, :, :] if G.shape[-3] == 2 else out_G[..., :1, :, :]
    return out_G if b is None else (out_G, out_b)


class Projection(torch.nn.Module):
    """`project` as a module: what a network puts out becomes admissible.

    >>> import torch, zermelo
    >>> project = zermelo.torch.Projection(eig_min=0.1, rho=0.5)
    >>> G, b = project(torch.randn(2, 3, 8, 8), torch.randn(2, 2, 8, 8))
    >>> zermelo.check(G.numpy(), b.numpy())
    """

    def __init__(self, eig_min: float = 1e-6, eig_max: float = float("inf"), rho: float = 0.99):
        super().__init__()
        self.eig_min, self.eig_max, self.rho = eig_min, eig_max, rho
        self(torch.ones(1, 1), torch.zeros(2, 1, 1))  # refuses wrong bounds

    def forward(self, G: Tensor, b: Optional[Tensor] = None) -> Any:
        return project(G, b, eig_min=self.eig_min, eig_max=self.eig_max, rho=self.rho)

    def extra_repr(self) -> str:
        return f"eig_min={self.eig_min}, eig_max={self.eig_max}, rho={self.rho}"


# ---- forms ---------------------------------------------------------------------------

class _Convert(Function):
    """Planes (P, H, W) or (B, P, H, W) of one form to those of another."""

    @staticmethod
    def _each(X: np.ndarray) -> List[Any]:
        return [_convert.as_five(planes) for planes in (X if X.ndim == 4 else X[None])]

    @staticmethod
    def _run(ctx: Any, what: int, given: Optional[Tensor]) -> Tensor:
        d = None if given is None else _Convert._each(given.detach().contiguous().numpy())
        out = _convert.convert(ctx.form, _Convert._each(ctx.values), what, d)
        return torch.from_numpy(out if ctx.values.ndim == 4 else out[0])

    @staticmethod
    def forward(ctx: Any, X: Tensor, form: Any) -> Tensor:  # type: ignore[override]
        ctx.form, ctx.values = form, X.detach().numpy()
        ctx.save_for_backward(X)
        return _Convert._run(ctx, _convert.VALUE, None)

    @staticmethod
    def backward(ctx: Any, c: Tensor) -> Any:  # type: ignore[override]
        X, = ctx.saved_tensors
        return _Once.apply(lambda: _Convert._run(ctx, _convert.VJP, c), c, X), None

    @staticmethod
    def jvp(ctx: Any, d: Tensor, _: Any) -> Tensor:  # type: ignore[override]
        return _Convert._run(ctx, _convert.JVP, d)


def _convert_pair(form: Any, G: Tensor, b: Optional[Tensor], names: str) -> Tuple[Tensor, Tensor]:
    full, drift = _pair(G, b, names)
    if drift is None:
        drift = torch.zeros_like(full[..., :2, :, :])
    Y = _Convert.apply(torch.cat([full, drift], dim=-3), form)
    return Y[..., :3, :, :], Y[..., 3:, :, :]


def from_zermelo(h: Tensor, W: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    """`zermelo.from_zermelo` with derivatives: (G, b) of own speed and wind."""
    return _convert_pair(_convert.Form(_convert.ZERMELO, _convert.RANDERS), h, W, "hW")


def to_zermelo(G: Tensor, b: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    """`zermelo.to_zermelo` with derivatives: own speed and wind (h, W)."""
    return _convert_pair(_convert.Form(_convert.RANDERS, _convert.ZERMELO), G, b, "Gb")


def fire_ellipse(head: Tensor, flank: Any = None, back: Any = None, heading: Any = 0.0, *,
                 length_to_breadth: Any = None, convention: _convert.Convention = "compass"
                 ) -> Tuple[Tensor, Tensor]:
    """`zermelo.fire_ellipse` with derivatives: (G, b) of a fire's rates of spread.

    >>> import torch, zermelo
    >>> head = torch.full((1, 5), 2.0, dtype=torch.float64, requires_grad=True)
    >>> G, b = zermelo.torch.fire_ellipse(head, 1.0, 0.5, heading=90.0)
    >>> float(zermelo.torch.solve(G, b, (0, 0))[0, 4].detach())
    2.0
    """
    if (length_to_breadth is None) == (flank is None or back is None):
        raise ArgumentError("give flank and back, or length_to_breadth")
    fields = [head, flank, back, heading] if length_to_breadth is None else \
        [head, length_to_breadth, heading]
    head = _check("head", head)
    tensors = torch.broadcast_tensors(*(torch.as_tensor(f, dtype=head.dtype) for f in fields))
    if tensors[0].dim() not in (2, 3):
        raise ArgumentError(f"the fields have shape {tuple(tensors[0].shape)}, expected (H, W) or "
                            "(B, H, W)")
    source = _convert.ELLIPSE if len(fields) == 4 else _convert.FOCUS
    Y = _Convert.apply(torch.stack(tensors, dim=-3),
                       _convert.Form(source, _convert.RANDERS, convention))
    return Y[..., :3, :, :], Y[..., 3:, :, :]
