# SPDX-License-Identifier: Apache-2.0
"""progress of solve, invert and std: bars where they can be seen, functions, nothing."""
import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
import unittest
from unittest import mock

import numpy as np

import zermelo
from _common import main
from zermelo import _progress

LONG = """
import sys, numpy as np, zermelo
{before}
T = zermelo.solve(np.ones((16, 16)), None, (0, 0))
found = zermelo.invert(zermelo.Experiment((0, 0), T, sigma=0.1), progress=True)
found.std(samples=400, progress=True)
zermelo.solve(np.random.default_rng(1).uniform(1, 9, (1500, 1500)), None, (0, 0), progress=True)
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_terminal(code):
    """What a script writes to standard error, where that is a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen([sys.executable, "-c", code], stderr=slave,
                               stdout=subprocess.DEVNULL, env={**os.environ, "TERM": "dumb"})
    os.close(slave)
    seen = b""
    try:
        while part := os.read(master, 4096):
            seen += part
    except OSError:  # the other end is closed
        pass
    os.close(master)
    return process.wait(), seen.decode()


class Bars(unittest.TestCase):
    def test_a_pipe_gets_nothing(self):
        run = subprocess.run([sys.executable, "-c", LONG.format(before="")], capture_output=True,
                             text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_a_terminal_gets_bars_that_come_to_their_end(self):
        try:
            import tqdm  # noqa: F401
            ways = ("", "sys.modules['tqdm'] = sys.modules['tqdm.auto'] = None")
        except ImportError:
            ways = ("",)
        for before in ways:
            code, seen = on_terminal(LONG.format(before=before))
            self.assertEqual(code, 0, seen)
            for name in "invert", "standard deviations", "solve":
                self.assertIn(name + ": 100 %", seen)

    def test_our_own_bar_is_one_line(self):
        out = Terminal()
        bar = _progress.OwnBar("solve", out)
        for fraction in 0, 0.001, 0.5, 0.5, 1:
            bar.show(fraction)
        bar.close()
        lines = out.getvalue().split("\r")
        self.assertEqual(len(lines), 4)                    # nothing is drawn twice
        self.assertTrue(lines[2].startswith("solve:  50 % [###############               ]"))
        self.assertTrue(out.getvalue().endswith("s\n"))

    def test_a_bar_is_closed_after_a_failure(self):
        out = Terminal()
        with mock.patch.object(_progress, "bar_of", lambda name: _progress.OwnBar(name, out)):
            with self.assertRaises(KeyError), _progress.watched(True, "x") as tell:
                tell(0.25)
                raise KeyError
        self.assertTrue(out.getvalue().endswith("\n"))
        self.assertNotIn("100", out.getvalue())


class Functions(unittest.TestCase):
    def setUp(self):
        T = zermelo.solve(np.ones((40, 40)), None, (3, 4))
        self.seen = zermelo.Experiment((3, 4), T + 0.1 * np.sin(np.arange(1600)).reshape(T.shape),
                                       sigma=0.1)

    def test_invert_tells_a_fraction_that_rises(self):
        told = []
        zermelo.invert(self.seen, progress=told.append, lam="lcurve", lcurve_points=9)
        self.assertTrue(told and told == sorted(told) and 0 < told[0] and told[-1] <= 1)

    def test_a_true_answer_stops_the_run_as_the_monitor_does(self):
        found = zermelo.invert(self.seen, progress=lambda fraction: True, lam="lcurve")
        self.assertEqual(found.report.stop, "stopped")

    def test_other_things_are_refused(self):
        for call in (lambda: zermelo.solve(np.ones((5, 5)), None, (0, 0), progress=3),
                     lambda: zermelo.invert(self.seen, progress="yes")):
            with self.assertRaisesRegex(zermelo.ArgumentError, "expected True, False, a callable"):
                call()

    def test_false_is_nothing(self):
        found = zermelo.invert(self.seen, progress=False, max_iterations=2)
        self.assertIsNone(found.std(samples=2, progress=False)[1])
        zermelo.solve(np.ones((5, 5)), None, (0, 0), progress=False)


if __name__ == "__main__":
    main()
