# SPDX-License-Identifier: Apache-2.0
"""Fires by physics: one, or many in uncertain weather."""
from __future__ import annotations

from typing import (TYPE_CHECKING, Dict, List, Literal, NamedTuple, Optional, Sequence, Tuple,
                    Union, get_args)

import numpy as np

from .._arrays import choice, number_of
from .._core import ArgumentError
from .._options import numbers_given, seed_of, threads_given, whole
from .._progress import check_progress, watched
from .._types import Array, Progress
from ._native import native
from .calibration import Calibration
from .fires import FireLike, Five, fire_of
from .grid import Note, dress
from .ignition import IgnitionLike
from .landscape import Path
from .spotting import Native, SpottingLike, spotting_of
from .weather import StartLike, WeatherLike

if TYPE_CHECKING:
    from .grid import Map

Front = Literal["travel-time", "markers"]
CalibrationLike = Union[Calibration, Path]
Crown = Literal["none", "finney", "scott-reinhardt"]
Emulate = Literal["none", "farsite"]
Options = Tuple[int, bool, float, bool, int, int, Optional[Native]]


def options_of(crown: Crown, constant_moisture: bool, foliar_moisture: float, cell_moisture: bool,
               front: Front, emulate: Emulate, spotting: Optional[SpottingLike] = None) -> Options:
    """What the model is made with."""
    return (choice("crown", crown, get_args(Crown)), not constant_moisture,
            number_of(foliar_moisture, "foliar_moisture"),
            cell_moisture, choice("front", front, get_args(Front)),
            choice("emulate", emulate, get_args(Emulate)), spotting_of(spotting))


def calibration_of(value: Optional[CalibrationLike]) -> Optional[native.Calibration]:
    if value is None:
        return None
    return (value if isinstance(value, Calibration) else Calibration.load(value))._native


def _hours(name: str, value: Optional[float]) -> float:
    """0: as far as is usual."""
    if value is None:
        return 0.0
    hours = number_of(value, name)
    if not (hours > 0 and np.isfinite(hours)):
        raise ArgumentError(f"{name} is {hours:g}, expected hours > 0")
    return hours


def _spreads(**given: float) -> List[float]:
    """Standard deviations."""
    found = []
    for name, value in given.items():
        x = number_of(value, name)
        if not (x >= 0 and np.isfinite(x)):
            raise ArgumentError(f"{name} is {x:g}, expected a number of at least 0")
        found.append(x)
    return found


def physics(fire: FireLike, weather: Optional[WeatherLike] = None,
            ignition: Optional[IgnitionLike] = None, *, start: Optional[StartLike] = None,
            duration: Optional[float] = None, fuel_moisture: Optional[Five] = None,
            fuels: Optional[Path] = None, conditioning: Optional[float] = None,
            time_zone: Optional[str] = None, t_max: Optional[float] = None,
            calibration: Optional[CalibrationLike] = None, crown: Crown = "finney",
            constant_moisture: bool = False, cell_moisture: bool = False,
            front: Front = "travel-time", emulate: Emulate = "farsite",
            foliar_moisture: float = 100.0, spotting: Optional[SpottingLike] = None) -> "Map":
    """Arrival times of a fire by the physics of fire, without any training.

    Rothermel's surface fire with the published fuel models, wind under canopies, slope, hourly
    moisture of dead fuel, crown fire (docs/fire-physics.md): the maps of ``zermelo fire physics
    --out``, bit for bit.

    Parameters
    ----------
    fire
        A `Fire`; or a landscape, with `weather` and `ignition`.
    start, duration, fuel_moisture, fuels, conditioning, time_zone
        As of `Fire`, where a landscape is given.
    t_max : hours, optional
        Cells reached later are infinite.  Where not given a quarter of its duration after the end
        of the fire, or the end of its weather, beyond which weather with dates does not go.
    calibration : Calibration or path, optional
        Factors of fuels, wind and moisture.
    crown : 'finney', 'scott-reinhardt' or 'none'
        The model of crown fire; none: surface fire only.
    constant_moisture : bool
        Fuel moisture stays as at the ignition.
    cell_moisture : bool
        Fuel moisture of each cell's own ground, not of FARSITE's classes.
    front : 'travel-time' or 'markers'
        How the front moves: minimum travel time, which is exact; or a perimeter of marker points
        as in FARSITE.
    emulate : 'farsite' or 'none'
        What of a program is repeated beyond the published laws: smoothing, hindrance beside ground
        that does not burn, such ground burned once fire is around it, moisture of classes.
    foliar_moisture : float
        Percent, of the canopy, for crown fire.
    spotting : Spotting or float, optional
        Embers that light fires ahead of the front, or the probability that one does.  The map then
        has the attributes ``spot_fires`` and ``farthest_spot_m``.

    Returns
    -------
    DataArray
        Hours after the start; infinity where the fire does not come.  A `zermelo.Raster` where
        xarray is not installed.

    >>> import tempfile, zermelo.fire
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     scene = zermelo.fire.simulate(folder, fires=1, shape=(60, 70), seed=3)
    ...     T = zermelo.fire.physics(scene["f0001"])
    >>> T.dims, T.attrs["units"]
    (('y', 'x'), 'h')
    """
    asked = _hours("t_max", t_max)
    burned = fire_of(fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning,
                     time_zone, asked or None)
    T = burned.landscape.grid.plane()
    until, _, spots, farthest = native.burn(
        burned.landscape._ground, burned._native(), burned._lit.sources,
        options_of(crown, constant_moisture, foliar_moisture, cell_moisture, front, emulate,
                   spotting),
        calibration_of(calibration), asked, T)
    notes: Dict[str, Note] = {**burned._notes(), "t_max": until}
    if spotting is not None:
        notes.update(spot_fires=spots, farthest_spot_m=farthest)
    return dress(T, burned.landscape.grid, "arrival_h", notes)


class Ensemble(NamedTuple):
    """What many fires have in common."""

    probability: "Map"
    """Share of the members that reach each cell."""
    quantiles: "Map"
    """Arrival times by which so many of all members have come, h; infinity where they do not."""
    expected_ha: float
    """Area that is expected to burn."""
    areas_ha: Tuple[float, float, float]
    """Area of the cells that burn with a probability of 5, 50 and 95 % or more."""
    t_max: float
    """Hours that were burned."""


def ensemble(fire: FireLike, weather: Optional[WeatherLike] = None,
             ignition: Optional[IgnitionLike] = None, *, start: Optional[StartLike] = None,
             duration: Optional[float] = None, fuel_moisture: Optional[Five] = None,
             fuels: Optional[Path] = None, conditioning: Optional[float] = None,
             time_zone: Optional[str] = None, t_max: Optional[float] = None, members: int = 100,
             quantiles: Sequence[float] = (0.1, 0.5, 0.9), seed: int = 1, threads: int = 1,
             wind_speed: float = 0.2, wind_dir: float = 15.0, temperature: float = 2.0,
             humidity: float = 5.0, moisture: float = 1.0, live_moisture: float = 0.1,
             rate: float = 0.2, ignition_radius: float = 0.0,
             calibration: Optional[CalibrationLike] = None, crown: Crown = "finney",
             constant_moisture: bool = False, cell_moisture: bool = False,
             front: Front = "travel-time", emulate: Emulate = "farsite",
             foliar_moisture: float = 100.0, spotting: Optional[SpottingLike] = None,
             progress: Progress = None) -> Ensemble:
    """Probability to burn in weather, moisture and ignition that are not known for sure.

    The maps of ``zermelo fire ensemble``, bit for bit, on any number of threads.

    Parameters
    ----------
    fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning, time_zone
        As of `physics`.
    t_max : hours, optional
        Where not given the duration of the fire, else the hours of its weather.
    members : int
    quantiles : numbers between 0 and 1
    seed, threads : int
        The same seed gives the same maps; 0 threads are as many as this process may use.
    wind_speed, rate, live_moisture : float
        Standard deviations of the logarithms of wind speed, of all rates of spread, of live fuel
        moisture.
    wind_dir, temperature, humidity, moisture : float
        Standard deviations in degrees, C, percent, and percent of dead fuel.
    spotting : Spotting or float, optional
        As of `physics`; each member draws its own.
    ignition_radius : float
        Metres within which the ignition is, anywhere equally likely (``--ignition``).
    progress : bool or callable, optional
        As of `zermelo.solve`: True for a bar, or a function of the share that is done.
    """
    asked = _hours("t_max", t_max)
    burned = fire_of(fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning,
                     time_zone, asked or None)
    spreads = _spreads(wind_speed=wind_speed, wind_dir=wind_dir, temperature=temperature,
                       humidity=humidity, moisture=moisture, live_moisture=live_moisture, rate=rate,
                       ignition_radius=ignition_radius)
    if spreads[-1] > 0 and burned._lit.sources is not None:
        raise ArgumentError("ignition_radius moves one cell; this fire starts from several")
    levels = numbers_given("quantiles", quantiles)
    if not levels.size or not ((levels > 0) & (levels < 1)).all():
        raise ArgumentError(f"quantiles is {quantiles!r}, expected numbers between 0 and 1")
    check_progress(progress)
    members = whole("members", members, "1 to 1000000", 1, 1_000_000)
    spread = (members, threads_given(threads), seed_of(seed), *spreads)
    landscape = burned.landscape
    probability, planes = landscape.grid.plane(), landscape.grid.plane(len(levels))
    with watched(progress, "ensemble") as tell:
        until = native.ensemble(
            landscape._ground, burned._native(), burned._lit.sources,
            options_of(crown, constant_moisture, foliar_moisture, cell_moisture, front, emulate,
                       spotting),
            calibration_of(calibration), asked, spread, levels, probability,
            planes, tell)
    expected, areas = native.areas(landscape._ground, probability, np.array([0.05, 0.5, 0.95]))
    notes: Dict[str, Note] = {**burned._notes(), "t_max": until, "members": members}
    return Ensemble(
        dress(probability, landscape.grid, "burn_probability", {**notes, "units": "1"}),
        dress(planes, landscape.grid, "arrival_h", notes, levels.tolist()),
        expected, (areas[0], areas[1], areas[2]), until)


class RiskFire(NamedTuple):
    """One of the fires of `risk`."""

    row: int
    col: int
    area_ha: float


class Risk(NamedTuple):
    """Where fires burn on a landscape, and with which flames."""

    probability: "Map"
    """Share of the fires that burn each cell."""
    flame_length: "Map"
    """Mean over the fires that burn the cell, m: conditional flame length; NaN where none does."""
    flame_classes: "Map"
    """Shares, of the fires that burn the cell, by the length of their flames: below the first of
    the lengths given, from there on below the second, ..., from the last on."""
    fires: Tuple[RiskFire, ...]
    """Where each fire began and what it burned."""
    t_max: float
    """Hours that each burned."""


def risk(fire: FireLike, weather: Optional[WeatherLike] = None,
         ignition: Optional[IgnitionLike] = None, *, start: Optional[StartLike] = None,
         duration: Optional[float] = None, fuel_moisture: Optional[Five] = None,
         fuels: Optional[Path] = None, conditioning: Optional[float] = None,
         time_zone: Optional[str] = None, t_max: Optional[float] = None, fires: int = 100,
         density: Optional[Array] = None,
         flame_classes: Sequence[float] = (0.6, 1.2, 1.8, 2.4, 3.7), same_weather: bool = False,
         seed: int = 1, threads: int = 1, wind_speed: float = 0.2, wind_dir: float = 15.0,
         temperature: float = 2.0, humidity: float = 5.0, moisture: float = 1.0,
         live_moisture: float = 0.1, rate: float = 0.2,
         calibration: Optional[CalibrationLike] = None, crown: Crown = "finney",
         constant_moisture: bool = False, cell_moisture: bool = False, emulate: Emulate = "farsite",
         foliar_moisture: float = 100.0, spotting: Optional[SpottingLike] = None,
         progress: Progress = None) -> Risk:
    """Burn probability and flame lengths of a landscape: many fires that begin anywhere.

    The maps of ``zermelo fire risk``, bit for bit, on any number of threads.

    Parameters
    ----------
    fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning, time_zone
        As of `physics`: whose landscape, weather, moisture and start all fires have.  The ignition is
        not used.
    t_max : hours, optional
        That each fire burns; where not given the duration of the fire, else the hours of its weather.
    fires : int
    density : array, optional
        How likely fires are to begin in each cell, in any unit; else each cell whose fuel burns
        alike.
    flame_classes : rising numbers
        Metres between classes of flame lengths.
    same_weather : bool
        Nothing is uncertain: all fires have the weather as it is.
    seed, threads, wind_speed, wind_dir, temperature, humidity, moisture, live_moisture, rate
        As of `ensemble`, drawn for each fire.
    """
    asked = _hours("t_max", t_max)
    burned = fire_of(fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning,
                     time_zone, asked or None)
    edges = numbers_given("flame_classes", flame_classes)
    check_progress(progress)
    fires = whole("fires", fires, "1 to 1000000", 1, 1_000_000)
    uncertain = _spreads(wind_speed=wind_speed, wind_dir=wind_dir, temperature=temperature,
                         humidity=humidity, moisture=moisture, live_moisture=live_moisture, rate=rate)
    spread = (fires, threads_given(threads), seed_of(seed),
              *((0.0,) * len(uncertain) if same_weather else uncertain), 0.0)
    landscape = burned.landscape
    weights = None if density is None else np.ascontiguousarray(density, dtype=np.float32)
    probability, flame = landscape.grid.plane(), landscape.grid.plane()
    classes = landscape.grid.plane(len(edges) + 1)
    with watched(progress, "risk") as tell:
        until, told = native.risk(
            landscape._ground, burned._native(),
            options_of(crown, constant_moisture, foliar_moisture, cell_moisture, "travel-time",
                       emulate, spotting),
            calibration_of(calibration), asked, spread, weights, edges,
            probability, flame, classes, tell)
    notes: Dict[str, Note] = {**burned._notes(), "t_max": until, "fires": fires}
    return Risk(
        dress(probability, landscape.grid, "burn_probability", {**notes, "units": "1"}),
        dress(flame, landscape.grid, "flame_length", {**notes, "units": "m"}),
        dress(classes, landscape.grid, "share", {**notes, "units": "1"},
              [0.0, *edges.tolist()], "flame_from_m"),
        tuple(RiskFire(*one) for one in told), until)


class Way(NamedTuple):
    """A way of minimum travel time by which part of a fire burns."""

    points: Array
    """Map coordinates x and y, and hours: an array of n x 3, in order of time."""
    flow: float
    """Share of the cells that burn by its beginning."""
    origin: int
    """Number of the way that it leaves, which comes before it; -1: it begins where fire was lit."""


def ways(fire: FireLike, weather: Optional[WeatherLike] = None,
         ignition: Optional[IgnitionLike] = None, *, start: Optional[StartLike] = None,
         duration: Optional[float] = None, fuel_moisture: Optional[Five] = None,
         fuels: Optional[Path] = None, conditioning: Optional[float] = None,
         time_zone: Optional[str] = None, t_max: Optional[float] = None, interval: int = 3,
         share: float = 0.02, calibration: Optional[CalibrationLike] = None,
         crown: Crown = "finney", constant_moisture: bool = False, cell_moisture: bool = False,
         front: Front = "travel-time", emulate: Emulate = "farsite",
         foliar_moisture: float = 100.0, spotting: Optional[SpottingLike] = None
         ) -> Tuple[Way, ...]:
    """Major flow paths of a fire: the ways by which most of it burns.

    The lines of ``zermelo fire physics --ways``.

    Parameters
    ----------
    fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning, time_zone
        As of `physics`; so are the options of the model.
    t_max : hours, optional
        Where not given the duration of the fire, else the hours of its weather.
    interval : int
        Ways to every so many burned cells, along rows and columns, are followed.
    share : float
        Ways are shown as far as such a share of these cells burns by them.
    """
    asked = _hours("t_max", t_max)
    burned = fire_of(fire, weather, ignition, start, duration, fuel_moisture, fuels, conditioning,
                     time_zone, asked or None)
    interval = whole("interval", interval, "1 or more", 1)
    grid = burned.landscape.grid
    _, found = native.ways(
        burned.landscape._ground, burned._native(), burned._lit.sources,
        options_of(crown, constant_moisture, foliar_moisture, cell_moisture, front, emulate,
                   spotting),
        calibration_of(calibration), asked, interval, share)
    made = []
    for origin, flow, raw in found:
        row, col, time = np.frombuffer(raw, dtype=np.float64).reshape(-1, 3).T
        made.append(Way(np.column_stack([*grid.places(row, col), time]), flow, origin))
    return tuple(made)


__all__ = ["Ensemble", "Risk", "RiskFire", "Way", "ensemble", "physics", "risk", "ways"]
