# SPDX-License-Identifier: Apache-2.0
"""The solve as an operator of torch's dispatcher, which compilers and tracers do not look into.

torch.ops.zermelo.solve(G, b, sources, walls, starts, stopped, targets, options) and its derivatives
solve_vjp and solve_jvp.  All that is no tensor is in `options`, a string; so a graph that has the
operator can be kept, and says all that it computes.  The operators keep nothing: each derivative
solves again.
"""
from __future__ import annotations

import json
from typing import Any, List, Optional, Tuple

import torch
from torch import Tensor
from torch.autograd import Function

from ._linear import first_only
from ._solve import Solve
from ._tensors import has_floats, metric_and_drift, plain, source_rows
from .._core import ArgumentError
from .._sources import sources_of

WORDS = ("spacing", "t_max", "threads", "stencils", "order", "factor", "periodic", "max_cells",
         "max_iterations", "cost", "nonfinite", "own", "counts")
ARGUMENTS = ("Tensor G, Tensor? b, Tensor sources, Tensor? walls, Tensor? starts, Tensor? stopped, "
             "Tensor? targets, str options")
_library: Any = getattr(torch.library, "Library")("zermelo", "DEF")
_operators: Any = getattr(torch, "ops").zermelo
_library.define(f"solve({ARGUMENTS}) -> Tensor")
_library.define(f"solve_vjp(Tensor g, {ARGUMENTS}) -> (Tensor, Tensor, Tensor)")
_library.define(f"solve_jvp(Tensor? dG, Tensor? db, Tensor? dsources, {ARGUMENTS}) -> Tensor")


def options_of(sources: Any, cells: Tuple[int, ...], **options: Any) -> Tuple[Tensor, str]:
    """All sources as rows (n, 3), and the string of options."""
    if isinstance(sources, Tensor) and sources.is_floating_point() and sources.dim() in (1, 2, 3) \
            and sources.shape[-1] in (2, 3):  # which may have no values, under vmap
        own, rows = sources.dim() == 3, source_rows(sources)
        counts = [sources.shape[1]] * len(sources) if own else [len(rows)]
    else:
        lists, own = sources_of(plain(sources), cells)
        rows = source_rows(sources) if has_floats(sources) else torch.cat(
            [torch.from_numpy(one) for one in lists])
        counts = [len(one) for one in lists]
    words = {**options, "own": own, "counts": counts}
    if unknown := set(words) - set(WORDS):
        raise ArgumentError(f"no option {', '.join(sorted(unknown))} here")
    return rows, json.dumps(words)


def through_operator(G: Any, b: Any, sources: Any, arrays: Tuple[Any, ...], **options: Any
                     ) -> Tensor:
    """`solve` by way of the operator."""
    G, b, home = metric_and_drift(G, b)
    rows, words = options_of(sources, tuple(G.shape[-2:]), **options)
    T: Tensor = _operators.solve(
        G, b, rows, *(None if a is None else torch.as_tensor(a, device="cpu") for a in arrays),
        words)
    return home.take(T)


def _act(sources: Tensor, arrays: Tuple[Optional[Tensor], ...], options: str) -> Solve:
    o = json.loads(options)
    parts: List[Any] = [[tuple(row) for row in part.tolist()]
                        for part in torch.functional.split(sources.detach(), o.pop("counts"))]
    spacing = o.pop("spacing", None)
    walls, starts, stopped, targets = map(plain, arrays)
    return Solve(parts if o.pop("own") else parts[0],
                 tuple(spacing) if isinstance(spacing, list) else spacing, walls, starts, stopped,
                 (o.get("t_max"), o.get("threads", 1), o.get("stencils", "adaptive"),
                  o.get("order", 1), o.get("factor"), o.get("periodic", ""), targets,
                  o.get("max_cells"), 0.0, o.get("max_iterations", 100_000), None,
                  o.get("cost", "mean")), o.get("nonfinite", "propagate"))


def _times(G: Tensor, b: Optional[Tensor], sources: Tensor, walls: Optional[Tensor],
           starts: Optional[Tensor], stopped: Optional[Tensor], targets: Optional[Tensor],
           options: str) -> Tensor:
    act = _act(sources, (walls, starts, stopped, targets), options)
    T: Tensor = torch.from_numpy(act.run(G, b, None)[0])
    return T


def _vjp(g: Tensor, G: Tensor, b: Optional[Tensor], sources: Tensor, *rest: Any
         ) -> Tuple[Tensor, Tensor, Tensor]:
    act = _act(sources, rest[:4], rest[4])
    dG, db, dS = act.pull((G, b, sources.double()), (g.contiguous(),))
    assert dG is not None and dS is not None
    return dG, G.new_empty(0) if db is None else db, dS


def _jvp(dG: Optional[Tensor], db: Optional[Tensor], dS: Optional[Tensor], G: Tensor,
         b: Optional[Tensor], sources: Tensor, *rest: Any) -> Tensor:
    act = _act(sources, rest[:4], rest[4])
    dT, = act.push((G, b, sources.double()), (dG, db, dS))
    assert dT is not None
    return dT


def _shape(G: Tensor, b: Optional[Tensor], sources: Tensor, walls: Optional[Tensor],
           starts: Optional[Tensor], stopped: Optional[Tensor], targets: Optional[Tensor],
           options: str) -> Tensor:
    """What has the shape of the times, without any values."""
    batches = [t.shape[0] for t, d in ((G, 4), (b, 4), (walls, 3)) if t is not None and t.dim() == d]
    o = json.loads(options)
    batches += [len(o["counts"])] if o["own"] else []
    head = [max(batches)] if batches and starts is None else []
    return G.new_empty(*head, *G.shape[-2:])


def _shape_vjp(g: Tensor, G: Tensor, b: Optional[Tensor], sources: Tensor, *rest: Any
               ) -> Tuple[Tensor, Tensor, Tensor]:
    return (torch.empty_like(G), G.new_empty(0) if b is None else torch.empty_like(b),
            sources.new_empty(sources.shape, dtype=torch.float64))


def _below_autograd(operator: Any, inputs: Any) -> Any:
    guard: Any = torch._C._AutoDispatchBelowAutograd()
    if hasattr(guard, "__enter__"):
        with guard:
            return operator(*inputs)
    out = operator(*inputs)  # torch 1.13: as long as the object is there
    del guard
    return out


class _Traced(Function):
    """The operator with its derivative, below autograd."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Any:  # type: ignore[override]
        ctx.save_for_backward(*inputs[:-1])
        ctx.options = inputs[-1]
        return _below_autograd(_operators.solve, inputs)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:  # type: ignore[override]
        inputs = ctx.saved_tensors
        dG, db, dS = _operators.solve_vjp(g, *inputs, ctx.options)
        return dG, None if inputs[1] is None else db, dS, *[None] * 5


def _autograd(*inputs: Any) -> Any:
    return _Traced.apply(*inputs)


class _First(Function):
    """A derivative of the operator, which has none itself."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Any:  # type: ignore[override]
        return _below_autograd(_operators.solve_vjp, inputs)

    backward = staticmethod(first_only)


def _autograd_vjp(*inputs: Any) -> Any:
    return _First.apply(*inputs)


for _name, _key, _function in (
        ("solve", "CPU", _times), ("solve", "Meta", _shape), ("solve", "Autograd", _autograd),
        ("solve_vjp", "CPU", _vjp), ("solve_vjp", "Meta", _shape_vjp),
        ("solve_vjp", "Autograd", _autograd_vjp), ("solve_jvp", "CPU", _jvp)):
    _library.impl(_name, _function, _key)
