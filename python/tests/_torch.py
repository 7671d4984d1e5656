# SPDX-License-Identifier: Apache-2.0
"""What the tests of zermelo.torch share."""
import sys

try:
    import torch
except ImportError:
    print("skip  torch: not installed (Debian: python3-torch)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

import numpy as np

from _common import smooth_problem

SOURCES = [(2, 3), (5, 1, 0.4)]


def tensors(*arrays):
    return [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]


def rough(rows=6, cols=7, seed=1):
    """A metric without ties, which would be kinks of T."""
    rng = np.random.default_rng(seed)
    G, b = smooth_problem(rows, cols, seed)
    return G + 0.05 * rng.random(G.shape), b + 0.05 * rng.random(b.shape)
