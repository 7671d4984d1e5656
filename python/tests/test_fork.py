# SPDX-License-Identifier: Apache-2.0
"""Processes that are forked while other threads are at work: their children never hang."""
import os
import signal
import sys
import threading
import unittest

import numpy as np

import zermelo
from _common import main, smooth_problem

FORKS = 15
MOST_SECONDS = 60  # of a child, which takes a few milliseconds; then it hangs
G, B = smooth_problem(120, 130)
SOURCE = (60, 65)
ONES = np.ones((120, 130))


def child(work):
    """The exit status of work() in a forked child: 0, or -SIGALRM where it hangs."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(MOST_SECONDS)
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Workers:
    """Threads that repeat calls as long as the `with` lasts."""

    def __init__(self, *calls):
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.repeat, args=(call,)) for call in calls]

    def repeat(self, call):
        while not self.stop.is_set():
            call()

    def __enter__(self):
        for thread in self.threads:
            thread.start()

    def __exit__(self, *failure):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def solve(threads):
    return zermelo.solve(G, B, SOURCE, threads=threads)


def invert():
    seen = zermelo.Experiment((3, 3), zermelo.solve(np.ones((12, 12)), None, (3, 3)), sigma=0.1)
    return zermelo.invert([seen], shape=(12, 12), max_iterations=2)


@unittest.skipUnless(hasattr(os, "fork"), "no fork on this system")
class Fork(unittest.TestCase):
    def test_children_solve_differentiate_and_invert_while_the_parent_works(self):
        T = solve(2)
        idle = zermelo.solve(G, B, SOURCE, solution=True)
        busy = zermelo.solve(G, B, SOURCE, solution=True, threads=2)
        dG, _ = idle.vjp(ONES)
        invert()

        def work():
            for threads in 1, 2:
                np.testing.assert_allclose(solve(threads), T, rtol=1e-10)
                found, _ = zermelo.solve(G, B, SOURCE, solution=True, threads=threads).vjp(ONES)
                np.testing.assert_allclose(found, dG, rtol=1e-6, atol=1e-9)
            zermelo.solve(np.stack([G, G]), B, SOURCE, threads=2)
            idle.vjp(ONES)
            invert()
            try:  # its thread may have been at work on it, and is not here any more
                busy.vjp(ONES)
            except zermelo.StateError as e:
                assert "forked" in str(e)
        with Workers(lambda: solve(1), lambda: solve(2), lambda: busy.vjp(ONES), invert):
            for _ in range(FORKS):
                self.assertEqual(child(work), 0)
        np.testing.assert_array_equal(idle.vjp(ONES)[0], dG)

    def test_children_have_threads_of_their_own(self):
        zermelo.solve(G, B, SOURCE, threads=2)

        def work():
            s = zermelo.solve(np.ones((400, 400)), None, (3, 3), solution=True, threads=2)
            assert s.threads == 2, s.threads
        self.assertEqual(child(work), 0)

    def test_a_child_of_a_progress_function_goes_on(self):
        status = []

        def progress(fraction):
            if not status:
                status.append(child(lambda: (solve(1), solve(2))))
        size = 700
        while not status:  # it is called every now and then, never by a short solve
            zermelo.solve(np.ones((size, size)), None, (3, 3), progress=progress, order=2)
            size += 300
        self.assertEqual(status, [0])


if __name__ == "__main__":
    if sys.platform == "win32":
        print("0 passed, 0 failed, 1 skipped")
    else:
        main()
