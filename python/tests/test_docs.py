# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings and pages, example scripts, type stubs: all run or are complete."""
import contextlib
import doctest
import importlib
import inspect
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

import zermelo
from _common import ROOT, main

MODULES = ["zermelo", "zermelo._solve", "zermelo._convert", "zermelo._invert",
           "zermelo._isochrones", "zermelo._parametrise"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def has(*names):
    return all(importlib.util.find_spec(name) for name in names)


class Docs(unittest.TestCase):
    def run_module(self, name):
        outcome = doctest.testmod(importlib.import_module(name))
        self.assertEqual(outcome.failed, 0)
        self.assertGreater(outcome.attempted, 0)

    def test_docstrings(self):
        for name in MODULES:
            with self.subTest(name):
                self.run_module(name)

    @unittest.skipUnless(has("zermelo._fire"), "zermelo.fire is not built")
    def test_docstrings_of_the_fire_package(self):
        for name in "", ".fires", ".burning", ".scores":
            with self.subTest(name):
                self.run_module("zermelo.fire" + name)

    @unittest.skipUnless(has("torch"), "no torch here (Debian: python3-torch)")
    def test_docstrings_of_the_torch_module(self):
        for name in "", "._solve", "._cells", ".nn":
            with self.subTest(name):
                self.run_module("zermelo.torch" + name)

    @unittest.skipUnless(has("matplotlib"), "no matplotlib here (Debian: python3-matplotlib)")
    def test_docstrings_of_the_pictures(self):
        self.run_module("zermelo.plot")
        self.run_module("zermelo._page")

    def test_code_of_the_pages(self):
        """Blocks of a page share their names and a folder."""
        found = 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            blocks = [block for block in BLOCK.findall(page.read_text(encoding="utf-8"))
                      if all(name not in block or has(name)
                             for name in ("torch", "xarray", "matplotlib", "scipy", "jax"))]
            if page.stem == "python-fire" and not has("zermelo._fire"):
                continue
            if page.stem == "view" and not hasattr(zermelo._core, "page"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                found += len(blocks)
                self.run_blocks(page, blocks, folder)
        self.assertGreater(found, 0)

    def run_blocks(self, page, blocks, folder):
        names, here = {}, os.getcwd()
        os.chdir(folder)
        try:
            for block in blocks:
                with self.subTest(page=page.name, block=block), \
                        contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block, str(page), "exec"), names)
        finally:
            os.chdir(here)

    def test_everything_public_is_documented_and_annotated(self):
        for name in zermelo.__all__:
            thing = getattr(zermelo, name)
            with self.subTest(name):
                self.assertTrue(inspect.getdoc(thing))
                if inspect.isfunction(thing):
                    annotations = thing.__annotations__
                    self.assertEqual(set(annotations),
                                     {*inspect.signature(thing).parameters, "return"})

    def test_stub_of_the_extension_lists_what_it_has(self):
        import zermelo._core as core
        self.compare_stub(core, core.Problem, core.Solver, core.Inversion)

    @unittest.skipUnless(has("zermelo._fire"), "zermelo.fire is not built")
    def test_stub_of_the_fire_extension_lists_what_it_has(self):
        import zermelo._fire as native
        if not hasattr(native, "Model"):
            self.skipTest("zermelo.fire is built without oneDNN")
        self.compare_stub(native, native.Ground, native.Calibration, native.Model)

    def compare_stub(self, module, *types):
        stub = (ROOT / f"python/{module.__name__.replace('.', '/')}.pyi").read_text(encoding="utf-8")
        public = {name for name in dir(module) if not name.startswith("__")}
        for thing in types:
            public |= {name for name in vars(thing) if not name.startswith("__")}
        listed = set(re.findall(r"^ *(?:class|def|(?=observed:)) ?(\w+)", stub, re.M)) - {"__init__"}
        if not hasattr(zermelo._core, "page"):  # built without pages
            listed -= {"page", "page_save"}
        self.assertEqual(listed, public)

    @unittest.skipUnless(has("zermelo._fire"), "zermelo.fire is not built")
    def test_all_of_the_fire_package_is_documented_and_annotated(self):
        from zermelo import fire
        for name in fire.__all__:
            thing = getattr(fire, name)
            with self.subTest(name):
                self.assertTrue(inspect.getdoc(thing))
                if inspect.isfunction(thing):
                    self.assertEqual(set(thing.__annotations__),
                                     {*inspect.signature(thing).parameters, "return"})


class Import(unittest.TestCase):
    def test_torch_is_imported_only_when_asked_for(self):
        code = "import sys, zermelo; assert 'torch' not in sys.modules; print(zermelo.solve)"
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        with self.assertRaisesRegex(AttributeError, "no attribute 'nothing'"):
            zermelo.nothing


class Examples(unittest.TestCase):
    """Each script checks itself and exits with 0."""


def add_example(script):
    needs = [name for name in ("torch", "matplotlib")
             if re.search(rf"^(?:import|from) {name}|needs {name}", script.read_text("utf-8"), re.M)]

    @unittest.skipUnless(has(*needs), f"needs {', '.join(needs)}")
    def test(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, script, "--quick"], cwd=folder, text=True,
                                 capture_output=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
    setattr(Examples, f"test_{script.stem}", test)


for path in sorted((ROOT / "examples/python").glob("*.py")):
    add_example(path)

if __name__ == "__main__":
    main()
