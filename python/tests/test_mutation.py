# SPDX-License-Identifier: Apache-2.0
"""Random problems whose arrays change at random, between the calls and during them.

Whatever is in metric, drift, walls, sources, times, `out` and cotangents, and whoever writes there
meanwhile: each call gives numbers or says what is wrong, and ends.  AddressSanitizer watches the
memory in tests/attack/mutate.py, which runs this script with one seed after the other:

    build/python/bin/python python/tests/test_mutation.py --seed 7 --rounds 1000
"""
import argparse
import faulthandler
import sys
import threading
import unittest
import warnings

import numpy as np

import zermelo
from _common import main

ROUNDS = 250
MOST_SECONDS = 120  # of one round, under a sanitizer on a busy machine; then it hangs
NASTY = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e308, -1e308, 1e-308, 5e-324, 1e30, 1e-30, 0.5, 2.0)


class Round:
    """One problem, with every array that the library sees."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.doing = []  # for the message of a failure
        rng = self.rng
        self.cells = self.size(), self.size()
        self.batch = None if rng.random() < 0.6 else int(rng.integers(1, 4))
        self.intervals = int(rng.integers(1, 4)) if rng.random() < 0.25 else None
        if self.intervals:
            self.batch = None
        self.dtype = rng.choice(["f4", "f8"])
        self.options = self.random_options()
        self.G = self.metric()
        self.b = self.drift()
        self.walls = self.random_walls()
        self.sources = self.random_sources()
        if self.G.ndim < 4 and (self.b is None or self.b.ndim < 4) and self.sources.ndim < 3 and (
                self.walls is None or self.walls.ndim < 3):
            self.batch = None  # nothing has its axis
        self.T = np.zeros((self.batch, *self.cells) if self.batch else self.cells, self.G.dtype)
        self.out = self.T if rng.random() < 0.3 else None
        self.cotangent = np.ones(self.T.shape, self.T.dtype)
        self.solution = None
        self.sources_stay = rng.random() < 0.6  # changed ones are refused by most functions

    # ---- problems ----

    def size(self):
        return int(self.rng.choice([1, 2, self.rng.integers(3, 20), self.rng.integers(20, 60)],
                                   p=[0.04, 0.06, 0.5, 0.4]))

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def random_options(self):
        rng, options = self.rng, {"threads": self.pick(1, 1, 2)}
        if rng.random() < 0.15:
            options["t_max"] = float(rng.choice([3.0, 9.0, np.inf]))
        if rng.random() < 0.1:
            options["max_cells"] = int(rng.integers(1, 200))
        if rng.random() < 0.1:
            options["targets"] = rng.random(self.cells) < 0.1
        if self.intervals:
            options["starts"] = np.cumsum(rng.random(self.intervals) * 6)
            options["cost"] = self.pick("mean", "own")
            if rng.random() < 0.3:
                options["stopped"] = rng.random((self.intervals, *self.cells)) < 0.1
            return options
        options |= self.pick({}, {}, {}, {}, {"stencils": "fixed"}, {"order": 2}, {"factor": 5.0},
                             {"order": 2, "factor": 3.0}, {"periodic": "x"}, {"periodic": "xy"},
                             {"order": 3}, {"order": 3, "factor": 4.0})
        return options

    def lead(self):
        """Axes before the planes: of intervals or of a batch, or shared."""
        n = self.intervals or self.batch
        return () if n is None or self.rng.random() < 0.3 else (n,)

    def metric(self):
        rng, lead, planes = self.rng, self.lead(), self.pick(1, 2, 3, 3, 3)
        strong = rng.random() < 0.35
        shape = (*lead, *self.cells)
        angle = np.pi * rng.random() + rng.random(shape) * (rng.random() < 0.3)
        slow = 1 + rng.random(shape) * (9 if rng.random() < 0.3 else 0.5)
        ratio = 64.0 if strong else 1.5
        c, s = np.cos(angle), np.sin(angle)
        G = np.stack([c * c + ratio * s * s, (1 - ratio) * c * s, s * s + ratio * c * c]) * slow
        G = np.moveaxis(G[[0, 2][:planes] if planes < 3 else slice(None)], 0, -3)
        return np.ascontiguousarray(G[0] if not lead and planes == 1 else G, self.dtype)

    def drift(self):
        kind = self.pick("none", "two", "field", "field")
        if kind == "none":
            return None
        if kind == "two":
            return np.array([0.2, -0.1], self.dtype)
        return (0.5 * self.rng.random((*self.lead(), 2, *self.cells)) - 0.25).astype(self.dtype)

    def random_walls(self):
        if self.rng.random() < 0.7:
            return None
        lead = (self.batch,) if self.batch and self.rng.random() < 0.5 else ()
        walls = self.rng.random((*lead, *self.cells)) < self.pick(0.02, 0.2)
        walls[..., 0, 0] = False
        return walls

    def random_sources(self):
        """The first always in cell (0, 0), which is no wall."""
        lead = (self.batch,) if self.batch and self.rng.random() < 0.5 else ()
        n = self.pick(1, 1, 2, 4)
        places = self.rng.random((*lead, n, 3)) * [*np.subtract(self.cells, 1), 2.0]
        if self.options.get("stencils") == "fixed" or self.intervals or self.rng.random() < 0.8:
            places[..., :2] = np.floor(places[..., :2])
        places[..., 0, :2] = 0
        return places

    # ---- changes ----

    def arrays(self):
        """All that the library may be looking at."""
        often = [self.G, self.b, self.walls, self.T, self.cotangent]
        seldom = [*map(self.options.get, ("starts", "stopped", "targets"))]
        if self.solution is not None:
            setup = self.solution._setup
            self.solution._T.flags.writeable = True  # as somebody might who insists
            often += [self.solution._T, setup.g, setup.b, setup.walls]
            seldom += [setup.starts, setup.stopped]
        if not self.sources_stay:
            seldom += [self.sources, *(self.solution._setup.sources if self.solution is not None else ())]
        return [a for a in 3 * often + seldom if a is not None and a.flags.writeable]

    def mutate(self, rng):
        arrays = self.arrays()
        for a in arrays if rng.random() < 0.1 else [arrays[rng.integers(len(arrays))]]:
            where = ... if rng.random() < 0.2 else rng.random(a.shape) < rng.choice([0.01, 0.1, 0.6])
            if a.dtype.kind == "b":
                a[where] = rng.random() < 0.5
            elif rng.random() < 0.25:  # any bits
                bits = rng.integers(0, 256, a.nbytes, np.uint8).view(a.dtype).reshape(a.shape)
                a[where] = bits[where]
            else:
                with np.errstate(all="ignore"):
                    a[where] = np.float64(rng.choice(NASTY)).astype(a.dtype)

    # ---- calls ----

    def free(self):
        """Free numbers of a metric without drift, from whatever is in G."""
        return np.broadcast_to(self.G[..., :1, :, :] if self.G.ndim > 2 else self.G[None],
                               (*self.G.shape[:-3], 3, *self.cells))

    def invert(self):
        """A few iterations on the present times, whatever they are."""
        if self.batch or self.intervals or self.G.ndim > 3 or min(self.cells) < 2:
            return
        zermelo.invert([(self.sources, self.T, None, self.T if self.rng.random() < 0.3 else None, 0.1)],
                       self.cells, walls=self.walls, start_G=self.G if self.rng.random() < 0.5 else None,
                       unknown=self.pick("isotropic", "metric", "all"), max_iterations=2, max_solves=40)

    def solve(self):
        self.solution = zermelo.solve(self.G, self.b, self.sources, walls=self.walls, out=self.out,
                                      solution=True, **self.options)

    def plain_solve(self):
        zermelo.solve(self.G, self.b, self.sources, walls=self.walls, out=self.T, **self.options)

    def look(self):
        """One call of those that look at a solution."""
        s, rng = self.solution, self.rng
        if s is None:
            self.doing[-1] += " solve"
            return self.solve()
        setup = s._setup
        direction = self.G if rng.random() < 0.5 else None
        point = tuple(rng.random(2) * np.subtract(self.cells, 1))
        item = int(rng.integers(setup.n))
        calls = {
            "vjp": lambda: s.vjp(self.cotangent, sources=bool(rng.random() < 0.5)),
            "jvp": lambda: s.jvp(direction, dsources=setup.source_lists(
                np.concatenate(setup.sources)) if rng.random() < 0.5 else None),
            "flow": lambda: s.flow, "labels": lambda: s.labels, "stencils": lambda: s.stencils,
            "path": lambda: s.path(point, item=item, straighten=bool(rng.random() < 0.5)),
            "residual": lambda: s.residual(self.pick("discrete", "eikonal")),
            "item": lambda: s[item] if setup.batch else None,
            "check": lambda: zermelo.check(self.G, self.b, self.walls),
            "project": lambda: zermelo.project(self.G, self.b) if self.G.ndim == 3 else None,
            "paths": lambda: s.paths(rng.random((3, 2)) * np.subtract(self.cells, 1), item=item),
            "isochrones": lambda: zermelo.isochrones(s.T[item] if setup.batch else s.T, 3),
            "path_cost": lambda: zermelo.path_cost(self.G, self.b, [(0, 0), point])
            if not self.batch and not self.intervals else None,
            "project_vjp": lambda: zermelo.project_vjp(self.G, None, self.G, nonfinite="propagate"),
            "from_zermelo": lambda: zermelo.from_zermelo(self.G, self.b),
            "to_zermelo": lambda: zermelo.to_zermelo(self.G, self.b),
            "ellipse": lambda: zermelo.fire_ellipse(self.cotangent, length_to_breadth=2.0, heading=self.T),
            "parametrise": lambda: zermelo.parametrise(self.free(), drift=False),
            "parametrise_vjp": lambda: zermelo.parametrise_vjp(
                self.free(), self.free(), drift=False, nonfinite="propagate"),
            "jacobian": lambda: s.jacobian("G").rmatvec(self.cotangent.ravel()),
            "invert": self.invert,
            "solve": self.solve, "plain solve": self.plain_solve,
        }
        name = self.pick(*calls)
        self.doing[-1] += f" {name}"
        return calls[name]()

    def attempt(self, call):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with np.errstate(all="ignore"):
                    call()
        except zermelo.Error as e:
            if not str(e):
                raise AssertionError("an error without a message") from e

    def run(self):
        self.doing.append("first:")
        self.attempt(self.solve)
        for _ in range(int(self.rng.integers(2, 6))):
            threaded = self.rng.random() < 0.3
            self.doing.append("threaded:" if threaded else "changed:")
            if threaded:
                with Writer(self):
                    for _ in range(4):
                        self.attempt(self.look)
            else:
                self.mutate(self.rng)
                self.attempt(self.look)
                self.attempt(self.look)


class Writer(threading.Thread):
    """Changes arrays of a round as long as the `with` lasts."""

    def __init__(self, of):
        super().__init__(daemon=True)
        self.of, self.rng = of, np.random.default_rng(of.rng.integers(1 << 32))
        self.stop = threading.Event()

    def run(self):
        while not self.stop.is_set():
            self.of.mutate(self.rng)

    def __enter__(self):
        self.start()

    def __exit__(self, *failure):
        self.stop.set()
        self.join()


def run(seed, rounds):
    for k in range(rounds):
        faulthandler.dump_traceback_later(MOST_SECONDS, exit=True)
        one = Round([seed, k])
        try:
            one.run()
        except BaseException:
            print(f"seed {seed}, round {k}: {one.cells} cells, batch {one.batch}, intervals "
                  f"{one.intervals}, {one.options}; {' '.join(one.doing)}", file=sys.stderr)
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()


class Mutation(unittest.TestCase):
    def test_any_change_at_any_time_ends_in_numbers_or_a_message(self):
        run(1, ROUNDS)


if __name__ == "__main__":
    if any(a.startswith(("--seed", "--rounds")) for a in sys.argv):
        parser = argparse.ArgumentParser(description=__doc__,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--rounds", type=int, default=ROUNDS)
        run(**vars(parser.parse_args()))
    else:
        main()
