# SPDX-License-Identifier: Apache-2.0
"""What the tests of the tool share.  ZERMELO is the tool to be tested."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: this python has no numpy")
    sys.exit(77)

TOOL = os.environ.get("ZERMELO") or shutil.which("zermelo")
if not TOOL:
    print("skipped: set ZERMELO to the tool")
    sys.exit(77)
TOOL = os.path.abspath(TOOL)
ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTED = tuple(  # by the tool's help
    verb for verb in ("solve", "gradient", "tangent", "path", "invert", "reproduce", "convert", "info", "view")
    if f"\n  {verb} " in subprocess.run([TOOL, "--help"], capture_output=True, text=True).stdout)
GROUPS = ("fire",)  # of verbs


def is_beside_the_tool(program):
    return (pathlib.Path(TOOL).resolve().parent / program).exists()


HAS_FIRE = is_beside_the_tool("zermelo-fire")
HAS_VIEW = is_beside_the_tool("zermelo-view")
VERBS = tuple(verb for verb in LISTED
              if verb not in ("reproduce", "view") or is_beside_the_tool(f"zermelo-{verb}"))
NOBODY = 65534


def stop_ignoring_signals():
    """What was started in the background ignores Ctrl-C, and so would the tool."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)


def user_who_cannot_write(test):
    """Arguments of subprocess.run for a user bound by permissions, which root is not."""
    if os.geteuid() != 0:
        return {}
    try:
        subprocess.run([TOOL, "--version"], capture_output=True, check=True, user=NOBODY)
    except (OSError, subprocess.CalledProcessError):
        test.skipTest("running as root, and nobody cannot run the tool")
    return {"user": NOBODY}


def options_in(text):
    return set(re.findall(r"^  (--[a-z0-9-]+)", text, re.M))


def svg_colors(picture):
    """All colours of an SVG picture, as "#rrggbb", in their order."""
    parts = re.findall(r"rgb\(([\d.]+)%, *([\d.]+)%, *([\d.]+)%\)", picture)
    return ["#" + "".join(f"{round(float(part) * 2.55):02x}" for part in color) for color in parts]


def many_fires(scene, n):
    """Makes n fires, all like the first, of a scene."""
    table = scene / "fires.csv"
    head, first = table.read_text().splitlines()[:2]
    rest = first.split(",", 1)[1]
    table.write_text("\n".join([head] + [f"g{k:05},{rest}" for k in range(n)]) + "\n")


class ToolTest(unittest.TestCase):
    """Each test works in a directory of its own, where file names are relative."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="zermelo-cli-")
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)

    def save(self, name, array):
        np.save(self.dir / name, array)
        return name

    def load(self, name):
        return np.load(self.dir / name)

    def files(self):
        return sorted(p.name for p in self.dir.iterdir())

    def start(self, *args, **more):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([TOOL, *map(str, args)], cwd=self.dir, text=True, **(pipes | more))

    def zermelo(self, *args, status=0, **more):
        """Runs the tool and insists on its exit status."""
        run = subprocess.run([TOOL, *map(str, args)], cwd=self.dir, text=True, timeout=240,
                             capture_output="stdout" not in more, **more)
        self.assertEqual(run.returncode, status,
                         f"zermelo {' '.join(map(str, args))}\n{run.stdout}{run.stderr}")
        return run

    def stops_with_maps(self, n, *args):
        """Ctrl-C amid a run of n maps into `maps`: the tool says how many are there."""
        run = self.start(*args, "--out", "maps", preexec_fn=stop_ignoring_signals)
        while run.poll() is None and len(list(self.dir.glob("maps/*.tif"))) < 3:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        message = run.communicate(timeout=60)[1]
        self.assertEqual(run.returncode, 130, message)
        written = len(list(self.dir.glob("maps/*.tif")))
        self.assertIn(f"{written} of {n} maps are written", message)

    def refuses(self, status, says, *args):
        """The tool fails with one line on standard error that contains `says`."""
        run = self.zermelo(*args, status=status)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("zermelo"), run.stderr)
        self.assertIn(says, run.stderr)

    def solve(self, *args):
        """Arrival times and report."""
        run = self.zermelo("solve", "--out", "T.npy", "--json", "-", "--quiet", *args)
        return self.load("T.npy"), json.loads(run.stdout)


def metric(rows, cols, g11=1.0, g12=0.0, g22=1.0, dtype=np.float64):
    return np.stack([np.full((rows, cols), v, dtype) for v in (g11, g12, g22)])


def drift(rows, cols, b1, b2, dtype=np.float64):
    return np.stack([np.full((rows, cols), v, dtype) for v in (b1, b2)])


def smooth_problem(rows, cols, seed=1):
    """A smooth positive definite metric and a feasible drift."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:rows, 0:cols] / max(rows, cols)
    waves = [sum(rng.normal() * np.cos(2 * np.pi * (rng.normal() * x + rng.normal() * y) + k)
                 for k in range(3)) / 3 for _ in range(5)]
    g11, g22 = np.exp(0.3 * waves[0]), np.exp(0.3 * waves[1])
    g12 = 0.2 * np.tanh(waves[2])
    return np.stack([g11, g12, g22]), 0.2 * np.tanh(np.stack(waves[3:]))


def main():
    """Runs the tests of a file and counts them on the last line."""
    program = unittest.main(module="__main__", exit=False)
    result = program.result
    bad, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    print(f"{result.testsRun - bad - skipped} passed, {bad} failed, {skipped} skipped")
    sys.exit(bad != 0)
