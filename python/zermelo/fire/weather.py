# SPDX-License-Identifier: Apache-2.0
"""Weather of the hours of a fire: from files and pandas' DataFrames."""
from __future__ import annotations

import datetime
import os
import re
from typing import TYPE_CHECKING, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from .._core import ArgumentError, Error
from .._types import Array
from ._native import assume, native

if TYPE_CHECKING:
    import pandas

WeatherLike = Union["Weather", str, "os.PathLike[str]", "pandas.DataFrame",
                    Mapping[str, "np.typing.ArrayLike"]]
StartLike = Union[str, datetime.datetime, np.datetime64]

COLUMNS = ("temperature_c", "relative_humidity_pct", "wind_speed_kmh", "wind_dir_deg", "cloud_pct",
           "precip_mm")
USUAL = ("25 C", "30 %", "", "", "0 %", "0 mm")
# What a column may be of that is not named as ours: nothing of it may be passed over.
OF_WEATHER = re.compile(r"temp|humid|rh(_|$)|wind|cloud|rain|precip|gust", re.I)
HOUR = datetime.timedelta(hours=1)


class Moment(NamedTuple):
    """When a fire starts, in local time of its place."""

    month: int
    day: int
    hour: float
    text: str  # as it was given
    zone: str  # how it came to be local


class Weather:
    """Weather of the hours from an ignition on; the last one holds for ever.

    Parameters
    ----------
    source
        A path to a table as of a scene (.csv) or a FARSITE weather stream (.wxs); a DataFrame, or
        a mapping of columns: ``wind_speed_kmh`` (10 m above open ground), ``wind_dir_deg`` (where
        it comes from), and where they are known ``temperature_c``, ``relative_humidity_pct``,
        ``cloud_pct``, ``precip_mm``.  A DatetimeIndex must have a row every hour.
    start : str, datetime or datetime64, optional
        When the fire starts, ``"07-21T14:30"`` or with a year, with or without a time zone; it
        must be in a DatetimeIndex, whose earlier rows are left out.  Else that of the source.
    """

    def __init__(self, source: WeatherLike, start: Optional[StartLike] = None):
        if isinstance(source, Weather):
            raise ArgumentError("source is a Weather already")
        self.start: Optional[Union[Tuple[int, int, float], datetime.datetime]] = None
        if isinstance(source, (str, os.PathLike)):
            raw, month, day, hour, assumed = native.weather_read(os.fspath(source))
            if month:
                self.start = (month, day, hour)
            _tell_assumed(assumed)
        else:
            raw, first = _read_columns(source, start)
            self.start = first
        if start is not None and not isinstance(self.start, datetime.datetime):
            self.start = start_of(start)
        self._raw = raw

    @property
    def hours(self) -> int:
        """How many there are."""
        return len(self._raw) // (8 * len(COLUMNS))

    @property
    def values(self) -> Array:
        """A row an hour, with columns as of `Weather.columns`; read-only."""
        return np.frombuffer(self._raw, dtype=np.float64).reshape(-1, len(COLUMNS))

    columns = COLUMNS
    """Names of the columns, with their units."""

    def __repr__(self) -> str:
        return f"<Weather of {self.hours} hours>"


def weather_of(value: WeatherLike, start: Optional[StartLike]) -> Weather:
    """A Weather as it is, or one of anything that it is made from."""
    if not isinstance(value, Weather):
        return Weather(value, start)
    if start is None:
        return value
    if isinstance(value.start, datetime.datetime):
        raise ArgumentError("start belongs to the weather, whose rows it chooses: "
                            "Weather(table, start=...)")
    copy: Weather = Weather.__new__(Weather)
    copy._raw, copy.start = value._raw, start_of(start)
    return copy


def _tell_assumed(assumed: int) -> None:
    gone = [f"{COLUMNS[k]}: taken as {USUAL[k]}" for k in range(len(COLUMNS)) if assumed >> k & 1]
    if gone:
        assume("weather has no " + ", no ".join(gone))


# ---- columns ---------------------------------------------------------------------------

def _read_columns(source: Mapping[str, object], start: Optional[StartLike]
                  ) -> Tuple[bytes, Optional[datetime.datetime]]:
    """The hours from the start on, and when that was where an index tells."""
    if not hasattr(source, "keys") or not hasattr(source, "__getitem__"):
        raise TypeError(f"weather is a {type(source).__name__}, expected a path, a DataFrame or a "
                        "mapping of columns")
    names = [str(name) for name in source.keys()]
    _refuse_units(names)
    _refuse_times(source, names)
    columns = {name: _column(source[name], name) for name in names if name in (*COLUMNS, "hour")}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ArgumentError(f"weather: columns of different lengths, {lengths}")
    index = getattr(source, "index", None)
    times = _times_of(index) if index is not None else None
    skip, first = 0, None
    if times:
        skip = _position(times, start)
        first = times[skip]
        columns = {name: values[skip:] for name, values in columns.items() if name != "hour"}
    if lengths and not max(lengths.values()):
        raise ArgumentError(f"weather has columns of shape (0,), {', '.join(lengths)}: expected at "
                            "least one row, an hour")
    try:
        raw, _, _, _, assumed = native.weather_text(_table(columns), "weather")
    except Error as error:
        _explain(error, skip)
        raise
    _tell_assumed(assumed)
    return raw, first


def _explain(error: Error, skip: int) -> None:
    """Says the row where the library names the line of its text."""
    found = re.fullmatch(r"weather, line (\d+), column (\w+): '(.*?)(?:\.0)?', (.*)", str(error))
    if found:
        line, column, value, bound = found.groups()
        raise ArgumentError(f"weather: {column} is {value} in row {int(line) - 2 + skip}, {bound}"
                            ) from None


def _refuse_units(names: List[str]) -> None:
    """Names that are nearly ours: another unit, or none."""
    strange = [name for name in names if name not in COLUMNS and OF_WEATHER.search(name)]
    if strange:
        raise ArgumentError(
            f"weather has columns {', '.join(map(repr, strange))}, whose meaning or unit is not "
            f"told; those that are read are {', '.join(COLUMNS)}: convert and rename what is "
            "meant, drop the others")


def _refuse_times(source: Mapping[str, object], names: List[str]) -> None:
    """Times that would be passed over: rows would be taken as hours, whatever they say."""
    for name in names:
        if str(getattr(source[name], "dtype", "")).startswith(("datetime64", "period")):
            raise ArgumentError(f"weather: column {name!r} holds times; make it the index, "
                                f"e.g. .set_index({name!r}), or drop it: rows are then hours")


def _column(values: object, name: str) -> Array:
    a: Array = np.asarray(values)
    if a.ndim != 1 or a.dtype.kind not in "iuf":
        raise ArgumentError(f"weather: {name} has shape {a.shape} and dtype {a.dtype}, expected a "
                            "column of numbers")
    a = a.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(a))
    if bad.size:
        raise ArgumentError(f"weather: {name} is {a[bad[0]]} in row {bad[0]}; fill gaps first, "
                            "e.g. with .interpolate()")
    return a


def _table(columns: Dict[str, Array]) -> bytes:
    """The text that the library reads, whose numbers keep every bit and whose line k is row
    k - 2."""
    lines = [",".join(columns)]
    lines += [",".join(map(repr, row)) for row in zip(*(a.tolist() for a in columns.values()))]
    return ("\n".join(lines) + "\n").encode("ascii")


# ---- times -----------------------------------------------------------------------------

def _times_of(index: object) -> Optional[List[datetime.datetime]]:
    """Of a DatetimeIndex, an hour apart; None for an index of another kind."""
    to_datetime = getattr(index, "to_pydatetime", None)
    if to_datetime is None:
        if np.asarray(index).dtype.kind not in "iu":
            raise ArgumentError(f"weather: an index of {getattr(index, 'dtype', type(index))}, "
                                "expected times (a DatetimeIndex) or none: "
                                ".reset_index(drop=True) makes rows hours")
        return None
    times: List[datetime.datetime] = list(to_datetime())
    for k in range(1, len(times)):
        if times[k] - times[k - 1] != HOUR:
            raise ArgumentError(f"weather: {times[k - 1]} is followed by {times[k]}, expected a row "
                                "every hour; e.g. .resample('1h').interpolate()")
    return times


def _position(times: List[datetime.datetime], start: Optional[StartLike]) -> int:
    if start is None:
        return 0
    wanted = start_of(start)
    if isinstance(wanted, tuple):
        month, day, hour = wanted
        found = [k for k, t in enumerate(times)
                 if (t.month, t.day) == (month, day) and _hour_of(t) == hour]
        if len(found) > 1:
            raise ArgumentError(f"start {start!r} is several times in the weather, first "
                                f"{times[found[0]]} and {times[found[1]]}; say the year")
    else:
        if (wanted.tzinfo is None) != (times[0].tzinfo is None):
            naive, aware = ("start", "the weather") if wanted.tzinfo is None else \
                ("the weather", "start")
            raise ArgumentError(f"{naive} has no time zone and {aware} has one: start {wanted}, "
                                f"weather from {times[0]}; give both one, or neither")
        found = [k for k, t in enumerate(times) if t == wanted]
    if not found:
        raise ArgumentError(f"start {start!r} is not among the hours of the weather, {times[0]} to "
                            f"{times[-1]} every hour; take one of these, or resample the weather "
                            "to begin with it")
    return found[0]


def _hour_of(t: datetime.datetime) -> float:
    return t.hour + (t.minute + (t.second + t.microsecond / 1e6) / 60) / 60.0


def start_of(value: StartLike) -> Union[Tuple[int, int, float], datetime.datetime]:
    """(month, day, hour) of a text without a year, else a datetime."""
    if isinstance(value, str):
        short = re.fullmatch(r"(\d\d)-(\d\d)T(\d\d)(?::(\d\d))?", value)
        try:
            if short:
                month, day, hour, minute = (int(word or 0) for word in short.groups())
                datetime.datetime(2001 if (month, day) != (2, 29) else 2000, month, day, hour,
                                  minute)
                return month, day, hour + minute / 60.0
            return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            raise ArgumentError(f"start is {value!r}, expected MM-DDThh:mm, e.g. '07-21T14:30', or "
                                "with a year, '2024-07-21T14:30'") from None
    if isinstance(value, np.datetime64):
        found: object = value.astype("datetime64[us]").item()
    else:
        to_datetime = getattr(value, "to_pydatetime", None)  # of a pandas.Timestamp
        found = to_datetime() if to_datetime else value
    if not isinstance(found, datetime.datetime):
        raise ArgumentError(f"start is {value!r}, expected a text like '07-21T14:30', a datetime "
                            "or a datetime64")
    return found


def moment_of(start: Optional[Union[Tuple[int, int, float], datetime.datetime]], longitude: float
              ) -> Moment:
    """Local time at a longitude: what has a time zone is brought to local mean solar time, which
    the model's sun goes by; what has none is taken as local."""
    if start is None:
        assume("the start of the fire is not told: taken as 1 July, 12 h")
        return Moment(7, 1, 12.0, "07-01T12:00", "assumed")
    if isinstance(start, tuple):
        month, day, hour = start
        minutes = round(hour * 60)
        text = f"{month:02d}-{day:02d}T{minutes // 60:02d}:{minutes % 60:02d}"
        return Moment(month, day, hour, text, "local, as given")
    text = start.isoformat()
    if start.tzinfo is None:
        return Moment(start.month, start.day, _hour_of(start), text, "local, as given")
    if np.isnan(longitude):
        assume(f"the longitude of the landscape is not known: the start {text} is taken as local "
               "time")
        return Moment(start.month, start.day, _hour_of(start), text, "local, as given")
    sun = start.astimezone(datetime.timezone.utc) + longitude / 15 * HOUR
    return Moment(sun.month, sun.day, _hour_of(sun), text,
                  f"brought to local mean solar time, {sun:%m-%dT%H:%M}")
