# SPDX-License-Identifier: Apache-2.0
"""Arrival times as a function of tensors."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np
import torch
from torch import Tensor

from .._arrays import Nonfinite, mask, propagates
from .._core import ArgumentError, SourceError
from .._setup import Cost, Periodic, Setup, StencilKind, forward, like_times
from .._solve import Solution
from .._sources import sources_of
from .._types import Array, Spacing
from ._linear import Act, Tensors, Value
from ._tensors import (MODERN, STAY, Mask, Numbers, SourceList, are_home, array, has_floats, has_tensors,
                       is_value, metric_and_drift, plain, refuse_derivatives, source_rows,
                       traced, transformed)

Drift = Union[Tensor, float, Sequence[Union[float, Tensor]]]
"""(2, H, W) or (B, 2, H, W), or a constant one: two numbers, or one for both components."""


DERIVATIVES = "G, b and sources have"


class Solve(Act):
    """T of G, b and the rows of all sources (n, 3), one list after the other, or None."""

    inputs, outputs, keeps_output = 3, 1, True

    def __init__(self, sources: Any, spacing: Any, walls: Any, starts: Any, stopped: Any,
                 options: Tuple[Any, ...], nonfinite: Nonfinite):
        self.arguments = sources, spacing, walls, starts, stopped, options, nonfinite
        self.propagate = nonfinite
        self.kept: Optional[Tuple[Tensors, "Solution[Any]"]] = None
        """Where it was solved last, and the record of that."""

    def again(self) -> "Solve":
        return Solve(*self.arguments)

    def run(self, G: Tensor, b: Optional[Tensor], S: Optional[Tensor]) -> Any:
        """Times, the solver with its record, and the arrays that it looks at."""
        sources, spacing, walls, starts, stopped, options, _ = self.arguments
        setup = Setup(array(G), array(b), sources if S is None else self.moved(S, G), spacing, walls,
                      starts, stopped)
        return (*forward(setup, None, *options), setup)

    def moved(self, S: Tensor, G: Tensor) -> Any:
        """The sources at the places S, in lists as they were given."""
        lists, own = sources_of(self.arguments[0], tuple(G.shape[-2:]))
        rows = array(S)
        if np.array_equal(np.concatenate(lists), rows):
            return self.arguments[0]
        cuts = np.cumsum([len(one) for one in lists])[:-1]
        parts = [[tuple(row) for row in part] for part in np.split(rows, cuts)]
        return parts if own else parts[0]

    def value(self, *inputs: Any) -> Tensors:
        # a copy, since torch does not notice who writes to T.detach().numpy() or T.data
        return (torch.from_numpy(self.solved(inputs, again=True)._T.copy()),)

    def solved(self, inputs: Tensors, again: bool = False) -> "Solution[Any]":
        """The record of the solve at these inputs, made again where it is of another place."""
        kept = self.kept  # once: threads may ask for derivatives at several places
        if again or kept is None or not _same(kept[0], inputs):
            places: Any = tuple(None if t is None else t.detach() for t in inputs)
            T, solver, setup = self.run(*places)
            kept = self.kept = (places, Solution(setup, self.arguments[5], T, solver))
        return kept[1]

    @property
    def places(self) -> Optional[Tensors]:  # type: ignore[override]
        return None if self.kept is None else self.kept[0]

    def pull(self, inputs: Tensors, cotangents: Tensors) -> Tensors:
        g = cotangents[0]
        if g is None:
            return (None, None, None)
        solution = self.solved(inputs)
        dG, db, dS = solution._pull(like_times(array(g), solution._T, "g"), inputs[2] is not None,
                                    self.propagate)
        return (torch.from_numpy(dG), None if db is None else torch.from_numpy(db),
                None if dS is None else torch.from_numpy(_joined(dS)))

    def push(self, inputs: Tensors, tangents: Tensors) -> Tensors:
        dG, db, dS = tangents
        solution: Any = self.solved(inputs)
        rows = None if dS is None else solution._setup.source_lists(array(dS))
        return (torch.from_numpy(solution.jvp(array(dG), array(db), rows,
                                              nonfinite=self.propagate)),)


def _same(places: Optional[Tensors], inputs: Tensors) -> bool:
    """The very tensors, or copies of them."""
    if places is None:
        return False
    for a, b in zip(places, inputs):
        if a is None or b is None:
            if a is not b:
                return False
        elif a.shape != b.shape or ((a.data_ptr() != b.data_ptr() or a.stride() != b.stride())
                                    and not torch.equal(a, b)):
            return False
    return True


def _joined(lists: Any) -> Array:
    """(n, 3) of an array (n, 3) or (B, n, 3), or of a list of arrays of different length."""
    return lists.reshape(-1, 3) if isinstance(lists, np.ndarray) else np.concatenate(lists)


def solve(G: Tensor, b: Optional[Drift], sources: SourceList, spacing: Optional[Spacing] = None,
          walls: Optional[Mask] = None, t_max: Optional[float] = None, *, threads: int = 1,
          stencils: StencilKind = "adaptive", order: int = 1, factor: Optional[float] = None,
          periodic: Periodic = "", targets: Optional[SourceList] = None,
          max_cells: Optional[int] = None, max_iterations: int = 100_000,
          starts: Optional[Numbers] = None, stopped: Optional[Mask] = None,
          cost: Cost = "mean", nonfinite: Nonfinite = "propagate") -> Tensor:
    """Arrival times T of `zermelo.solve` with derivatives with respect to G, b and sources.

    Shapes are those of `zermelo.solve`: G (H, W), (3, H, W) or (B, 3, H, W), b (2, H, W) or
    (B, 2, H, W) or None; two numbers, or one for both components, are a constant drift.  Sources
    that are a tensor (n, 2|3) or (B, n, 2|3), or have such tensors or numbers in their lists,
    have derivatives with respect to row, column and time; those of the place only between cells.
    With ``starts`` the metric changes with time.

    float32 and float64 on the CPU are used in place.  Half precision is computed in float32 and,
    outside of autocast, cast back; tensors of other devices are copied to the CPU and T back.
    Derivatives dL/dT that are not finite make nan or infinite what depends on them; with
    nonfinite='refuse' they are an error.

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
    refuse_derivatives(DERIVATIVES, walls=walls, starts=starts, stopped=stopped, targets=targets,
                       spacing=spacing, t_max=t_max, factor=factor)
    if traced() or (not MODERN and transformed()):
        from ._op import through_operator
        return through_operator(
            G, b, sources, (walls, starts, stopped, targets), spacing=spacing, t_max=t_max,
            threads=threads, stencils=stencils, order=order, factor=factor, periodic=periodic,
            max_cells=max_cells, max_iterations=max_iterations, cost=cost, nonfinite=nonfinite)
    if are_home(G, b):
        home = STAY
    else:
        G, b, home = metric_and_drift(G, b)
    S = None
    if has_tensors(sources):
        S = source_rows(sources) if has_floats(sources) else None
        sources = plain(sources)
    if targets is not None:
        targets = plain(targets)
    if walls is not None:
        walls = plain(walls)
    if starts is not None:
        starts, stopped = plain(starts), plain(stopped)
    propagates(nonfinite)
    options = (t_max, threads, stencils, order, factor, periodic, targets, max_cells, 0.0,
               max_iterations, None, cost)
    act = Solve(sources, spacing, walls, starts, stopped, options, nonfinite)
    if is_value(G, b, S):
        T: Tensor = torch.from_numpy(act.run(G, b, None)[0])
    else:
        T = Value.apply(act, G, b, S)
    return T if home is STAY else home.take(T)


def _refuse_nowhere(rows: Array) -> None:
    """Sources that lie outside of any grid."""
    nowhere = ~(np.isfinite(rows).all(axis=1) & (rows[:, :2] >= 0).all(axis=1))
    if nowhere.any():
        i = int(np.argmax(nowhere))
        row, col, time = rows[i]
        raise SourceError(f"source {i} is at row {row:g}, col {col:g}, time {time:g}, expected numbers, "
                          "row and col of at least 0")


class EikonalLayer(torch.nn.Module):
    """`solve` as a module that keeps sources, walls and options.

    >>> import torch, zermelo
    >>> layer = zermelo.torch.EikonalLayer(sources=[(0, 0)], spacing=0.5)
    >>> layer(torch.ones(1, 3))
    tensor([[0.0000, 0.5000, 1.0000]])
    """

    def __init__(self, sources: Optional[SourceList] = None, spacing: Optional[Spacing] = None,
                 walls: Optional[Mask] = None, t_max: Optional[float] = None, *, threads: int = 1,
                 stencils: StencilKind = "adaptive", order: int = 1,
                 factor: Optional[float] = None, periodic: Periodic = "",
                 targets: Optional[SourceList] = None, max_cells: Optional[int] = None,
                 max_iterations: int = 100_000, starts: Optional[Numbers] = None,
                 stopped: Optional[Mask] = None, cost: Cost = "mean",
                 nonfinite: Nonfinite = "propagate"):
        super().__init__()
        self.sources, self.spacing, self.walls = sources, spacing, walls
        self.of_grid = {"targets": targets, "starts": starts, "stopped": stopped}
        self.options = {"t_max": t_max, "threads": threads, "stencils": stencils, "order": order,
                        "factor": factor, "periodic": periodic, "max_cells": max_cells,
                        "max_iterations": max_iterations, "cost": cost, "nonfinite": nonfinite}
        self._check()

    def _check(self) -> None:
        """Refuses what no grid makes right; a small solve knows most of it."""
        options: Any = self.options
        solve(torch.ones(8, 8), None, (0, 0), self.spacing, None, starts=self.of_grid["starts"],
              **options)
        refuse_derivatives(DERIVATIVES, walls=self.walls, **self.of_grid)
        sources, walls = plain(self.sources), plain(self.walls)
        if sources is not None:
            for rows in sources_of(sources, getattr(sources, "shape", (0, 0))[-2:])[0]:
                _refuse_nowhere(rows)
        if walls is not None:
            shape = np.shape(walls)
            if len(shape) not in (2, 3):
                raise ArgumentError(f"walls has shape {shape}, expected (H, W) or (B, H, W)")
            mask(walls, shape[-2:], "walls", batch=True)

    def forward(self, G: Tensor, b: Optional[Drift] = None,
                sources: Optional[SourceList] = None) -> Tensor:
        """Sources given here are used instead of the layer's."""
        given: Any = sources
        if sources is None:
            given = self.sources
            if getattr(given, "ndim", 0) == 2 and given.shape[-1] in (2, 3) and G.dim() == 4 \
                    and self.of_grid["starts"] is None:
                given = [given]  # of all problems, also where a batch has as many as it has places
        options: Any = {**self.options, **self.of_grid}
        return solve(G, b, given, self.spacing, self.walls, **options)

    def extra_repr(self) -> str:
        given: Any = dict(self.options, spacing=self.spacing)
        return ", ".join(f"{name}={value!r}" for name, value in given.items()
                         if value != solve.__kwdefaults__.get(name))
