# SPDX-License-Identifier: Apache-2.0
"""How good predicted arrival times are."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Optional, Tuple, Union

import numpy as np

from .._core import ArgumentError
from ._native import native
from .fires import Fire
from .grid import copied, grid_of, refuse_elsewhere

if TYPE_CHECKING:
    from .grid import Map


class Score(NamedTuple):
    """Scores of one fire, as of ``zermelo fire score``: over the cells that burned, without the
    3 x 3 block of the ignition; IoU over all cells."""

    correlation: float
    rank_correlation: float
    relative_rmse: float
    """Over the latest true time."""
    mae_h: float
    bias_h: float
    iou_25: float
    iou_50: float
    iou_75: float
    iou_100: float
    """Of the areas burned until this percentage of the duration."""
    duration_h: float
    latest_h: float
    """The latest true time."""
    burned_cells: int
    compared_cells: int
    unreached_cells: int
    """Compared ones that the prediction does not reach."""
    degenerate: Optional[str]
    """Why there is no correlation; None where there is one."""


def score(predicted: "Map", truth: "Union[Map, Fire]", *,
          cell: Optional[Tuple[int, int]] = None, duration: Optional[float] = None) -> Score:
    """Compares predicted arrival times with the true ones.

    Parameters
    ----------
    predicted : map or array
        Hours; what is not finite is not reached.
    truth : map, array or Fire
        A fire of a scene tells its times, ignition and duration.
    cell : (row, col), optional
        The ignition, whose block is left out; None: none, or that of the fire.
    duration : hours, optional
        Else that of the fire, else the latest true time.

    >>> import numpy as np, zermelo.fire
    >>> T = np.hypot(*np.mgrid[-9:10, -9:10])
    >>> zermelo.fire.score(1.1 * T, T).correlation.__round__(6)
    1.0
    """
    if isinstance(truth, Fire):
        refuse_elsewhere(predicted, truth.landscape.grid, "predicted")
        cell = truth.cell if cell is None else cell
        duration = truth.duration if duration is None else duration
        truth = truth.arrival()
    elif hasattr(truth, "coords") and hasattr(predicted, "coords"):
        refuse_elsewhere(predicted, grid_of(truth, "truth"), "predicted")
    rows_cols = np.shape(truth)
    if len(rows_cols) != 2:
        raise ArgumentError(f"truth has shape {rows_cols}, expected (rows, cols)")
    shape = (rows_cols[0], rows_cols[1])
    row, col = (-1, -1) if cell is None else cell
    if cell is not None and not (0 <= row < shape[0] and 0 <= col < shape[1]):
        raise ArgumentError(f"cell is {cell}, outside of the {shape[0]} x {shape[1]} cells")
    found = native.score(copied(truth, shape, "truth"), copied(predicted, shape, "predicted"),
                         *shape, row, col, math.nan if duration is None else duration)
    (correlation, rank, rmse, mae, bias, iou, length, latest, burned, compared, unreached,
     flaw) = found
    return Score(correlation, rank, rmse, mae, bias, *iou, length, latest, burned, compared,
                 unreached, flaw)
