# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""
import pathlib
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def smooth_problem(rows, cols, seed=1, dtype=np.float64):
    """A smooth positive definite metric (3, rows, cols) and a feasible drift."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:rows, 0:cols] / max(rows, cols)
    waves = [sum(rng.normal() * np.cos(2 * np.pi * (rng.normal() * x + rng.normal() * y) + k)
                 for k in range(3)) / 3 for _ in range(5)]
    G = np.stack([np.exp(0.3 * waves[0]), 0.2 * np.tanh(waves[2]), np.exp(0.3 * waves[1])])
    return G.astype(dtype), (0.2 * np.tanh(np.stack(waves[3:]))).astype(dtype)


def main():
    """Runs the tests of a file and counts them on the last line."""
    result = unittest.main(module="__main__", exit=False).result
    bad, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    print(f"{result.testsRun - bad - skipped} passed, {bad} failed, {skipped} skipped")
    sys.exit(bad != 0)
