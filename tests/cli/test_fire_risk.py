# SPDX-License-Identifier: Apache-2.0
"""Embers in zermelo fire physics and ensemble, on a small synthetic scene."""
import subprocess
import sys
import tempfile

from _tool import TOOL, ToolTest, main

if subprocess.run([TOOL, "fire", "physics", "--help"], capture_output=True).returncode:
    print("skipped: the tool has no fire physics")
    sys.exit(77)

SCENE = tempfile.TemporaryDirectory(prefix="zermelo-scene-")
VALLEY = SCENE.name + "/valley"


def setUpModule():
    subprocess.run([TOOL, "fire", "simulate", "--out", VALLEY, "--shape", "60,64", "--fires", "2",
                    "--finer", "1", "--quiet"], check=True, capture_output=True)


def tearDownModule():
    SCENE.cleanup()


class Spotting(ToolTest):
    def burn(self, out, *options):
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--fire", "f0001", "--out", out, *options)
        return (self.dir / out / "f0001.tif").read_bytes(), run.stderr

    def test_embers_change_the_fire_and_their_seed_does(self):
        plain, told = self.burn("plain")
        self.assertNotIn("ember", told)
        one, told = self.burn("one", "--spotting", 0.2)
        self.assertRegex(told, r"[1-9]\d* embers that could light fuel, [1-9]\d* spot fires")
        again, _ = self.burn("again", "--spotting", 0.2, "--embers-from", "both")
        other, _ = self.burn("other", "--spotting", 0.2, "--embers-seed", 2)
        late, _ = self.burn("late", "--spotting", 0.2, "--spot-delay", 60)
        self.assertEqual(one, again)
        self.assertEqual(len({plain, one, other, late}), 4)

    def test_members_have_embers(self):
        def areas(out, *options):
            self.zermelo("fire", "ensemble", "--scene", VALLEY, "--fire", "f0001", "--members", 4,
                         "--out", out, *options)
            return (self.dir / out / "probability.tif").read_bytes()
        self.assertNotEqual(areas("plain"), areas("embers", "--spotting", 0.2))

    def test_what_does_not_go_together_is_refused(self):
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--out", "x", "--embers", 5, status=2)
        self.assertIn("--spotting", run.stderr)
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--out", "x", "--spotting", 0.1,
                           "--front", "markers", status=1)
        self.assertIn("minimum travel times", run.stderr)
        run = self.zermelo("fire", "physics", "--scene", VALLEY, "--out", "x", "--spotting", 2, status=2)
        self.assertIn("0 to 1", run.stderr)


if __name__ == "__main__":
    main()
