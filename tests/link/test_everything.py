# SPDX-License-Identifier: Apache-2.0
"""Everything linked into one program, without a shared library of ours, runs."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: this python has no numpy")
    sys.exit(77)

PROGRAM = pathlib.Path(os.environ["ZM_BINARY_DIR"], "tests/link/everything")
if not PROGRAM.exists():
    print("skipped: only where all parts are built")
    sys.exit(77)


class Everything(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def run_all(self, *commands):
        for command in commands:
            run = subprocess.run([PROGRAM, *command.split()], cwd=self.dir, capture_output=True,
                                 text=True)
            self.assertEqual(run.returncode, 0, command + run.stderr)

    def test_it_needs_none_of_our_libraries(self):
        needed = subprocess.run(["readelf", "-d", PROGRAM], check=True, capture_output=True,
                                text=True).stdout
        self.assertNotIn("libzermelo", needed)

    def test_it_solves_writes_and_draws(self):
        np.save(self.dir / "g.npy", np.ones((21, 21)))
        self.run_all("solve --metric g.npy --source 10,10 --out T.npy --plot T.png")
        self.assertAlmostEqual(np.load(self.dir / "T.npy")[10, 20], 10)
        self.assertGreater((self.dir / "T.png").stat().st_size, 1000)
        self.run_all("view T.npy --metric g.npy --out page.html --quiet")
        self.assertIn("<!doctype html>", (self.dir / "page.html").read_text(encoding="utf-8"))

    def test_it_burns_and_learns(self):
        self.run_all("fire simulate --out data/valley --shape 60,60 --fires 3 --quiet",
                     "fire physics --scene data/valley --out physics --quiet",
                     "view data/valley physics --out page.html --quiet",
                     "fire train --data data --model fire.safetensors --epochs 1 --quiet",
                     "fire predict --model fire.safetensors --scene data/valley --out times --quiet")

    def test_it_runs_an_experiment_of_the_paper(self):
        self.run_all("reproduce isotropic --quick --quiet --out report")
        self.assertTrue((self.dir / "report/results.json").exists())


if __name__ == "__main__":
    unittest.main()
