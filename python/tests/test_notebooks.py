# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from top to bottom, and are kept without what they put out."""
import importlib.machinery
import importlib.util
import json
import re
import unittest

from _common import ROOT, main

loader = importlib.machinery.SourceFileLoader("notebooks", str(ROOT / "tools/notebooks"))
notebooks = importlib.util.module_from_spec(importlib.util.spec_from_loader("notebooks", loader))
loader.exec_module(notebooks)


class Notebooks(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreaterEqual(len(notebooks.names()), 3)

    def test_they_are_kept_without_outputs(self):
        for name in notebooks.names():
            text = (notebooks.FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
            with self.subTest(name):
                for cell in json.loads(text)["cells"]:
                    self.assertFalse(cell.get("outputs"))
                    self.assertIsNone(cell.get("execution_count"))
                self.assertLess(len(text), 30_000)

    def test_links_between_them_lead_somewhere(self):
        for name in notebooks.names():
            text = (notebooks.FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
            for target in re.findall(r"\]\((\w+)\.ipynb\)", text):
                self.assertIn(target, notebooks.names(), name)


def add(name):
    lacking = notebooks.missing(name)

    @unittest.skipIf(lacking, f"needs {', '.join(lacking)} (tools/install-deps torch)")
    def test(self):
        notebook = notebooks.execute(name)
        pictures = [output for cell in notebook.cells for output in cell.get("outputs", [])
                    if "image/png" in output.get("data", {})]
        self.assertGreaterEqual(len(pictures), 2)
        warned = [output["text"] for cell in notebook.cells for output in cell.get("outputs", [])
                  if output.get("name") == "stderr"]
        self.assertEqual(warned, [])
    setattr(Notebooks, f"test_{name}", test)


for each in notebooks.names():
    add(each)

if __name__ == "__main__":
    main()
