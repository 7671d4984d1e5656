# SPDX-License-Identifier: Apache-2.0
"""Fires: a landscape, an ignition and the weather from then on; and folders that hold them."""
from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union


from .._arrays import number_of
from .._core import ArgumentError
from .._options import path_text, seed_of, whole_number
from .._progress import check_progress, watched
from .._types import Array, Progress
from ._native import native
from .grid import Note, dress
from .ignition import Ignition, IgnitionLike, Lit, ignition_of
from .landscape import Landscape, LandscapeLike, Path, landscape_of
from .weather import Five, Moment, StartLike, Weather, WeatherLike, moment_of, weather_of

if TYPE_CHECKING:
    from .grid import Map

MOISTURE: Five = (6.0, 7.0, 8.0, 60.0, 90.0)
Told = Tuple[str, int, int, float, int, int, float, Five, bytes, int, float]  # of a folder
NativeFire = Tuple[str, int, int, float, int, int, float, Five, bytes, int, float, bool]


class Fire:
    """A fire that can be burned.

    Parameters
    ----------
    landscape
        A `Landscape`, or anything that one is made from.
    weather
        A `Weather`, or anything that one is made from: of the hours from the ignition on.
    ignition
        An `Ignition`, or anything that one is made from.
    start : str, datetime or datetime64, optional
        When it starts, for the sun, and for weather with dates, which goes by it.  Where it has a
        time zone the sun goes by the longitude of the landscape.
    duration : float, optional
        Hours, where they are known.
    fuel_moisture : five numbers, optional
        Percent at the start: dead of 1, 10 and 100 h, live herbs, live wood; where not given those
        of an .input, else 6, 7, 8, 60, 90.
    conditioning, time_zone
        As of `Weather`.
    name : str, optional
        For messages and maps.
    """

    def __init__(self, landscape: LandscapeLike, weather: WeatherLike, ignition: IgnitionLike, *,
                 start: Optional[StartLike] = None, duration: Optional[float] = None,
                 fuel_moisture: Optional[Five] = None, fuels: Optional[Path] = None,
                 conditioning: Optional[float] = None, time_zone: Optional[str] = None,
                 name: str = "fire"):
        self._make(landscape_of(landscape, fuels),
                   weather_of(weather, start, conditioning, time_zone), ignition, duration,
                   fuel_moisture, name)

    def _make(self, landscape: Landscape, weather: Weather, ignition: IgnitionLike,
              duration: Optional[float], fuel_moisture: Optional[Five], name: str) -> None:
        self.weather, self.name, self.split = weather, name, ""
        self.landscape = landscape if weather.station_elevation is None else \
            landscape._at_station(weather.station_elevation)
        self.ignition: Optional[Ignition] = ignition_of(ignition)
        self.duration = math.inf if duration is None else _positive("duration", duration)
        self.fuel_moisture = _moistures(weather.fuel_moisture or MOISTURE if fuel_moisture is None
                                        else fuel_moisture)
        self.start: Moment = moment_of(weather.start, landscape.longitude, weather._zone)
        self._lit = self.ignition._on(self.landscape, self.weather.start)
        self._truth: Optional[Callable[[Array], None]] = None
        self._observed = False

    @classmethod
    def _of(cls, landscape: Landscape, row: Told, split: str, lit: Lit,
            truth: Optional[Callable[[Array], None]]) -> "Fire":
        """A fire of a folder."""
        self = cls.__new__(cls)
        (self.name, _, _, self.duration, month, day, hour, self.fuel_moisture, raw, earlier,
         sun_ahead) = row
        self.landscape, self.split, self._lit, self._truth = landscape, split, lit, truth
        self._observed = False
        self.ignition = Ignition.cell(lit.row, lit.col) if lit.row >= 0 else None
        self.weather = Weather._of(raw, earlier, (month, day, hour))
        self.start = moment_of(self.weather.start, math.nan)._replace(sun_ahead=sun_ahead)
        return self

    @property
    def cell(self) -> Optional[Tuple[int, int]]:
        """Row and column of the ignition; None where it is not one cell."""
        return (self._lit.row, self._lit.col) if self._lit.row >= 0 else None

    def _native(self) -> NativeFire:
        return (self.name, self._lit.row, self._lit.col, self.duration, self.start.month,
                self.start.day, self.start.hour, self.fuel_moisture, self.weather._raw,
                self.weather._earlier, self.start.sun_ahead, self._observed)

    def _refuse_beyond(self, t_max: Optional[float]) -> None:
        """Weather with dates ends."""
        if t_max is not None and self.weather.dated and t_max > self.weather.hours:
            raise ArgumentError(f"t_max is {t_max:g} h, and the weather of {self.name} ends after "
                                f"{self.weather.hours} h, expected at most that")

    def _notes(self) -> Dict[str, Note]:
        return {"units": "h", "start": self.start.text, "time_zone": self.start.zone,
                "fire": self.name}

    @property
    def has_arrival(self) -> bool:
        """Whether its true times are known: of a fire of a scene, or one that was observed."""
        return self._truth is not None

    def arrival(self) -> "Map":
        """Its true times, h; infinity where it did not come."""
        if self._truth is None:
            raise ArgumentError(f"{self.name}: has no true times")
        T = self.landscape.grid.plane()
        self._truth(T)
        return dress(T, self.landscape.grid, "arrival_h", self._notes())

    def __repr__(self) -> str:
        return f"<Fire {self.name!r} with {self.weather.hours} hours of weather>"


def _positive(name: str, value: float) -> float:
    hours = number_of(value, name)
    if not hours > 0:
        raise ArgumentError(f"{name} is {hours:g}, expected hours > 0")
    return hours


def _moistures(values: object) -> Five:
    try:
        a, b, c, d, e = (float(v) for v in values)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise ArgumentError(f"fuel_moisture is {values!r}, expected five percentages, e.g. "
                            f"{MOISTURE}") from None
    if not (all(0.1 <= v <= 100 for v in (a, b, c)) and all(0.1 <= v <= 400 for v in (d, e))):
        raise ArgumentError(f"fuel_moisture is {values!r}, expected dead fuel 0.1 to 100 and live "
                            "fuel 0.1 to 400 percent")
    return a, b, c, d, e


FireLike = Union[Fire, LandscapeLike]


def fire_of(fire: FireLike, weather: Optional[WeatherLike], ignition: Optional[IgnitionLike],
            start: Optional[StartLike], duration: Optional[float],
            fuel_moisture: Optional[Five], fuels: Optional[Path],
            conditioning: Optional[float] = None, time_zone: Optional[str] = None,
            t_max: Optional[float] = None) -> Fire:
    """A Fire as it is, or one of what functions are given instead."""
    if isinstance(fire, (Scene, Observed)):
        raise ArgumentError(f"{fire!r} holds fires: give one of them, e.g. scene['f0001'] or "
                            "observed.fire")
    if isinstance(fire, Fire):
        given = [name for name, value in (
            ("weather", weather), ("ignition", ignition), ("start", start), ("duration", duration),
            ("fuel_moisture", fuel_moisture), ("fuels", fuels), ("conditioning", conditioning),
            ("time_zone", time_zone)) if value is not None]
        if given:
            raise ArgumentError(f"{given[0]} belongs to the fire: Fire(..., {given[0]}=...)")
        fire._refuse_beyond(t_max)
        return fire
    if weather is None or ignition is None:
        raise ArgumentError("give a Fire, or a landscape with weather and ignition")
    made: Fire = Fire.__new__(Fire)
    made._make(landscape_of(fire, fuels),
               weather_of(weather, start, conditioning, time_zone, until=t_max), ignition, duration,
               fuel_moisture, "fire")
    made._refuse_beyond(t_max)
    return made


# ---- folders ---------------------------------------------------------------------------

class Scene(Mapping[str, Fire]):
    """The fires of a scene, by name: a folder with landscape.tif, fires.csv and weather/
    (docs/fire-data.md).

    Parameters
    ----------
    folder : path
    fuels : path, optional
        Custom fuel models; they come before those of scene.json and the published ones.
    """

    def __init__(self, folder: Path, *, fuels: Optional[Path] = None):
        self.folder = path_text("folder", folder)
        ground = native.open_scene(self.folder, None if fuels is None else path_text("fuels", fuels), None)
        self.landscape = Landscape._of(ground)
        self._fires: Dict[str, Fire] = {}
        for i, (row, split, has_arrival, sources) in enumerate(ground.fires()):
            truth = _truth_of(ground, i) if has_arrival else None
            lit = Lit(row[1], row[2], None) if sources is None else Lit(-1, -1, sources)
            self._fires[row[0]] = Fire._of(self.landscape, row, split, lit, truth)

    def __getitem__(self, name: str) -> Fire:
        try:
            return self._fires[name]
        except KeyError:
            raise KeyError(f"{self.folder} has no fire {name!r}; there are "
                           f"{', '.join(list(self._fires)[:8])}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._fires)

    def __len__(self) -> int:
        return len(self._fires)

    def of_split(self, split: str) -> List[Fire]:
        """Fires with this word in the column split: train, val, test."""
        return [fire for fire in self._fires.values() if fire.split == split]

    def read_times(self, path: Path) -> "Map":
        """Times of any raster on the grid of the scene, hours; infinity where it has no data."""
        T = self.landscape.grid.plane()
        self.landscape._ground.times(path_text("path", path), T)
        return dress(T, self.landscape.grid, "arrival_h", {"units": "h"})

    def __repr__(self) -> str:
        return f"<Scene {self.folder!r} with {len(self)} fires>"


def _truth_of(ground: native.Ground, i: int) -> Callable[[Array], None]:
    return lambda T: ground.arrival(i, T)


class Observed:
    """A real fire with dated perimeters: a folder with landscape.tif, perimeters.gpkg and weather
    (docs/fire-data.md).

    Parameters
    ----------
    folder : path
    fuels : path, optional
    fuel_moisture : five numbers, optional
        Percent at the start; 6, 7, 8, 60, 90.
    """

    def __init__(self, folder: Path, *, fuels: Optional[Path] = None,
                 fuel_moisture: Optional[Five] = None):
        self.folder = path_text("folder", folder)
        ground = native.open_observed(self.folder, None if fuels is None else path_text("fuels", fuels),
                                      None if fuel_moisture is None else _moistures(fuel_moisture))
        self.landscape = Landscape._of(ground)
        (row, _, _, _), = ground.fires()
        sources = ground.start()
        lit = Lit(row[1], row[2], None) if sources is None else Lit(-1, -1, sources)
        self.fire = Fire._of(self.landscape, row, "", lit, ground.seen)
        self.fire._observed = True
        self.fire.name = os.path.basename(os.path.normpath(self.folder))
        self.dates: List[Tuple[str, float, int]] = ground.dates()
        """Of each perimeter its date, hours since the first, and cells; NaN where not known."""

    def __repr__(self) -> str:
        return f"<Observed {self.folder!r} with {len(self.dates)} perimeters>"


def simulate(folder: Path, *, fires: int = 6, seed: int = 1, shape: Tuple[int, int] = (200, 200),
             cell: float = 30.0, finer: int = 2,
             progress: Progress = None) -> Scene:
    """Makes up a scene: terrain, fuels, weather, and fires with their arrival times.

    The same seed gives the same scene, that of ``zermelo fire simulate``.

    >>> import tempfile, zermelo.fire
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     scene = zermelo.fire.simulate(folder, fires=2, shape=(60, 70), seed=3)
    ...     sorted(scene), scene.landscape.shape
    (['f0001', 'f0002'], (60, 70))
    """
    try:
        rows, cols = shape
    except (TypeError, ValueError):
        raise ArgumentError(f"shape is {shape!r}, expected (rows, cols)") from None
    rows, cols = whole_number("shape[0]", rows), whole_number("shape[1]", cols)
    fires, finer = whole_number("fires", fires), whole_number("finer", finer)
    cell = number_of(cell, "cell")
    check_progress(progress)
    with watched(progress, "simulate") as tell:
        native.simulate(path_text("folder", folder), seed_of(seed), rows, cols, cell, fires, finer, tell)
    return Scene(folder)


__all__ = ["Fire", "FireLike", "Five", "Observed", "Scene", "fire_of", "simulate"]
