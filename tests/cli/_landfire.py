# SPDX-License-Identifier: Apache-2.0
"""Files as an analyst has them, made up: a LANDFIRE-like GeoTIFF, weather of a station."""
import math
import struct

NAMES = ("US_ELEV2020", "US_SLPD2020", "US_ASP2020", "US_220F40_22", "US_220CC_22", "US_220CH_22",
         "US_220CBH_22", "US_220CBD_22")
ROWS, COLS = 90, 100
UTM_12N, WGS_84 = 32612, 4326


def hills(rows, cols, fuel=102):
    """Values of the eight layers in LANDFIRE's units, by name of the product."""
    planes = [[] for _ in NAMES]
    for r in range(rows):
        for c in range(cols):
            x, y = c / 17, r / 13
            slope = 12 * abs(math.cos(x))
            values = (1600 + 80 * math.sin(x) + 50 * math.cos(y), slope, (r * 7 + c * 3) % 360, fuel,
                      35, 120, 8, 9)
            for plane, value in zip(planes, values):
                plane.append(int(value))
    return planes


def geotiff(path, planes, rows=ROWS, cols=COLS, names=NAMES, epsg=UTM_12N, corner=(500000, 4900000),
            cell=30.0):
    """A plain GeoTIFF: int16, one strip a band, names as GDAL has them."""
    text = "".join(f'<Item name="DESCRIPTION" sample="{k}" role="description">{name}</Item>'
                   for k, name in enumerate(names))
    metadata = f"<GDALMetadata>{text}</GDALMetadata>".encode() + b"\0"
    degrees = epsg == WGS_84
    keys = (1, 1, 0, 3, 1024, 0, 1, 2 if degrees else 1, 1025, 0, 1, 1,
            2048 if degrees else 3072, 0, 1, epsg)
    n = len(planes)
    bands = b"".join(struct.pack(f"<{rows * cols}h", *plane) for plane in planes)
    extra = {
        258: struct.pack(f"<{n}H", *[16] * n), 273: None, 279: struct.pack(f"<{n}I", *[2 * rows * cols] * n),
        339: struct.pack(f"<{n}H", *[2] * n), 33550: struct.pack("<3d", cell, cell, 0),
        33922: struct.pack("<6d", 0, 0, 0, *corner, 0), 34735: struct.pack(f"<{len(keys)}H", *keys),
        42112: metadata}
    kinds = {258: 3, 273: 4, 279: 4, 339: 3, 33550: 12, 33922: 12, 34735: 3, 42112: 2}
    sizes = {2: 1, 3: 2, 4: 4, 12: 8}
    entries = {256: (4, 1, cols), 257: (4, 1, rows), 259: (3, 1, 1), 262: (3, 1, 1), 277: (3, 1, n),
               278: (4, 1, rows), 284: (3, 1, 2)}
    if n > 1:
        extra[338] = struct.pack(f"<{n - 1}H", *[0] * (n - 1))
        kinds[338] = 3
    begin = 8 + 2 + 12 * (len(entries) + len(extra)) + 4
    extra[273] = b"\0" * 4 * n
    where, blob = {}, b""
    for tag in sorted(extra):
        where[tag] = begin + len(blob)
        blob += extra[tag] + b"\0" * (-len(extra[tag]) % 8)
    data = begin + len(blob)
    strips = struct.pack(f"<{n}I", *[data + 2 * k * rows * cols for k in range(n)])
    at = where[273] - begin
    blob = blob[:at] + strips + blob[at + len(strips):]
    table = b""
    for tag in sorted({**entries, **extra}):
        if tag in entries:
            kind, count, value = entries[tag]
            table += struct.pack("<HHII", tag, kind, count, value)
            continue
        kind, bytes_of = kinds[tag], extra[tag]
        count = len(bytes_of) // sizes[kind]
        if len(bytes_of) <= 4:
            here = strips if tag == 273 else bytes_of
            table += struct.pack("<HHI", tag, kind, count) + here.ljust(4, b"\0")
        else:
            table += struct.pack("<HHII", tag, kind, count, where[tag])
    head = struct.pack("<2sHIH", b"II", 42, 8, len(entries) + len(extra))
    path.write_bytes(head + table + b"\0" * 4 + blob + bands)


def landfire(path, **more):
    geotiff(path, hills(more.get("rows", ROWS), more.get("cols", COLS)), **more)


def hour_of(k):
    """Temperature (F), humidity, wind (mph at 20 ft), direction of an hour of the summer."""
    phase = math.cos((k % 24 - 15) / 24 * 2 * math.pi)
    return 72 + 15 * phase, 35 - 18 * phase, 8 + 4 * phase, (230 + 5 * (k % 7)) % 360


def station(path, days=2, zone="-06:00", minutes=60):
    """Weather as FW21 has it, from 16 August 2021 on."""
    lines = ["Station,DateTime,Temperature(F),RelativeHumidity(%),Precipitation(in),WindSpeed(mph),"
             "WindAzimuth(degrees)"]
    for k in range(days * 24 * 60 // minutes):
        hours, rest = divmod(k * minutes, 60)
        t, h, speed, direction = hour_of(hours)
        lines.append(f"WEST,2021-08-{16 + hours // 24:02}T{hours % 24:02}:{rest:02}:00{zone},{t:.1f},{h:.1f},0,"
                     f"{speed:.1f},{direction}")
    path.write_text("\n".join(lines) + "\n")


def stream_lines(days=2):
    out = []
    for k in range(days * 24):
        t, h, speed, direction = hour_of(k)
        out.append(f"2021 8 {16 + k // 24} {100 * (k % 24):04} {t:.1f} {h:.1f} 0.00 {speed:.1f} {direction} 0")
    return out


def stream(path, days=2):
    path.write_text("RAWS_UNITS: English\nRAWS_ELEVATION: 5250\n"
                    "Year Mth Day Time Temp RH HrlyPcp WindSpd WindDir CloudCov\n" +
                    "\n".join(stream_lines(days)) + "\n")


def farsite_input(path, days=2, moistures=("0 5 6 7 70 95",), start="08 17 1300", end="08 17 1900",
                  conditioning="CONDITIONING_PERIOD_END: 08 17 1300\n", more=""):
    path.write_text(f"FARSITE INPUTS FILE VERSION 1.0\nFARSITE_START_TIME: {start}\nFARSITE_END_TIME: {end}\n"
                    f"FARSITE_TIMESTEP: 60\nFARSITE_DISTANCE_RES: 30.0\nFARSITE_SPOT_PROBABILITY: 0.05\n"
                    f"CROWN_FIRE_METHOD: Finney\n{conditioning}FOLIAR_MOISTURE_CONTENT: 100\n"
                    f"FUEL_MOISTURES_DATA: {len(moistures)}\n" + "\n".join(moistures) + "\n" + more +
                    f"RAWS_ELEVATION: 5250\nRAWS_UNITS: English\nRAWS: {24 * days}\n" +
                    "\n".join(stream_lines(days)) + "\n")
