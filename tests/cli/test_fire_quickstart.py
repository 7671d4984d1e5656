# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/fire-quickstart.md, run as they stand on data that is made up here."""
import struct
import xml.etree.ElementTree as ElementTree
import zlib

import _landfire as made
import test_docs
from _tool import HAS_FIRE, ROOT, main

PAGE = ROOT / "docs/fire-quickstart.md"
KML = "{http://www.opengis.net/kml/2.2}"


def tags_of(data):
    """Values of the first directory of a little-endian TIFF."""
    (at,) = struct.unpack_from("<I", data, 4)
    (n,) = struct.unpack_from("<H", data, at)
    sizes, codes, tags = {2: 1, 3: 2, 4: 4, 12: 8}, {2: "s", 3: "H", 4: "I", 12: "d"}, {}
    for k in range(n):
        tag, kind, count = struct.unpack_from("<HHI", data, at + 2 + 12 * k)
        if kind not in sizes:
            continue
        place = at + 10 + 12 * k
        if count * sizes[kind] > 4:
            (place,) = struct.unpack_from("<I", data, place)
        form = f"<{count}s" if kind == 2 else f"<{count}{codes[kind]}"
        tags[tag] = struct.unpack_from(form, data, place)
    return tags


def band(path, number):
    """Values of a band of a deflated float32 GeoTIFF with its bands one after the other."""
    data = path.read_bytes()
    tags = tags_of(data)
    offsets, counts = tags[273], tags[279]
    strips = len(offsets) // tags[277][0]
    raw = b"".join(zlib.decompress(data[offsets[k]:offsets[k] + counts[k]])
                   for k in range(number * strips, (number + 1) * strips))
    return struct.unpack(f"<{len(raw) // 4}f", raw), tags[42112][0].decode()


class Quickstart(test_docs.Docs):
    test_shell_blocks_run_as_they_stand = None

    def setUp(self):
        super().setUp()
        if not HAS_FIRE:
            self.skipTest("this build has no zermelo-fire")

    def test_five_commands_make_hourly_perimeters_and_a_flame_length_map(self):
        made.landfire(self.dir / "landfire.tif")
        made.station(self.dir / "raws.csv")
        block, = test_docs.blocks(PAGE)
        self.assertEqual(block.count("zermelo fire "), 5)
        self.run_block(PAGE, block)
        marks = list(ElementTree.parse(self.dir / "perimeters.kml").getroot().iter(KML + "Placemark"))
        begins = [mark.find(f"{KML}TimeSpan/{KML}begin").text for mark in marks]
        self.assertEqual(begins, [f"2021-08-17T{h}:00:00-06:00" for h in range(14, 20)])
        for mark in marks:
            ring = mark.find(f".//{KML}coordinates").text.split()
            self.assertLess(max(abs(float(p.split(",")[0]) + 110.985) for p in ring), 0.05)
        flames, metadata = band(self.dir / "run/f0001.behaviour.tif", 1)
        burned, _ = band(self.dir / "run/f0001.tif", 0)
        self.assertIn('sample="1" role="description">flame_length<', metadata)
        self.assertIn('sample="1" role="unittype">m<', metadata)
        for flame, hours in zip(flames, burned):
            self.assertEqual(flame == -9999, hours == -9999)
            self.assertTrue(flame == -9999 or 0.1 < flame < 50)
        everywhere, _ = band(self.dir / "potential/f0001.potential.tif", 1)
        self.assertGreater(min(everywhere), 0)
        self.assertTrue((self.dir / "chances/probability.tif").exists())

    def test_the_same_commands_take_a_landscape_in_degrees(self):
        made.landfire(self.dir / "landfire.tif", epsg=made.WGS_84, corner=(-111.0, 44.25), cell=1 / 3600)
        made.station(self.dir / "raws.csv")
        self.run_block(PAGE, test_docs.blocks(PAGE)[0])
        self.assertTrue((self.dir / "perimeters.kml").exists())


if __name__ == "__main__":
    main()
