# SPDX-License-Identifier: Apache-2.0
"""Weather of the hours of a fire: from files and pandas' DataFrames."""
from __future__ import annotations

import copy
import datetime
import math
import os
import re
import zoneinfo
from typing import TYPE_CHECKING, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union, cast

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
Five = Tuple[float, float, float, float, float]
Start = Union[Tuple[int, int, float], datetime.datetime]
"""(month, day, hour), or with a year."""

USUAL = ("25 C", "30 %", "", "", "0 %", "0 mm")
# What a column may be of that is not named as ours: nothing of it may be passed over.
OF_WEATHER = re.compile(r"temp|humid|rh(_|$)|wind|cloud|rain|precip|gust", re.I)
HOUR = datetime.timedelta(hours=1)
MOST_EARLIER = 2400  # hours, of the library


class Moment(NamedTuple):
    """When a fire starts, on the clock on which it was told."""

    month: int
    day: int
    hour: float
    text: str  # as it was given
    zone: str  # of the clock
    sun_ahead: float = 0.0  # hours that mean solar time is ahead of it


class Weather:
    """Weather of the hours from an ignition on; the last one holds for ever.

    Parameters
    ----------
    source
        A path to a table as of a scene, or to what others have: FARSITE's streams (.wxs) and .input,
        tables of stations (docs/fire-data.md); a DataFrame, or a mapping of columns:
        ``wind_speed_kmh`` (10 m above open ground), ``wind_dir_deg`` (where it comes from), and
        where they are known ``temperature_c``, ``relative_humidity_pct``, ``cloud_pct``,
        ``precip_mm``.  A DatetimeIndex must have a row every hour.
    start : str, datetime or datetime64, optional
        When the fire starts, ``"07-21T14:30"`` or with a year, with or without a time zone.  Weather
        with dates goes by it: it must have the start, which of a DatetimeIndex is one of its rows.
        Where not given that of a stream, an .input or a DatetimeIndex.
    conditioning : hours, optional
        How much of the weather before the start dead fuel goes through first; where not given all
        of it, of an .input its conditioning period.
    time_zone : str, optional
        Of times that do not tell theirs, of `start` and of the weather: ``"Z"``, ``"-06:00"``, or a
        name such as ``"America/Denver"``, whose daylight saving counts.
    """

    def __init__(self, source: WeatherLike, start: Optional[StartLike] = None, *,
                 conditioning: Optional[float] = None, time_zone: Optional[str] = None):
        if isinstance(source, Weather):
            raise ArgumentError("source is a Weather already")
        self._take(source, start, conditioning, time_zone, None)

    def _take(self, source: WeatherLike, start: Optional[StartLike], conditioning: Optional[float],
              time_zone: Optional[str], until: Optional[float]) -> None:
        """until: hours of it that are needed, where that is known."""
        self.start: Optional[Start] = None
        self.dated = False
        """Whether it ends with its last hour: the last one of a table holds for ever."""
        self.fuel_moisture: Optional[Five] = None
        """Fuel moisture that an .input tells."""
        self.station_elevation: Optional[float] = None
        """Metres, where the weather tells where it was measured."""
        self._zone = time_zone
        most = _conditioning(conditioning)
        wanted = None if start is None else in_zone(start_of(start), time_zone)
        if isinstance(source, (str, os.PathLike)):
            self._read(os.fspath(source), wanted, most, time_zone, until)
        else:
            self._raw, self._earlier, first = _read_columns(
                cast(Mapping[str, object], source), wanted, most, time_zone)
            self.start = first or wanted

    def _read(self, path: str, start: Optional[Start], most: float, time_zone: Optional[str],
              until: Optional[float]) -> None:
        ahead = math.nan if time_zone is None else zone_ahead(time_zone, start)
        try:
            found = native.weather_read(path, _native_time(start, ahead), ahead, until or 0.0, most)
        except Error as error:  # whose words for arguments are the tool's
            error.args = (str(error).replace("--start", "start=").replace("--time-zone", "time_zone="),)
            raise
        raw, self._earlier, first, dated, assumed, elevation, moisture, unused = found
        self._raw, self.dated, self.fuel_moisture = raw, bool(dated), moisture
        self.start = _moment_told(first) or start
        self.station_elevation = None if math.isnan(elevation) else elevation
        _tell_assumed(assumed)
        if unused:
            assume(f"settings of the .input that are not used: {unused}")

    @classmethod
    def _of(cls, raw: bytes, earlier: int, start: Start) -> "Weather":
        """The weather of a fire of a folder."""
        self = cls.__new__(cls)
        self._raw, self._earlier, self.start = raw, earlier, start
        self.dated, self._zone = False, None
        self.fuel_moisture = self.station_elevation = None
        return self

    @property
    def hours(self) -> int:
        """How many there are from the start on."""
        return len(self._raw) // (8 * len(COLUMNS)) - self._earlier

    @property
    def values(self) -> Array:
        """A row an hour from the start on, with columns as of `Weather.columns`; read-only."""
        return self._rows()[self._earlier:]

    @property
    def earlier(self) -> Array:
        """The hours before the start that the fuel goes through first, the last just before it."""
        return self._rows()[:self._earlier]

    def _rows(self) -> Array:
        return np.frombuffer(self._raw, dtype=np.float64).reshape(-1, len(COLUMNS))

    columns = COLUMNS
    """Names of the columns, with their units."""

    def __repr__(self) -> str:
        return f"<Weather of {self.hours} hours>"


def weather_of(value: WeatherLike, start: Optional[StartLike], conditioning: Optional[float] = None,
               time_zone: Optional[str] = None, until: Optional[float] = None) -> Weather:
    """A Weather as it is, or one of anything that it is made from."""
    if not isinstance(value, Weather):
        made: Weather = Weather.__new__(Weather)
        made._take(value, start, conditioning, time_zone, until)
        return made
    if conditioning is not None or time_zone is not None:
        name = "time_zone" if conditioning is None else "conditioning"
        raise ArgumentError(f"{name} belongs to the weather: Weather(source, {name}=...)")
    if start is None:
        return value
    if isinstance(value.start, datetime.datetime):
        raise ArgumentError("start belongs to the weather, whose rows it chooses: "
                            "Weather(table, start=...)")
    copied: Weather = copy.copy(value)
    copied.start = in_zone(start_of(start), value._zone)
    return copied


def _conditioning(value: Optional[float]) -> float:
    if value is None:
        return math.inf
    if not (isinstance(value, (int, float)) and value >= 0):
        raise ArgumentError(f"conditioning is {value!r}, expected hours of at least 0")
    return float(value)


def _tell_assumed(assumed: int) -> None:
    gone = [f"{COLUMNS[k]}: taken as {USUAL[k]}" for k in range(len(COLUMNS)) if assumed >> k & 1]
    if gone:
        assume("weather has no " + ", no ".join(gone))


# ---- columns ---------------------------------------------------------------------------

def _read_columns(source: Mapping[str, object], start: Optional[Start], most: float, time_zone: Optional[str]
                  ) -> Tuple[bytes, int, Optional[datetime.datetime]]:
    """The hours of conditioning and those from the start on, how many of them come before it, and
    when that was where an index tells."""
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
    times = _times_of(index, time_zone) if index is not None else None
    begin, first = _hours_before(columns), None
    if times:
        begin = _position(times, start)
        first = times[begin]
    earlier = int(min(begin, most, MOST_EARLIER))
    skip = begin - earlier
    if times or begin:
        columns = {name: values[skip:] for name, values in columns.items() if name != "hour"}
    if lengths and not max(lengths.values()):
        raise ArgumentError(f"weather has columns of shape (0,), {', '.join(lengths)}: expected at "
                            "least one row, an hour")
    try:
        raw, assumed = native.weather_text(_table(columns), "weather")
    except Error as error:
        _explain(error, skip)
        raise
    _tell_assumed(assumed)
    return raw, earlier, first


def _hours_before(columns: Dict[str, Array]) -> int:
    """How many rows come before the ignition, of a column that counts -2, -1, 0, 1, ..."""
    hours = columns.get("hour")
    if hours is None or not len(hours) or hours[0] >= 0:
        return 0
    counted = hours[0] + np.arange(len(hours))
    if hours[0] != int(hours[0]) or (hours != counted).any() or counted[-1] < 0:
        raise ArgumentError(f"weather: hour is {hours[0]:g} to {hours[-1]:g} in {len(hours)} rows, "
                            "expected every hour without gaps, and the hour 0 of the ignition")
    return int(-hours[0])


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

def _times_of(index: object, time_zone: Optional[str]) -> Optional[List[datetime.datetime]]:
    """Of a DatetimeIndex, an hour apart; None for an index of another kind."""
    to_datetime = getattr(index, "to_pydatetime", None)
    if to_datetime is None:
        if np.asarray(index).dtype.kind not in "iu":
            raise ArgumentError(f"weather: an index of {getattr(index, 'dtype', type(index))}, "
                                "expected times (a DatetimeIndex) or none: "
                                ".reset_index(drop=True) makes rows hours")
        return None
    times: List[datetime.datetime] = [_aware(t, time_zone) for t in to_datetime()]
    for k in range(1, len(times)):
        if times[k] - times[k - 1] != HOUR:
            raise ArgumentError(f"weather: {times[k - 1]} is followed by {times[k]}, expected a row "
                                "every hour; e.g. .resample('1h').interpolate()")
    return times


def _position(times: List[datetime.datetime], wanted: Optional[Start]) -> int:
    if wanted is None:
        return 0
    start = text_of(wanted)
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


# ---- time zones ------------------------------------------------------------------------

def zone_of(name: str) -> datetime.tzinfo:
    """Of Z, a distance like -06:00, or a name like America/Denver."""
    if isinstance(name, str):
        if name in ("Z", "UTC", "GMT"):
            return datetime.timezone.utc
        distance = re.fullmatch(r"([+-]?)(\d\d?)(?::?(\d\d))?", name)
        if distance:
            sign, hours, minutes = distance.groups()
            ahead = int(hours) * HOUR + int(minutes or 0) / 60 * HOUR
            if ahead < 24 * HOUR:
                return datetime.timezone(-ahead if sign == "-" else ahead)
        try:
            return zoneinfo.ZoneInfo(name)
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
            pass
    raise ArgumentError(f"time_zone is {name!r}, expected Z, a distance like '-06:00', or a name like "
                        "'America/Denver'")


def _aware(t: datetime.datetime, time_zone: Optional[str]) -> datetime.datetime:
    return t if time_zone is None or t.tzinfo is not None else t.replace(tzinfo=zone_of(time_zone))


def in_zone(start: Start, time_zone: Optional[str]) -> Start:
    """With the zone, where it does not tell its own and has a year."""
    return start if isinstance(start, tuple) else _aware(start, time_zone)


def zone_ahead(time_zone: str, start: Optional[Start]) -> float:
    """Hours that the clocks of a zone are ahead of UTC when the fire starts."""
    zone = zone_of(time_zone)
    if isinstance(start, datetime.datetime):
        found = zone.utcoffset(start.replace(tzinfo=None))
    elif isinstance(zone, datetime.timezone):
        found = zone.utcoffset(None)
    else:
        raise ArgumentError(f"time_zone {time_zone!r} has daylight saving: give start with its year, "
                            "or the distance from UTC")
    return math.nan if found is None else found / HOUR


def _ahead_of(t: datetime.datetime) -> float:
    found = t.utcoffset()
    return math.nan if found is None else found / HOUR


def _native_time(start: Optional[Start], ahead: float) -> Tuple[int, int, int, float, float]:
    """As the library takes it."""
    if start is None:
        return 0, 0, 0, 0.0, ahead
    if isinstance(start, tuple):
        return 0, *start, ahead
    own = _ahead_of(start)
    return start.year, start.month, start.day, _hour_of(start), ahead if math.isnan(own) else own


def _moment_told(told: Tuple[int, int, int, float, float]) -> Optional[Start]:
    """As the library tells it."""
    year, month, day, hour, ahead = told
    if not month:
        return None
    if not year:
        return month, day, hour
    zone = None if math.isnan(ahead) else datetime.timezone(round(60 * ahead) / 60 * HOUR)
    return datetime.datetime(year, month, day, tzinfo=zone) + hour * HOUR


# ---- the start of a fire ---------------------------------------------------------------

def text_of(start: Start) -> str:
    """As users write it."""
    if isinstance(start, datetime.datetime):
        return start.isoformat()
    month, day, hour = start
    minutes = round(hour * 60)
    return f"{month:02d}-{day:02d}T{minutes // 60:02d}:{minutes % 60:02d}"


def moment_of(start: Optional[Start], longitude: float, time_zone: Optional[str] = None) -> Moment:
    """The start of a fire at a longitude.  The model's sun goes by mean solar time, which is that
    of the clock where it does not tell its zone."""
    if start is None:
        assume("the start of the fire is not told: taken as 1 July, 12 h")
        return Moment(7, 1, 12.0, "07-01T12:00", "assumed")
    text = text_of(start)
    if isinstance(start, tuple):
        month, day, hour = start
        ahead = math.nan if time_zone is None else zone_ahead(time_zone, start)
    else:
        month, day, hour, ahead = start.month, start.day, _hour_of(start), _ahead_of(start)
    if math.isnan(ahead):
        return Moment(month, day, hour, text, "local, as given")
    if math.isnan(longitude):
        assume(f"the longitude of the landscape is not known: the start {text} is taken as local "
               "time")
        return Moment(month, day, hour, text, "local, as given")
    sun = longitude / 15 - ahead
    return Moment(month, day, hour, text, f"UTC{ahead:+g} h, mean solar time {sun:+.2f} h from it",
                  sun)
