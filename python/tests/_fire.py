# SPDX-License-Identifier: Apache-2.0
"""What the tests of zermelo.fire share: a synthetic scene, and the tool beside it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

from _common import ROOT, main

try:
    import zermelo.fire as fire
except ImportError as missing:
    print(f"0 passed, 0 failed, 1 skipped\nskipped: {missing}")
    sys.exit(0)


def has(*names):
    import importlib.util
    return all(importlib.util.find_spec(name) for name in names)


def find_tool():
    """The tool that was built last, or $ZERMELO; None: there is none."""
    if os.environ.get("ZERMELO"):
        return os.path.abspath(os.environ["ZERMELO"])
    built = [p for p in ROOT.glob("build/*/bin/zermelo") if (p.parent / "zermelo-fire").exists()]
    built.sort(key=lambda p: p.stat().st_mtime)
    return str(built[-1]) if built else shutil.which("zermelo")


TOOL = find_tool()
NO_TOOL = "no tool to compare with; build it, or set ZERMELO"


class SceneCase(unittest.TestCase):
    """Tests on one synthetic scene, in a folder that they may write to."""

    fires, shape, seed = 4, (50, 60), 3

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.scene = fire.simulate(cls.folder / "valley", fires=cls.fires, shape=cls.shape,
                                  seed=cls.seed)
        cls.one = cls.scene["f0001"]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def tool(self, verb, *options, quiet=True):
        """Runs a verb of zermelo fire in the folder of the test."""
        if TOOL is None:
            self.skipTest(NO_TOOL)
        words = [TOOL, "fire", verb, *map(str, options), *(["--quiet"] if quiet else [])]
        done = subprocess.run(words, cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


def quietly(function, *args, **keywords):
    """The result, without warnings of what is taken for granted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fire.AssumedWarning)
        return function(*args, **keywords)


__all__ = ["ROOT", "SceneCase", "TOOL", "fire", "has", "main", "quietly"]
