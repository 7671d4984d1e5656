# SPDX-License-Identifier: Apache-2.0
"""Pictures of drifts and metrics: arrows, streamlines, ellipses."""
from __future__ import annotations

from typing import (TYPE_CHECKING, Any, Literal, NamedTuple, Optional, Tuple, Union, get_args)

import numpy as np

from ._arrays import choice, drift as drift_planes, metric as metric_planes
from ._core import ArgumentError
from ._chart import PageSpacing, one_of_batch, values_of
from ._page import DARK, LIGHT, Color, Field, Page, fit, page_of, spread
from ._types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, PolyCollection
    from matplotlib.quiver import Quiver
    from matplotlib.streamplot import StreamplotSet

DriftKind = Literal["arrows", "streamlines"]


def _vectors(value: Any, item: Optional[int], page_cells: Any, name: str) -> Tuple[Array, Any]:
    """A drift (2, H, W) of what users give; two numbers need the cells of the axes."""
    a = values_of(value, name)
    if a.ndim < 3:
        if page_cells is None:
            raise ArgumentError(f"{name} has shape {a.shape}, expected (2, H, W); a constant one "
                                "needs axes that show a field")
        planes = drift_planes(a, page_cells, name)
        assert planes is not None
        return planes, None
    if a.ndim not in (3, 4) or a.shape[-3] != 2:
        raise ArgumentError(f"{name} has shape {a.shape}, expected (2, H, W) or (B, 2, H, W)")
    return one_of_batch(a, value, 3, item, name)


def _shown(ax: "Optional[Axes]", value: Any, spacing: PageSpacing) -> Page:
    return page_of(ax, value, None, spacing)


def _kept(rows: Array, cols: Array, walls: Optional[Field], item: Optional[int]) -> Array:
    """Which of the cells are no obstacles."""
    if walls is None:
        return np.ones(len(rows), bool)
    a = values_of(walls, "walls")
    mask, _ = one_of_batch(a, walls, 2, item if a.ndim == 3 else None, "walls")
    out: Array = mask[rows, cols] == 0
    return out


def _thinned(cells: Tuple[int, ...], across: int) -> Tuple[Array, Array, int]:
    """Rows and columns of every so many cells, so that there are `across` along the longer
    side."""
    if across < 1:
        raise ArgumentError(f"across is {across}, expected at least 1")
    stride = max(1, -(-max(cells) // across))
    rows, cols = np.meshgrid(spread(cells[0], stride), spread(cells[1], stride), indexing="ij")
    return rows.ravel(), cols.ravel(), stride


def drift(b: Field, *, ax: "Optional[Axes]" = None, item: Optional[int] = None,
          kind: DriftKind = "arrows", across: int = 24, walls: Optional[Field] = None,
          spacing: PageSpacing = None, color: Optional[Color] = None, label: str = "drift $b$"
          ) -> "Union[Quiver, StreamplotSet]":
    """Arrows, or streamlines, to where the front is faster; also any other vector field, such as
    ``Solution.flow``.

    b is (2, H, W), x first, or two numbers on axes that show a field.  ``across`` arrows stand
    along the longer side, the longest as long as they are apart; ``walls`` leaves cells out.
    """
    choice("kind", kind, get_args(DriftKind))
    known = values_of(b, "b").ndim < 3
    page = _shown(ax, None, spacing) if known else None
    a, value = _vectors(b, item, page.chart.cells if page else None, "b")
    page = page_of(ax, value, a.shape[-2:], spacing)
    if kind == "streamlines":
        return _streamlines(page, a, walls, item, across, color)
    chart = page.chart
    rows, cols, stride = _thinned(a.shape[-2:], across)
    keep = _kept(rows, cols, walls, item) & np.isfinite(a[:, rows, cols]).all(axis=0)
    rows, cols = rows[keep], cols[keep]
    u = a[0, rows, cols] * np.sign(chart.x.step) * chart.stretch()[rows]
    v = a[1, rows, cols] * np.sign(chart.y.step)
    longest = float(np.hypot(a[0, rows, cols], a[1, rows, cols]).max()) if len(rows) else 0.0
    apart = stride * min(abs(chart.x.step) / float(np.mean(chart.stretch())), abs(chart.y.step))
    x, y = chart.place(rows.astype(float), cols.astype(float))
    colors: Any = color
    if color is None:
        colors = [LIGHT if one else DARK for one in page.is_dark(rows, cols)]
    arrows = page.ax.quiver(x, y, u, v, color=colors, angles="xy", scale_units="xy", pivot="mid",
                            scale=(longest or 1.0) / (0.95 * apart), width=0.0028,
                            headwidth=4, headlength=4.5, headaxislength=4, zorder=2.5, label=label)
    fit(page)
    return arrows


def _streamlines(page: Page, a: Array, walls: Optional[Field], item: Optional[int],
                 across: int, color: Optional[Color]) -> "StreamplotSet":
    chart = page.chart
    if not (chart.x.even and chart.y.even):
        raise ArgumentError("streamlines need evenly spaced coordinates; kind='arrows' does not")
    rows, cols = np.indices(a.shape[-2:]).reshape(2, -1)
    inside = np.isfinite(a).all(axis=0) & _kept(rows, cols, walls, item).reshape(a.shape[-2:])
    u = np.where(inside, a[0], np.nan) * np.sign(chart.x.step) * chart.stretch()[:, None]
    v = np.where(inside, a[1], np.nan) * np.sign(chart.y.step)
    x = chart.x.at[0] + chart.x.step * np.arange(len(chart.x.at))
    y = chart.y.at[0] + chart.y.step * np.arange(len(chart.y.at))
    flip_x, flip_y = slice(None, None, -1 if chart.x.step < 0 else 1), \
        slice(None, None, -1 if chart.y.step < 0 else 1)
    below = page.image is not None and page.values is not None and bool(np.mean(
        page.is_dark(rows, cols)) > 0.5)
    lines = page.ax.streamplot(x[flip_x], y[flip_y], u[flip_y, flip_x], v[flip_y, flip_x],
                               density=across / 24, linewidth=0.8, arrowsize=0.8, zorder=2.5,
                               color=color or (LIGHT if below else DARK))
    fit(page)
    return lines


class Ellipses(NamedTuple):
    """Outlines, the cells they stand for, and the time in which a front gets there."""

    outlines: "PolyCollection"
    centres: "PathCollection"
    time: float


def _unit_balls(G: Array, b: Array, n: int) -> Tuple[Array, Array]:
    """Points (cells, n, 2) of the border of {v: sqrt(v'Gv) - b.v <= 1}, of those cells of planes
    (3, cells) and (2, cells) where it is bounded, and which these are.

    It is the ellipse (v - m)' A (v - m) <= r^2 with A = G - bb', A m = b and r^2 = 1 + m.b;
    with A = L L' it is m + r L^-T u for |u| <= 1.
    """
    a11, a12, a22 = G[0] - b[0] ** 2, G[1] - b[0] * b[1], G[2] - b[1] ** 2
    det = a11 * a22 - a12 ** 2
    with np.errstate(invalid="ignore"):
        good = np.isfinite(a11 + a12 + a22) & (a11 > 0) & (det > 0) & \
            (G[0] > 0) & (G[0] * G[2] > G[1] ** 2)
    a11, a12, a22, det = a11[good], a12[good], a22[good], det[good]
    b1, b2 = b[0][good], b[1][good]
    m1, m2 = (a22 * b1 - a12 * b2) / det, (a11 * b2 - a12 * b1) / det
    r = np.sqrt(1 + m1 * b1 + m2 * b2)
    l11 = np.sqrt(a11)
    l21, l22 = a12 / l11, np.sqrt(det) / l11
    turn = np.linspace(0, 2 * np.pi, n, endpoint=False)
    u1, u2 = np.cos(turn), np.sin(turn)
    v2 = r[:, None] * u2 / l22[:, None]
    v1 = r[:, None] * u1 / l11[:, None] - (l21 / l11)[:, None] * v2
    return np.stack([m1[:, None] + v1, m2[:, None] + v2], axis=-1), good


def _full_metric(G: Field, item: Optional[int]) -> Tuple[Array, Any]:
    """Planes g11, g12, g22."""
    a = metric_planes(values_of(G, "G"), "G")
    if a.ndim > 2:
        a, G = one_of_batch(a, G, 3, item, "G")
    planes = a[None] if a.ndim == 2 else a
    zero = np.zeros_like(planes[0])
    full = {1: (planes[0], zero, planes[0]), 2: (planes[0], zero, planes[-1]),
            3: tuple(planes)}[len(planes)]
    return np.stack(full), G


def ellipses(G: Field, b: Optional[Field] = None, *, ax: "Optional[Axes]" = None,
             item: Optional[int] = None, across: int = 18, time: Optional[float] = None,
             walls: Optional[Field] = None, spacing: PageSpacing = None, color: Color = DARK,
             label: str = "reach in a given time") -> Ellipses:
    """How far a front gets in a given time, in every direction: Tissot's indicatrices of the
    metric, the outlines of {v: sqrt(v'Gv) - b.v <= time} on a thinned grid.

    A drift shows as a dot off the centre.  Without ``time`` the largest fills its place.  Cells
    where G is not positive definite or the drift is too strong are left out.
    """
    from matplotlib.collections import PolyCollection

    full, value = _full_metric(G, item)
    cells = full.shape[-2:]
    if b is None:
        vectors = np.zeros((2, *cells))
    else:
        vectors, _ = _vectors(b, item if np.ndim(values_of(b, "b")) == 4 else None, cells, "b")
    if vectors.shape[-2:] != cells:
        raise ArgumentError(f"b has shape {vectors.shape}, but G has {cells} cells")
    page = page_of(ax, value, cells, spacing)
    chart = page.chart
    rows, cols, stride = _thinned(cells, across)
    keep = _kept(rows, cols, walls, item)
    rows, cols = rows[keep], cols[keep]
    balls, good = _unit_balls(full[:, rows, cols].astype(float),
                              vectors[:, rows, cols].astype(float), 72)
    rows, cols = rows[good], cols[good]
    if len(rows) == 0:
        raise ArgumentError("no cell has a metric and drift that are admissible")
    dx, dy = abs(chart.x.step) / float(np.mean(chart.stretch())), abs(chart.y.step)
    if time is None:
        reach = np.abs(balls).max(axis=(0, 1))
        time = float(0.47 * stride * min(dx / reach[0], dy / reach[1]))
    x, y = chart.place(rows.astype(float), cols.astype(float))
    sign = np.array([np.sign(chart.x.step), np.sign(chart.y.step)])
    shapes = time * balls * sign
    shapes[..., 0] *= chart.stretch()[rows][:, None]
    outlines = PolyCollection(shapes + np.column_stack([x, y])[:, None], facecolors=(1, 1, 1, 0.45),
                              edgecolors=[color], linewidths=0.9, zorder=2.2, label=label)
    page.ax.add_collection(outlines)
    centres = page.ax.scatter(x, y, s=2.5, color=[color], zorder=2.3)
    fit(page)
    return Ellipses(outlines, centres, time)
