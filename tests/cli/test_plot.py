# SPDX-License-Identifier: Apache-2.0
"""zermelo solve --plot draws pictures, where the tool is built with Cairo."""
import struct
import xml.etree.ElementTree as ET

from _tool import ToolTest, drift, main, np


class Plot(ToolTest):
    def setUp(self):
        super().setUp()
        if "pictures: none" in self.zermelo("info").stdout:
            self.skipTest("built without Cairo")
        walls = np.zeros((60, 80), bool)
        walls[10:40, 50] = True
        for name, array in (("g.npy", np.ones((60, 80))), ("b.npy", drift(60, 80, 0.3, 0.1)),
                            ("w.npy", walls)):
            self.save(name, array)
        self.args = ("solve", "--metric", "g.npy", "--drift", "b.npy", "--walls", "w.npy",
                     "--source", "30,20", "--spacing", "2", "--quiet", "--out", "T.npy")

    def test_png_svg_and_pdf(self):
        for dtype in "float64", "float32":
            for name in "T.png", "T.svg", "T.pdf":
                self.zermelo(*self.args, "--plot", name, "--dtype", dtype)
        png = (self.dir / "T.png").read_bytes()
        width, height = struct.unpack(">II", png[16:24])
        self.assertEqual(png[:4], b"\x89PNG")
        self.assertGreater(min(width, height), 300)
        self.assertTrue(ET.parse(self.dir / "T.svg").getroot().tag.endswith("svg"))
        self.assertEqual((self.dir / "T.pdf").read_bytes()[:5], b"%PDF-")

    def test_other_endings_are_refused_before_the_work(self):
        for name in "T.jpg", "T", "png":
            self.refuses(2, "--plot needs a file name that ends in .png, .svg or .pdf",
                         *self.args, "--plot", name)
        self.refuses(1, "cannot be written", *self.args, "--plot", "no/T.png")
        self.assertNotIn("T.npy", self.files())

    def test_fields_that_are_hard_to_draw(self):
        for shape in (1, 1), (1, 40), (40, 1), (2, 2):
            self.save("one.npy", np.ones(shape))
            self.zermelo("solve", "--metric", "one.npy", "--source", "0,0", "--out", "T.npy",
                         "--plot", "T.png", "--quiet")
            self.zermelo("solve", "--metric", "one.npy", "--source", "0,0", "--out", "T.npy",
                         "--plot", "T.png", "--quiet", "--t-max", "0.5")


if __name__ == "__main__":
    main()
