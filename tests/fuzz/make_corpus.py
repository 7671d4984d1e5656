#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the fuzz targets that read other formats than text: small files of each.

    tests/fuzz/make_corpus.py

The first byte of a seed of fuzz_raster is the place of its name in the target's list.  Seeds of
fuzz_perimeters, fuzz_scene, fuzz_observed and fuzz_sim2real are files behind "@NAME" lines.
The first line of a seed of fuzz_weather is what is cut out of the file below it.
"""
import json
import pathlib
import sqlite3
import struct
import tempfile

import fiona
import numpy as np
import rasterio
import rasterio.shutil
from rasterio.transform import Affine
from shapely.geometry import (LineString, MultiPoint, MultiPolygon, Point, Polygon, box, mapping)

HERE = pathlib.Path(__file__).resolve().parent
ROWS, COLS = 6, 8
WHERE = Affine(30, 0, 500000, 0, -30, 4500000)
LAYERS = {"elevation_m": 400, "slope_deg": 10, "aspect_deg": 90, "fuel_model": 102,
          "canopy_cover_pct": 30, "canopy_height_m": 10, "canopy_base_height_m": 2,
          "canopy_bulk_density_kgm3": 0.1}


def planes(bands, dtype):
    values = list(LAYERS.values())
    rows, cols = np.mgrid[:ROWS, :COLS]
    return np.stack([(values[b % 8] + (rows + cols if b == 0 else 0)) * np.ones((ROWS, COLS))
                     for b in range(bands)]).astype(dtype)


def raster(path, driver, bands, dtype, **options):
    """Writes one; drivers that only copy get a copy of a GeoTIFF."""
    made = path if driver == "GTiff" else path.with_suffix(".made")
    with rasterio.open(made, "w", driver="GTiff", width=COLS, height=ROWS, count=bands,
                       dtype=dtype, transform=WHERE, crs=options.pop("crs", None),
                       nodata=options.pop("nodata", None), **options) as file:
        file.write(planes(bands, dtype))
        if bands == 8:
            file.descriptions = tuple(LAYERS)
    if made != path:
        rasterio.shutil.copy(made, path, driver=driver)
    return path.read_bytes()


def lcp():
    """A FARSITE landscape: header of 7316 bytes, five layers of 16-bit numbers."""
    values = planes(5, np.int16)
    head = bytearray(7316)
    struct.pack_into("<3i", head, 0, 20, 20, 41)  # crown, ground fuels; latitude
    struct.pack_into("<4d", head, 12, 500000 + 30 * COLS, 500000, 4500000, 4500000 - 30 * ROWS)
    for b in range(5):
        at = 44 + 412 * b
        struct.pack_into("<3i", head, at, int(values[b].min()), int(values[b].max()), 1)
        struct.pack_into("<i", head, at + 12, int(values[b].min()))
    struct.pack_into("<2i", head, 4164, COLS, ROWS)
    struct.pack_into("<4d", head, 4172, 500000 + 30 * COLS, 500000, 4500000, 4500000 - 30 * ROWS)
    struct.pack_into("<i", head, 4204, 0)
    struct.pack_into("<2d", head, 4208, 30, 30)
    struct.pack_into("<5h", head, 4224, 0, 0, 2, 0, 1)  # metres, degrees, azimuth, -, percent
    return bytes(head) + values.transpose(1, 2, 0).astype("<i2").tobytes()


def make_rasters(folder, tmp):
    seeds = {"landscape": (0, raster(tmp / "a.tif", "GTiff", 8, "float32", nodata=-9999,
                                     compress="deflate")),
             "utm": (0, raster(tmp / "b.tif", "GTiff", 1, "float32", crs="EPSG:32629")),
             "landfire": (0, raster(tmp / "c.tif", "GTiff", 5, "int16", nodata=32767)),
             "tiled": (0, raster(tmp / "d.tif", "GTiff", 1, "uint8", tiled=True, blockxsize=16,
                                 blockysize=16, compress="lzw")),
             "farsite": (1, lcp()),
             "ascii": (2, raster(tmp / "a.asc", "AAIGrid", 1, "int16")),
             "imagine": (4, raster(tmp / "a.img", "HFA", 1, "uint8")),
             "png": (5, raster(tmp / "a.png", "PNG", 1, "uint8")),
             "jpeg": (6, raster(tmp / "a.jpg", "JPEG", 1, "uint8"))}
    if "netCDF" in rasterio.drivers.raster_driver_extensions().values():
        seeds["netcdf"] = (3, raster(tmp / "a.nc", "netCDF", 1, "float32"))
    for name, (kind, data) in seeds.items():
        (folder / name).write_bytes(bytes([kind]) + data)


def packed(folder, names):
    return b"\n".join(b"@" + name.encode() + b"\n" + (folder / name).read_bytes()
                      for name in names)


def make_shapes(folder):
    """Geometries as well-known binary and GeoJSON, near the landscape of fuzz_fire_shapes."""
    triangle, hole = [(1100, 4930), (1300, 4930), (1300, 4700)], [(1200, 4900), (1250, 4900), (1250, 4850)]
    shapes = {
        "point": Point(1105, 4925), "points": MultiPoint([(1105, 4925), (1200, 4800)]),
        "line": LineString([(1100, 4920), (1160, 4820)]),
        "far": LineString([(-1e300, 4920), (1e300, 4925)]),
        "z": LineString([(1100, 4920, 1), (1160, 4820, 2)]),
        "polygon": Polygon(triangle, [hole]),
        "polygons": MultiPolygon([box(1100, 4700, 1200, 4800)])}
    for name, shape in shapes.items():
        (folder / f"{name}.wkb").write_bytes(shape.wkb)
        (folder / f"{name}.json").write_text(json.dumps(mapping(shape)))


def make_perimeters(folder, tmp):
    def square(side, hole=False):
        x, y = 500000 + 100.0, 4500000 - 500.0
        ring = [(x, y), (x, y + side), (x + side, y + side), (x + side, y), (x, y)]
        rings = [ring]
        if hole:
            rings.append([(x + 40, y + 40), (x + 90, y + 40), (x + 90, y + 90), (x + 40, y + 40)])
        return {"type": "Polygon", "coordinates": rings}

    dates = ["2013-09-02", "2013-09-03T11:30"]
    for driver, ending, options in (("GPKG", "gpkg", {"SPATIAL_INDEX": "NO", "layer": "p"}),
                                    ("GeoJSON", "geojson", {}), ("ESRI Shapefile", "shp", {})):
        fields = {"seq": "int", "observed": "str"}
        path = tmp / f"p.{ending}"
        with fiona.open(path, "w", driver=driver, **options,
                        schema={"geometry": "Polygon", "properties": fields}) as file:
            for i, date in enumerate(dates):
                file.write({"type": "Feature", "geometry": square(200 + 150 * i, i == 1),
                            "properties": {"seq": i + 1, "observed": date}})
        names = [path.name] + (["p.shx", "p.dbf"] if ending == "shp" else [])
        if ending == "gpkg":  # small pages
            with sqlite3.connect(path) as base:
                base.executescript("PRAGMA page_size = 512; VACUUM;")
        (folder / ending).write_bytes(packed(tmp, names))
    (folder / "kml").write_text("""@p.kml
<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark>
<TimeStamp><when>2013-09-02</when></TimeStamp><Polygon><outerBoundaryIs><LinearRing><coordinates>
500100,4499500 500100,4499700 500300,4499700 500300,4499500 500100,4499500
</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>
""")


POLYGON = ('{"type": "Polygon", "coordinates": [[[500100, 4499700], [500100, 4499%d], [500300, 4499%d], '
           '[500300, 4499700], [500100, 4499700]]]}')


def geojson(dates):
    features = ", ".join(
        '{"type": "Feature", "properties": {"observed": "%s"}, "geometry": %s}'
        % (date, POLYGON % (800 + 30 * i, 800 + 30 * i)) for i, date in enumerate(dates))
    return '{"type": "FeatureCollection", "features": [%s]}' % features


def tree(files):
    return "\n".join(f"@{name}\n{text}" for name, text in files.items()) + "\n"


FACTS = """{"latitude_deg": 41.5, "station_elevation_m": 400, "custom_fuels": []}"""
FIRES = """fire,split,ignition_row,ignition_col,duration_h,start_month,start_day,start_hour
a,train,6,7,12,8,17,13
b,test,3,4,2.5,7,1,12.5"""
WEATHER = """hour,temperature_c,humidity_pct,wind_speed_kmh,wind_dir_deg,cloud_pct,rain_mm
0,25,30,12,270,0,0
1,26,28,15,275,10,0"""
STUDY = """datetime,wind_speed_mph,wind_dir_deg,cloud_pct
2013-09-02T12:00,10,270,0
2013-09-02 15:00,12,280,10
2013-09-03T09:00,8,250,20"""
DAILY = """date,temperature_min_c,temperature_max_c,relative_humidity_max_pct,relative_humidity_min_pct
2013-09-02,14,31,80,25
2013-09-03,15,33,75,20"""
STREAM = """ENGLISH
2013 8 17 1300 80 25 0.00 10 270 10
2013 8 17 1400 82 24 0.00 12 275 10
2013 8 17 1500 84 22 0.01 14 280 20"""


def make_folders():
    land = {"landscape.tif": "=landscape.tif"}
    scene = {**land, "scene.json": FACTS, "fires.csv": FIRES, "weather/a.csv": WEATHER,
             "weather/b.csv": WEATHER, "arrival/a.tif": "=arrival.tif"}
    fire = {**land, "perimeters.geojson": geojson(["2013-09-02", "2013-09-03T11:30"]),
            "ignition.json": '{"ignition_row": 5, "ignition_col": 5}'}
    fuel = {"Fuel/FBFM40.tif": "=arrival.tif", "Topography/Elev.tif": "=arrival.tif"}
    hourly = {**fuel, "Weather/w.wxs": STREAM, "Masks/f1/out0.png": "=none.png",
              "Masks/f1/out1.png": "=some.png", "Masks/f1/out2.png": "=more.png",
              "Masks/f2/out1.png": "=some.png", "Masks/f2/out3.png": "=more.png"}
    dated = {**fuel, "Weather/w.wxs": STREAM, "Masks/a_2013-09-02.png": "=some.png",
             "Masks/a_20130904.png": "=more.png"}
    seeds = {
        "scene": {"whole": scene, "least": {**land, "fires.csv": "fire,ignition_row,ignition_col\na,1,2",
                                            "weather/a.csv": "wind_speed_kmh,wind_dir_deg\n10,90"}},
        "observed": {"study": {**fire, "wind_study.csv": STUDY, "daily_study.csv": DAILY},
                     "hourly": {**fire, "weather.csv": WEATHER, "scene.json": FACTS},
                     "series": {**land, "perimeters.geojson": geojson(["2013-09-02"]),
                                "wind.csv": "datetime_label,wind_speed_kmh,wind_dir_deg\n"
                                            "18/03/25 11:15,10,90\n,12,100"}},
        "sim2real": {"hourly": hourly, "dated": dated,
                     "many": {f"{scene}/{name}": text for scene, files in (("0001", hourly), ("0002", dated))
                              for name, text in files.items()}},
    }
    for target, seed in seeds.items():
        for name, files in seed.items():
            (made(target) / name).write_text(tree(files))


RECORDS = """2013 8 17 1200 78 28 0.00 9 265 0
2013 8 17 1300 80 25 0.00 10 270 10
2013 8 17 1400 82 24 0.02 12 275 10
2013 8 17 1500 84 22 0.01 14 280 20"""
INPUT = f"""CONDITIONING_PERIOD_END: 08 17 1300
FARSITE_START_TIME: 08 17 1300
FARSITE_END_TIME: 08 17 1530
FARSITE_TIMESTEP: 30
FARSITE_BURN_PERIODS: 1
08 17 1300 1530
FOLIAR_MOISTURE_CONTENT: 100
CROWN_FIRE_METHOD: ScottReinhardt
FUEL_MOISTURES_DATA: 2
0 6 7 8 60 90
102 6 7 8 60 90
RAWS_ELEVATION: 1200
RAWS_UNITS: English
RAWS: 4
{RECORDS}"""
MESOWEST = """# STATION: KXYZ
# LATITUDE: 41.5
# ELEVATION: 5400 ft
Station_ID,Date_Time,air_temp_set_1,relative_humidity_set_1,wind_speed_set_1,wind_direction_set_1,wind_gust_set_1
,,Celsius,%,m/s,Degrees,m/s
KXYZ,2013-08-17T12:53:00-0600,25.0,30,3.1,270,6
KXYZ,2013-08-17T13:53:00-0600,26.1,28.5,3.6,280,
KXYZ,2013-08-17T14:53:00-0600,27,101,4.1,290,7"""


def make_weather():
    """Files of weather of every form, below the line of what is cut out of them."""
    stream = "RAWS_ELEVATION: 900\nRAWS_UNITS: Metric\nRAWS: 4\n" + RECORDS
    seeds = {
        "table": ("- 0 0", WEATHER), "earlier": ("- 0 1", "hour,wind_speed_kmh,wind_dir_deg\n-1,9,90\n0,10,91"),
        "stream": ("08-17T13:00 2 1", stream), "stream_english": ("- 0 0", STREAM.partition("\n")[2]),
        "input": ("- 0 5", INPUT), "mesowest": ("2013-08-17T14:00-06 1 1", MESOWEST),
        "raws": ("08-17T13 1.5 0", "date,time_utc,temp_f,rh,wind_spd_mph,wind_dir,precip_in\n"
                                   "8/17/2013,1:00 PM,80,25,10,270,0\n8/17/2013,2:00 PM,81,24,11,275,0.1"),
        "fw21": ("2013-08-17T13:00Z 2 1", "Station,DateTime,Temperature(F),RelativeHumidity(%),Precipitation(in),"
                 "WindSpeed(mph),WindAzimuth(degrees)\na,2013-08-17T12:00:00Z,80,25,0,10,270\n"
                 "a,2013-08-17T13:00:00Z,80,25,0,10,270\na,2013-08-17T14:00:00+01:00,80,25,0,10,270"),
        "fms": ("- 0 0", "0 6 7 8 60 90\n1 6 7 8 60 90"), "wtr": ("- 0 0", "ENGLISH\n8 17 0 500 1400 50 80 80 20 4000"),
        "leap_day": ("2013-02-29T12:00 1 0", stream),
    }
    for name, (line, text) in seeds.items():
        (made("weather") / name).write_text(f"{line}\n{text}\n")


def make_assets():
    """Points and lines for the reader of cells."""
    shapes = [Point(500105, 4499905), LineString([(500100, 4499920), (500160, 4499820)])]
    (made("perimeters") / "assets").write_text(tree({"p.geojson": json.dumps(
        {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {}, "geometry": mapping(shape)} for shape in shapes]})}))


def made(target):
    folder = HERE / f"corpus_{target}"
    folder.mkdir(exist_ok=True)
    return folder


def make_numbers():
    """Numbers that replace others in states: none, one by one, and odd ones."""
    for target, places in (("checkpoint", range(27)), ("train_state", range(16))):
        folder = made(target)
        (folder / "as_it_is").write_bytes(b"\0")
        for value in (-1.0, 0.0, 1e300, float("nan"), 3.0, 2147483647.0):
            data = b"".join(struct.pack("<Hd", place, value) for place in (6, 7, 1, 0))
            (folder / f"head_{value:g}").write_bytes(b"\0" + data)
    for method in range(5):
        (made("checkpoint") / f"method_{method}").write_bytes(bytes([method]))


def make_words():
    words = {"solve": (0, "--metric g.npy --source 3,4 --source 1,2,0.5 --out T.npy --threads all"),
             "gradient": (1, "--metric g.npy --source 3,4 --cotangent c.npy --out-metric d.npy"),
             "path": (3, "--metric=g.npy --source 3,4 --to 5.5,6 --out p.npy --json -"),
             "invert": (4, "--observations o.csv --shape 9,9 --source 0:4,4 --lambda 1e-3 --checkpoint c "
                           "--resume --out-metric G.npy"),
             "convert": (5, "--from ellipse --head 2 --flank 0.6 --back 0.2 --heading 45 --shape 20,30 "
                            "--out-metric G.npy --out-drift b.npy"),
             "import": (8, "--landscape l.tif --out o --start 07-03T17:00"),
             "train": (14, "--data d --out m --epochs 3 --rate 1e-3 --form physics"),
             "operands": (6, "a.npy -- --b.npy"),
             "physics": (10, "--scene s --fire a --crown scott-reinhardt --out o"),
             "risk": (20, "--scene s --fire a --members 8 --out o"),
             "forecast": (21, "--observed o --out f --state s.json"),
             "origin": (22, "--observed o --out f --json -"),
             "protect": (19, "--scene s --fire a --assets a.geojson --cells 9 --allowed b.gpkg --out o")}
    for name, (verb, text) in words.items():
        (made("options") / name).write_bytes(bytes([verb]) + "\n".join(text.split()).encode())
    for i, text in enumerate(("2013-09-02", "2011-08-26T09:43:12", "2013/9/2 7:30", "20130902",
                              "18/03/25 11:15", "mask_20130902.png", "out12.jpg", "07-03T17:30")):
        (made("dates") / str(i)).write_text(text)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        make_rasters(made("raster"), tmp)
        make_perimeters(made("perimeters"), tmp)
        make_shapes(made("fire_shapes"))
        make_assets()
    make_folders()
    make_weather()
    make_numbers()
    make_words()


if __name__ == "__main__":
    main()
