# SPDX-License-Identifier: Apache-2.0
"""One call that fails somewhere (memory, write, close, rename) changes the status or nothing.

Every run has one failing call.  Whatever happens, each output is the file that was there before or
the whole new one, no temporary file is left, and a status of 0 means that all outputs are as
they are without the failure.  Memory that our own code asks for and does not get ends in a
message; where another library asks for it, the program may end.  ATTACK=N tries N times as many
places.
"""
import errno
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from _tool import HAS_FIRE, TOOL, ToolTest, main, np  # noqa: E402

INJECT = os.environ.get("ZERMELO_INJECT", "")
WRITE_MAPS = os.environ.get("ZERMELO_WRITE_MAPS", "")
MORE = int(os.environ.get("ATTACK", "1"))
CHECKPOINT = "c.npy"
OLD = b"what was there before"


class InjectedFailures(ToolTest):
    def setUp(self):
        super().setUp()
        if not INJECT:
            self.skipTest("this build has nothing to preload")
        self.random = np.random.default_rng(7)
        self.save("g.npy", 1 + self.random.random((30, 40)))

    def run_injected(self, args, what, n, error=errno.ENOSPC, program=TOOL):
        environment = os.environ | {"LD_PRELOAD": INJECT, "INJECT": f"{what}:{n}:{int(error)}",
                                    "INJECT_COUNT": str(self.dir / "count"),
                                    "OGR_CURRENT_DATE": "2020-01-01T00:00:00.000Z"}  # of a GeoPackage
        return subprocess.run([program, *args], cwd=self.dir, text=True, timeout=240,
                              capture_output=True, env=environment)

    def calls(self, args, what):
        run = self.run_injected(args, what, 0)
        self.assertEqual(run.returncode, 0, run.stderr)
        return int((self.dir / "count").read_text())

    def outputs(self, names):
        return {name: (self.dir / name).read_bytes() if (self.dir / name).exists() else None
                for name in names}

    def restore(self, names, folders):
        for folder in folders:
            shutil.rmtree(self.dir / folder, ignore_errors=True)
        for name in names:
            path = self.dir / name
            if path.parent == self.dir:
                path.write_bytes(OLD)

    def check(self, run, names, whole, place):
        says = f"{place}: status {run.returncode}\n{run.stderr}"
        now = self.outputs(names)
        if run.returncode == 0:
            self.assertEqual({n for n in names if now[n] != whole[n]}, set(), says)
        else:
            self.assertEqual(run.returncode, 1, says)
            self.assertIn("zermelo", run.stderr, says)
        for name in names:
            if name == CHECKPOINT and now[name] not in (None, OLD):  # maybe an earlier one
                self.assertTrue(np.isfinite(self.load(name)).any(), says)
            else:
                self.assertIn(now[name], (None, OLD, whole[name]), f"{name} is damaged, {says}")
        self.assertEqual([str(p) for p in self.dir.rglob("*.tmp")], [], says)

    def attack(self, args, names, places, folders=()):
        self.restore((), folders)
        self.zermelo(*args)
        whole = self.outputs(names)
        self.assertNotIn(None, whole.values())
        for what in "ours", "fwrite", "fclose", "fsync", "rename", "open":
            self.restore(names, folders)
            count = self.calls(args, what)
            self.assertGreater(count, 0, what)
            some = min(count, MORE * places)
            for n in sorted(set(1 + self.random.choice(count, some, replace=False))):
                self.restore(names, folders)
                error = errno.ENOMEM if what in ("ours", "malloc") else errno.ENOSPC
                self.check(self.run_injected(args, what, n, error), names, whole, f"{what} {n}")

    def test_maps_are_whole_where_another_library_lacks_memory(self):
        """GDAL and what it uses leave out some words without telling, so maps are read back after
        they were closed: with status 0 they say what they would have said."""
        if not WRITE_MAPS:
            self.skipTest("built without GDAL")
        names = ("T.tif", "i.geojson", "p.gpkg")
        run = self.run_injected((".",), "malloc", 0, program=WRITE_MAPS)
        self.assertEqual(run.returncode, 0, run.stderr)
        count, whole = int((self.dir / "count").read_text()), self.outputs(names)
        for name in names:
            (self.dir / f"whole.{name}").write_bytes(whole[name])
        places = sorted(1 + self.random.choice(count, min(count, MORE * 250), replace=False))
        for n in places:
            self.restore(names, ())
            run = self.run_injected((".",), "malloc", n, errno.ENOMEM, program=WRITE_MAPS)
            now = self.outputs(names)
            for name in names:
                if now[name] in (whole[name], OLD):
                    self.assertFalse(run.returncode == 0 and now[name] == OLD, f"{name} at {n}")
                    continue
                same = subprocess.run([WRITE_MAPS, "same", name, f"whole.{name}"], cwd=self.dir)
                self.assertEqual(same.returncode, 0, f"{name} at {n}")

    def test_solve(self):
        self.attack(("solve", "--metric", "g.npy", "--source", "3,4", "--quiet", "--out", "T.npy",
                     "--json", "r.json"), ("T.npy",), 30)

    def test_gradient(self):
        self.save("c.npy", np.ones((30, 40)))
        self.attack(("gradient", "--metric", "g.npy", "--source", "3,4", "--quiet", "--cotangent",
                     "c.npy", "--out-metric", "dG.npy"), ("dG.npy",), 30)

    def test_convert(self):
        self.attack(("convert", "--from", "ellipse", "--head", "2", "--flank", "0.6", "--back",
                     "0.2", "--heading", "45", "--shape", "20,30", "--out-metric", "G.npy",
                     "--out-drift", "b.npy"), ("G.npy", "b.npy"), 20)

    def test_invert(self):
        rows = [f"{r},{c},{abs(r - 4) + abs(c - 4)}.5" for r in range(0, 9, 2) for c in range(0, 9, 2)]
        (self.dir / "o.csv").write_text("\n".join(["row,col,time", *rows]) + "\n")
        self.attack(("invert", "--observations", "o.csv", "--shape", "9,9", "--source", "4,4",
                     "--max-iterations", "2", "--checkpoint", CHECKPOINT, "--quiet", "--out-metric",
                     "G.npy"), ("G.npy", CHECKPOINT), 30)

    def scene(self):
        if not HAS_FIRE:
            self.skipTest("zermelo-fire was not built")
        self.zermelo("fire", "simulate", "--out", "v", "--fires", "1", "--shape", "40,40", "--quiet")
        return next((self.dir / "v" / "arrival").glob("*.tif")).stem

    def test_fire_physics(self):
        fire = self.scene()
        self.attack(("fire", "physics", "--scene", "v", "--out", "maps", "--isochrones",
                     "i.geojson", "--quiet"), ("i.geojson", f"maps/{fire}.tif"), 40, ("maps",))

    def test_fire_simulate(self):
        fire = self.scene()
        self.attack(("fire", "simulate", "--out", "w", "--fires", "1", "--shape", "40,40", "--quiet"),
                    ("w/landscape.tif", "w/fires.csv", "w/scene.json", f"w/arrival/{fire}.tif"), 40,
                    ("w",))


if __name__ == "__main__":
    main()
