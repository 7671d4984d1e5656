# SPDX-License-Identifier: Apache-2.0
"""Factors of the fire model from fires whose times are known."""
from __future__ import annotations

from typing import (TYPE_CHECKING, Callable, Dict, Iterable, List, Literal, NamedTuple, Optional,
                    Sequence, Union)

import numpy as np

from .._arrays import number_of
from .._core import ArgumentError
from .._options import path_text, threads_given, whole
from .._progress import check_monitor
from ._native import native
from .grid import copied, refuse_elsewhere
from .landscape import Path

if TYPE_CHECKING:
    from .burning import Crown, Emulate, Front
    from .fires import Fire, Observed
    from .grid import Map

Kind = Literal["wind", "moisture", "fuel", "rate"]
KINDS: Dict[int, Kind] = {0: "wind", 1: "moisture", 2: "fuel", 3: "rate"}


class Parameter(NamedTuple):
    """A fitted parameter with its 95 % interval: a factor, of moisture an offset in percent."""

    kind: Kind
    fuel: Optional[int]
    """Number of the fuel model, of a factor of one."""
    cells: int
    """Observed cells that tell of it."""
    value: float
    low: float
    high: float
    at_bound: bool
    """The fires do not tell of it, or ask for more than is allowed."""


class Calibration:
    """Factors that `physics` and `ensemble` take.  `calibrate` makes one, ``load`` reads one."""

    def __init__(self, native_calibration: native.Calibration):
        self._native = native_calibration
        (self.wind_factor, self.moisture_offset, self.rate_factor, self.error_before,
         self.error_after, self.iterations, self.converged, items) = native_calibration.facts()
        self.parameters: List[Parameter] = [
            Parameter(KINDS[kind], fuel if kind == 2 else None, cells, value, low, high, at_bound)
            for kind, fuel, cells, value, low, high, at_bound in items]

    @property
    def fuel_factors(self) -> Dict[int, float]:
        """Factors of fuel models that are not 1, by number."""
        factors = np.frombuffer(self._native.fuel_factors())
        return {k: float(f) for k, f in enumerate(factors) if f != 1}

    def save(self, path: Path) -> None:
        """Writes it for ``--calibration`` of the tool, or `load`."""
        self._native.write(path_text("path", path))

    @classmethod
    def load(cls, path: Path) -> "Calibration":
        """Reads what ``zermelo fire calibrate --out`` or `save` wrote."""
        return cls(native.calibration_read(path_text("calibration", path)))

    def __repr__(self) -> str:
        told = [f"wind {self.wind_factor:.3g}", f"moisture {self.moisture_offset:+.3g} %"]
        told += [f"fuel {k} {f:.3g}" for k, f in self.fuel_factors.items()]
        return f"<Calibration: {', '.join(told)}>"


def calibrate(fires: "Union[Fire, Sequence[Fire], Observed]",
              times: "Optional[Sequence[Map]]" = None, *, intervals: int = 0,
              fit_fuels: bool = True, fit_wind: bool = True, fit_moisture: bool = True,
              fit_rate: bool = False, fuel_spread: float = 1.0, wind_spread: float = 0.5,
              moisture_spread: float = 3.0, rate_spread: float = 1.0, least_cells: int = 50,
              least_share: Optional[float] = None, outlier: float = 0.05,
              max_iterations: int = 30, threads: int = 1, crown: "Crown" = "finney",
              constant_moisture: bool = False, cell_moisture: bool = False,
              front: "Front" = "travel-time", emulate: "Emulate" = "farsite",
              foliar_moisture: float = 100.0,
              monitor: Optional[Callable[[int, float], object]] = None) -> Calibration:
    """A few parameters of the fire model from fires whose times or dated perimeters are known.

    The same numbers as ``zermelo fire calibrate``.

    Parameters
    ----------
    fires
        Fires of one landscape; or an `Observed` one, whose dates are intervals.
    times : maps, optional
        When each of them burned: infinity not by its end, NaN not known.  Where not given, the
        true times that come with fires of a scene.
    intervals : int
        Of an observed fire, use the first so many between its dates; 0: all.
    fit_fuels, fit_wind, fit_moisture, fit_rate : bool
        What is fitted: factors of fuels, of the wind, the offset of the moisture, and a factor on
        all rates, which those of fuels then are relative to.
    fuel_spread, wind_spread, rate_spread : float
        Standard deviations of the logarithms that are expected beforehand.
    moisture_spread : float
        Standard deviation of the offset, percent.
    least_cells, least_share
        Fuels with fewer observed cells, or a lower share of them, keep their rates.
    outlier : float
        Errors above this share of the duration count less.
    monitor : callable, optional
        Called with iteration and objective; a true answer stops with `zermelo.Cancelled`.
    """
    from .burning import options_of
    from .fires import Fire, Observed
    if not (fit_fuels or fit_wind or fit_moisture or fit_rate):
        raise ArgumentError("fit_fuels, fit_wind, fit_moisture and fit_rate leave nothing to fit")
    known: List[object] = []
    if isinstance(fires, Observed):
        if times is not None:
            raise ArgumentError("times are those of the observed perimeters")
        ground = fires.landscape._ground
        whole("intervals", intervals, "0 (all) or more", 0)
    else:
        if intervals:
            raise ArgumentError("intervals are of an Observed fire")
        try:
            all_fires = [fires] if isinstance(fires, Fire) else list(fires)
        except TypeError:
            all_fires = []
        if not all(isinstance(one, Fire) for one in all_fires) or not isinstance(fires, (Fire, Iterable)):
            raise ArgumentError(f"fires is {str(fires)[:60]}, expected a Fire, a list of them, or an "
                                "Observed")
        if not all_fires:
            raise ArgumentError("fires is empty, expected at least one")
        ground = all_fires[0].landscape._ground
        known = _known(all_fires, times)
    check_monitor(monitor)
    found = native.calibrate(
        ground, known, intervals,
        options_of(crown, constant_moisture, foliar_moisture, cell_moisture, front, emulate),
        (threads_given(threads), whole("max_iterations", max_iterations, "at least 1", 1), fit_fuels,
         fit_wind, fit_moisture, fit_rate, whole("least_cells", least_cells, "0 or more", 0),
         *(number_of(value, name) for name, value in (
             ("fuel_spread", fuel_spread), ("wind_spread", wind_spread),
             ("moisture_spread", moisture_spread), ("rate_spread", rate_spread), ("outlier", outlier),
             ("least_share", -1.0 if least_share is None else least_share)))), monitor)
    return Calibration(found)


def _known(fires: "List[Fire]", times: "Optional[Sequence[Map]]") -> List[object]:
    if times is not None and len(times) != len(fires):
        raise ArgumentError(f"times has {len(times)} maps, fires {len(fires)}")
    known: List[object] = []
    for i, fire in enumerate(fires):
        if fire.landscape is not fires[0].landscape:
            raise ArgumentError(f"{fire.name} is on another landscape than {fires[0].name}")
        T = fire.arrival() if times is None else times[i]
        refuse_elsewhere(T, fire.landscape.grid, f"times of {fire.name}")
        known.append((fire._native(), fire._lit.sources,
                      copied(T, fire.landscape.shape, f"times of {fire.name}")))
    return known


__all__ = ["Calibration", "Parameter", "calibrate"]
