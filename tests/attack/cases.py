# SPDX-License-Identifier: Apache-2.0
"""Small inputs of every kind, and command lines that read them."""
import dataclasses
import json
import os
import pathlib
import shutil
import struct
import subprocess
import zlib

import numpy as np

FUZZ = pathlib.Path(__file__).resolve().parents[1] / "fuzz"
ROWS, COLS = 9, 11


@dataclasses.dataclass
class Case:
    """A command line with the files it reads and the files it writes."""
    name: str
    args: tuple
    inputs: tuple
    outputs: tuple = ()


def seed_of_raster(name):
    return (FUZZ / "corpus_raster" / name).read_bytes()[1:]


def unpack(text, folder):
    """The files behind the lines "@NAME" of a seed."""
    parts = (b"\n" + text).split(b"\n@")[1:]
    for part in parts:
        name, _, data = part.partition(b"\n")
        (folder / name.decode()).write_bytes(data)


class Inputs:
    """Makes the inputs in a folder; `cases` are those that this tool can run."""

    def __init__(self, tool, folder):
        self.tool, self.folder = str(tool), folder
        self.has_fire = (pathlib.Path(tool).resolve().parent / "zermelo-fire").exists()
        self.has_learn = self.has_fire and "train" in self.run("fire", "--help").stdout
        self.arrays()
        if self.has_fire:
            self.fires()
        self.cases = self.eikonal() + (self.fire() if self.has_fire else [])
        if self.has_learn:
            self.cases += self.learn()

    def run(self, *args, check=True):
        return subprocess.run([self.tool, *map(str, args)], cwd=self.folder, text=True,
                              capture_output=True, check=check, stdin=subprocess.DEVNULL)

    def save(self, name, values, dtype=np.float64):
        np.save(self.folder / name, np.asarray(values, dtype))

    def arrays(self):
        random = np.random.default_rng(5)
        plane = 1 + random.random((ROWS, COLS))
        self.save("G.npy", [plane, 0.2 * plane, 1.5 * plane], np.float32)
        self.save("g.npy", plane)
        self.save("b.npy", 0.1 * random.standard_normal((2, ROWS, COLS)))
        for name, cells in (("mask", [(1, 1), (7, 9)]), ("walls", [(2, 7), (3, 7)]), ("aim", [(8, 8)])):
            array = np.zeros((ROWS, COLS))
            array[tuple(zip(*cells))] = 1
            self.save(f"{name}.npy", array, np.uint8)
        self.save("c.npy", random.random((ROWS, COLS)))
        self.save("rate.npy", 1 + plane)
        times = np.hypot(*np.mgrid[-4:ROWS - 4, -5:COLS - 5])
        self.save("times.npy", np.where(random.random((ROWS, COLS)) < 0.5, times, np.nan))
        lines = [f"{r},{c},{times[r, c]:.3f},0.1" for r in range(0, ROWS, 2) for c in range(0, COLS, 2)
                 if times[r, c]]
        (self.folder / "o.csv").write_text("\n".join(["row,col,time,sigma", *lines]) + "\n")
        self.run("invert", "--observations", "o.csv", "--shape", f"{ROWS},{COLS}", "--source", "4,5",
                 "--max-iterations", 3, "--max-solves", 3, "--walls", "walls.npy", "--checkpoint", "check",
                 "--quiet", "--out-metric", "found.npy")

    def fires(self):
        self.run("fire", "simulate", "--out", "data/v", "--fires", 3, "--shape", "40,40", "--seed", 3,
                 "--quiet")
        scene = self.folder / "data/v"
        for name in ("landscape", "landfire", "farsite", "ascii", "netcdf", "imagine", "png", "jpeg"):
            ending = {"farsite": "lcp", "ascii": "asc", "netcdf": "nc", "imagine": "img", "png": "png",
                      "jpeg": "jpg"}.get(name, "tif")
            (self.folder / f"{name}.{ending}").write_bytes(seed_of_raster(name))
        for name in ("geojson", "gpkg", "shp", "kml"):
            unpack((FUZZ / "corpus_perimeters" / name).read_bytes(), self.folder)
        (self.folder / "w.wxs").write_text("ENGLISH\n" + "".join(
            f"2013 8 17 {h}00 80 25 0.00 10 270 10\n" for h in range(13, 16)))
        for name in ("input", "mesowest"):  # below the line of what the fuzz target cuts out of them
            text = (FUZZ / "corpus_weather" / name).read_bytes()
            (self.folder / f"{name}.weather").write_bytes(text.partition(b"\n")[2])
        (self.folder / "fuels.fmd").write_bytes((FUZZ / "corpus_fuel_text/two.fmd").read_bytes())
        self.run("fire", "import", "--landscape", "landscape.tif", "--out", "ground")
        observed = self.folder / "seen"
        observed.mkdir()
        for name in ("landscape.tif", "scene.json"):
            shutil.copy(scene / name, observed)
        shutil.copy(scene / "weather/f0001.csv", observed / "weather.csv")
        self.outline()
        (observed / "ignition.json").write_text('{"ignition_row": 20, "ignition_col": 20}')
        self.tree()
        self.run("fire", "calibrate", "--scene", "data/v", "--out", "fit.json", "--quiet", check=False)

    def outline(self):
        """Perimeters of two dates: isochrones of a fire of the scene."""
        self.run("fire", "info", "data/v", "--fire", "f0001", "--isochrones", "lines.geojson")
        lines = json.loads((self.folder / "lines.geojson").read_text())
        edge = lines["features"][1]["geometry"]["coordinates"]
        while isinstance(edge[0][0], list):  # to the first ring of the first polygon
            edge = edge[0]
        (self.folder / "assets.geojson").write_text(json.dumps({**lines, "features": [
            {"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": edge[:4]}},
            {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": edge[0]}}]}))
        features = [lines["features"][k] for k in (0, -1)]
        for feature, date in zip(features, ("2013-09-02T12:00", "2013-09-02T16:00")):
            feature["properties"] = {"observed": date}
        lines["features"] = features
        (self.folder / "seen/perimeters.geojson").write_text(json.dumps(lines))

    def tree(self):
        """A scene of Sim2Real-Fire."""
        spot = np.hypot(*np.mgrid[-4:ROWS - 4, -5:COLS - 5])
        for name, values in (("Fuel/US_FBFM40.tif", 102 + 0 * spot), ("Topography/US_ELEV.tif", 400 + spot),
                             ("Masks/f1/out0.png", 255 * (spot < 2)), ("Masks/f1/out2.png", 255 * (spot < 4))):
            path = self.folder / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(png(values) if name.endswith("png") else tiff(values))
        (self.folder / "tree/Weather").mkdir()
        shutil.copy(self.folder / "w.wxs", self.folder / "tree/Weather/w.wxs")

    def eikonal(self):
        front = ("--metric", "G.npy", "--drift", "b.npy", "--source", "4,5,0.5", "--walls", "walls.npy")
        read = ("G.npy", "b.npy", "walls.npy")
        return [
            Case("solve", ("solve", *front, "--source-mask", "mask.npy", "--targets", "aim.npy", "--out",
                           "T.npy", "--residual", "r.npy", "--stencil-map", "s.npy", "--json", "o.json"),
                 (*read, "mask.npy", "aim.npy"), ("T.npy", "r.npy", "s.npy", "o.json")),
            Case("gradient", ("gradient", *front, "--cotangent", "c.npy", "--out-metric", "dG.npy",
                              "--out-drift", "db.npy"), (*read, "c.npy"), ("dG.npy", "db.npy")),
            Case("tangent", ("tangent", *front, "--d-metric", "G.npy", "--out", "dT.npy"), read, ("dT.npy",)),
            Case("path", ("path", *front, "--to", "0,0", "--to", "7.5,2", "--out", "p.npy", "--flow",
                          "f.npy", "--labels", "l.npy"), read, ("p.npy", "f.npy", "l.npy")),
            Case("invert", ("invert", "--observations", "o.csv", "--shape", f"{ROWS},{COLS}", "--source",
                            "4,5", "--max-iterations", "3", "--checkpoint", "check", "--resume",
                            "--walls", "walls.npy", "--out-metric", "M.npy"),
                 ("o.csv", "check", "walls.npy"), ("M.npy", "check")),
            Case("invert times", ("invert", "--observations", "times.npy", "--source", "4,5",
                                  "--max-iterations", "2", "--start-metric", "g.npy", "--out-metric",
                                  "M.npy"), ("times.npy", "g.npy"), ("M.npy",)),
            Case("convert", ("convert", "--from", "ellipse", "--head", "rate.npy", "--flank", "0.6",
                             "--back", "0.2", "--heading", "45", "--out-metric", "H.npy", "--out-drift",
                             "w.npy"), ("rate.npy",), ("H.npy", "w.npy")),
            Case("info", ("info", "G.npy", "--drift", "b.npy"), ("G.npy", "b.npy")),
        ]

    def fire(self):
        v, o = "data/v/", "seen/"
        scene = (v + "landscape.tif", v + "scene.json", v + "fires.csv", v + "weather/f0001.csv",
                 v + "arrival/f0001.tif")
        observed = (o + "landscape.tif", o + "scene.json", o + "perimeters.geojson", o + "ignition.json",
                    o + "weather.csv")
        cases = [
            Case("fire info", ("fire", "info", "data/v", "--fire", "f0001", "--json", "i.json"), scene,
                 ("i.json",)),
            Case("fire info observed", ("fire", "info", "seen"), observed),
            Case("fire physics", ("fire", "physics", "--scene", "data/v", "--fire", "f0001", "--out", "maps",
                                  "--isochrones", "iso.geojson", "--fuels", "fuels.fmd"),
                 (*scene, "fuels.fmd"), ("maps/f0001.tif", "iso.geojson")),
            Case("fire physics observed", ("fire", "physics", "--observed", "seen", "--out", "maps"),
                 observed),
            Case("fire score", ("fire", "score", "--scene", "data/v", "--predicted", "data/v/arrival",
                                "--json", "i.json"), scene, ("i.json",)),
            Case("fire import tree", ("fire", "import", "--sim2real", "tree", "--out", "made"),
                 ("tree/Fuel/US_FBFM40.tif", "tree/Topography/US_ELEV.tif", "tree/Masks/f1/out0.png",
                  "tree/Masks/f1/out2.png", "tree/Weather/w.wxs")),
            Case("fire import weather", ("fire", "import", "--landscape", "farsite.lcp", "--weather",
                                         "w.wxs", "--ignition", "3,3", "--fuels", "fuels.fmd", "--out",
                                         "made"), ("farsite.lcp", "w.wxs", "fuels.fmd")),
        ]
        for name, start in (("input", ()), ("mesowest", ("--start", "2013-08-17T13:53-06:00"))):
            cases.append(Case(f"fire import {name}", (
                "fire", "import", "--landscape", "farsite.lcp", "--weather", f"{name}.weather", "--ignition",
                "3,3", *start, "--out", "made"), (f"{name}.weather",)))
        burning = ("--scene", "data/v", "--fire", "f0001", "--members", "2", "--quiet", "--json", "i.json")
        cases += [
            Case("fire sensitivity", ("fire", "physics", "--scene", "data/v", "--fire", "f0001", "--crown",
                                      "scott-reinhardt", "--sensitivity", "assets.geojson", "--out", "maps"),
                 ("assets.geojson", v + "landscape.tif"), ("maps/f0001.tif",)),
            Case("fire ensemble", ("fire", "ensemble", *burning, "--out", "maps"), scene,
                 ("maps/probability.tif", "i.json")),
            Case("fire protect", ("fire", "protect", *burning, "--assets", "assets.geojson", "--cells", "3",
                                  "--rounds", "1", "--no-markers", "--out", "maps"),
                 ("assets.geojson", v + "scene.json"), ("maps/break.tif", "i.json")),
        ]
        if (self.folder / "fit.json").exists():
            cases.append(Case("fire calibration", ("fire", "physics", "--scene", "data/v", "--fire", "f0001",
                                                   "--calibration", "fit.json", "--out", "maps"),
                              ("fit.json",), ("maps/f0001.tif",)))
        for name in ("landscape.tif", "landfire.tif", "farsite.lcp", "ascii.asc", "netcdf.nc", "imagine.img",
                     "png.png", "jpeg.jpg"):
            cases.append(Case(f"fire import {name}", ("fire", "import", "--landscape", name, "--out", "made"),
                              (name,)))
        for name in ("p.geojson", "p.gpkg", "p.shp", "p.kml"):
            read = (name, "p.dbf", "p.shx") if name == "p.shp" else (name,)
            cases.append(Case(f"fire import {name}", ("fire", "import", "--perimeters", name, "--out",
                                                      "ground"), (*read, "ground/landscape.tif"),
                              ("ground/perimeters.gpkg",)))
        return cases

    def learn(self):
        train = ("fire", "train", "--data", "data", "--batch", "2", "--hidden", "4", "--layers", "0",
                 "--mean-weather", "--model", "m", "--epochs")
        self.run(*train, 1, "--quiet")
        return [
            Case("fire train", (*train, "2", "--resume", "--log", "log"),
                 ("m", "m.state", "data/v/arrival/f0001.tif"), ("m", "m.state")),
            Case("fire predict", ("fire", "predict", "--scene", "data/v", "--fire", "f0001", "--model", "m",
                                  "--out", "maps"), ("m", "data/v/weather/f0001.csv"), ("maps/f0001.tif",)),
            Case("fire evaluate", ("fire", "evaluate", "--data", "data", "--model", "m", 
                                   "--json", "i.json"), ("m", "data/v/landscape.tif"), ("i.json",)),
        ]


def tiff(values):
    """One band of float32 with square cells of 30 m."""
    rows, cols = values.shape
    data = values.astype("<f4").tobytes()
    doubles = struct.pack("<9d", 30, 30, 0, 0, 0, 0, 500000, 4500000, 0)
    fields = ((256, 3, 1, cols), (257, 3, 1, rows), (258, 3, 1, 32), (259, 3, 1, 1), (262, 3, 1, 1),
              (273, 4, 1, 0), (277, 3, 1, 1), (278, 3, 1, rows), (279, 4, 1, len(data)), (339, 3, 1, 3),
              (33550, 12, 3, 0), (33922, 12, 6, 24))
    end = 8 + 2 + 12 * len(fields) + 4
    at = {273: end + len(doubles), 33550: end, 33922: end + 24}
    table = b"".join(struct.pack("<HHII", tag, kind, n, at.get(tag, value)) for tag, kind, n, value in fields)
    return struct.pack("<2sHIH", b"II", 42, 8, len(fields)) + table + bytes(4) + doubles + data


def png(values):
    """A grey picture."""
    rows, cols = values.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + row.tobytes() for row in values.astype(np.uint8))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", cols, rows, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def copy_of(inputs, folder):
    """The folder of inputs as it was made, for a run that may change it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(inputs.folder, folder, symlinks=True)
    return folder


def environment(**more):
    return {**os.environ, "OMP_NUM_THREADS": "1", **{k: str(v) for k, v in more.items()}}
