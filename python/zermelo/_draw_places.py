# SPDX-License-Identifier: Apache-2.0
"""Pictures of places: paths and sources."""
from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import ArgumentError
from ._chart import PageSpacing, values_of
from ._page import MARK, Color, Field, fit, page_of
from ._sources import sources_of
from ._types import Array, ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection


def _pieces(way: Array, cells: Tuple[int, ...]) -> List[Array]:
    """A path (n, 2) brought back into the grid where it leaves it: closed grids are unwound."""
    size = np.array(cells)
    turn = np.floor((way + 0.5) / size)
    cuts = np.flatnonzero(np.any(np.diff(turn, axis=0), axis=1)) + 1
    return [piece for piece in np.split(way - turn * size, cuts) if len(piece)]


def paths(ways: "Union[ArrayLike, Sequence[ArrayLike]]", *, ax: "Optional[Axes]" = None,
          grid: Optional[Field] = None, spacing: PageSpacing = None, color: Color = MARK,
          linewidth: float = 1.8, label: str = "paths") -> "LineCollection":
    """Paths as of ``Solution.paths`` or ``Solution.path``: rows, columns and maybe times (n, 2 or
    3).

    ``grid`` is a field whose coordinates they have; without it that of the axes.
    """
    from matplotlib.collections import LineCollection

    given = [ways] if getattr(ways, "ndim", 0) == 2 else list(ways)  # type: ignore[arg-type]
    cells = None if grid is None else values_of(grid, "grid").shape[-2:]
    page = page_of(ax, grid, cells, spacing)
    folds = page.chart.cells if page.image is not None or grid is not None else None
    lines = []
    for way in given:
        a = values_of(way, "a path").astype(float)
        if a.ndim != 2 or a.shape[1] not in (2, 3):
            raise ArgumentError(f"a path has shape {a.shape}, expected (n, 2) or (n, 3): row, col "
                                "and maybe time")
        for piece in _pieces(a[:, :2], folds) if folds and len(a) else [a[:, :2]]:
            lines.append(np.column_stack(page.chart.place(piece[:, 0], piece[:, 1])))
    drawn = LineCollection(lines, colors=[color], linewidths=linewidth, zorder=3, label=label,
                           capstyle="round", joinstyle="round")
    page.ax.add_collection(drawn)
    if folds:
        fit(page)
    else:
        page.ax.autoscale_view()
    return drawn


def sources(places: ArrayLike, *, ax: "Optional[Axes]" = None, grid: Optional[Field] = None,
            spacing: PageSpacing = None, color: Color = MARK, size: float = 150,
            label: Optional[str] = None) -> "PathCollection":
    """Sources as stars: (row, col[, time]), a list of them, or a mask."""
    cells = None if grid is None else values_of(grid, "grid").shape[-2:]
    page = page_of(ax, grid, cells, spacing)
    a = values_of(places, "sources") if hasattr(places, "detach") else places
    lists, _ = sources_of(a, page.chart.cells)
    at = np.concatenate(lists)
    x, y = page.chart.place(at[:, 0], at[:, 1])
    name = label if label is not None else "source" if len(at) == 1 else "sources"
    return page.ax.scatter(x, y, s=size, marker="*", color=[color], edgecolors="white",
                           linewidths=0.8, zorder=4, label=name)
