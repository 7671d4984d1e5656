# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments: every message names what is wrong, what it is, and what would be right."""
import pathlib
import re
import unittest
import warnings

import numpy as np

import zermelo
from _common import ROOT, main, smooth_problem

try:
    import torch
    import zermelo.torch
except ImportError:
    torch = None

# A call, then what its message has to contain: a name, its shape or value, and the bound.  A line
# that begins with a space continues the one before.
PROBES = r"""
# metric
solve(np.ones(5), None, S) | G | (5,) | (H, W)
solve(1.0, None, S) | G | () | (H, W)
solve(np.ones((4, 7, 8)), None, S) | G | (4, 7, 8) | (B, 1, H, W)
solve(np.ones((2, 4, 7, 8)), None, S) | G | (2, 4, 7, 8) | (B, 3, H, W)
solve(np.ones((1, 1, 1, 7, 8)), None, S) | G | (1, 1, 1, 7, 8) | (B, 3, H, W)
solve(np.ones((7, 8, 3)), None, S) | G | (7, 8, 3) | moveaxis
solve(np.ones((0, 8)), None, S) | G | (0, 8) | at least 1
solve(np.ones((0, 3, 7, 8)), None, S) | G | (0, 3, 7, 8) | at least 1
solve(g == 1, None, S) | G | bool | numbers
solve(g * 1j, None, S) | G | complex128 | float32 or float64
solve(g.astype(object), None, S) | G | object | float32 or float64
solve(g.astype(str), None, S) | G | <U | float32 or float64
solve(g.astype('m8[s]'), None, S) | G | timedelta64[s] | numbers in the unit
solve(None, None, S) | G | object | float32 or float64
solve([[1.0, 2.0], [3.0]], None, S) | G | inhomogeneous | rows of equal length
solve(-g, None, S) | metric | g11 = -1 | positive definite
solve(put(g, (2, 3), np.nan), None, S) | g11 | nan at row 2, col 3 | finite
solve(put(g, (2, 3), 0.0), None, S) | metric | row 2, col 3 | positive definite
solve(put(G, (1, 4, 5), 9.0), None, S) | metric | row 4, col 5 | positive definite
solve(np.stack([g, 2 * g, 3 * g]), None, S) | G of shape (3, 7, 8) | g11 = 1 | (3, 1, 7, 8)
solve(np.ones((3, 7, 8)), np.zeros((3, 2, 7, 8)), S) | G | (3, 7, 8) | (3, 1, 7, 8)
solve(np.ones((2, 7, 8)), None, S, walls=np.zeros((2, 7, 8), bool)) | G | (2, 7, 8) | (1, 2, 7, 8)
solve(np.ones((3, 7, 8)), None, S, starts=[0, 1, 2]) | G | (3, 7, 8) | (3, 1, 7, 8)
# drift
solve(G, np.ones((2, 3, 3)), S) | b | (2, 3, 3) | (2, 7, 8)
solve(G, np.ones((3, 7, 8)), S) | b | (3, 7, 8) | (2, 7, 8)
solve(G, np.ones((7, 8)), S) | b | (7, 8) | (2, 7, 8)
solve(G, np.ones(3), S) | b | (3,) | two numbers
solve(G, np.zeros((0, 2, 7, 8)), S) | b | (0, 2, 7, 8) | (B, 2, 7, 8)
solve(G, np.zeros((2, 8, 7)), S) | b | (2, 8, 7) | swapaxes
solve(G, np.zeros((7, 8, 2)), S) | b | (7, 8, 2) | moveaxis
solve(G, b * 1j, S) | b | complex128 | float32 or float64
solve(G, "wind", S) | b | <U4 | float32 or float64
solve(G, b > 0, S) | b | bool | numbers
solve(g, (1.5, 0.0), S) | drift | 1.5 | < 1
solve(g, (np.inf, 0.0), S) | b1 | infinite at row 0, col 0 | finite
solve(g, put(b, (0, 2, 5), np.nan), S) | b1 | nan at row 2, col 5 | finite
solve(np.ones((2, 1, 7, 8)), np.zeros((3, 2, 7, 8)), S) | G has 2 | b has 3 | same
# sources
solve(g, None, None) | sources | None | (row, col
solve(g, None, []) | sources | empty | at least one
solve(g, None, np.zeros((0, 2))) | sources | (0, 2) | at least one
solve(g, None, [(1, 2, 3, 4)]) | sources | (1, 4) | (n, 2)
solve(g, None, 5) | sources | () | (n, 2)
solve(g, None, np.ones((1, 1, 1, 2))) | sources | (1, 1, 1, 2) | (B, n, 3)
solve(g, None, [(1, "a")]) | sources | <U | numbers
solve(g, None, "here") | sources | <U4 | numbers
solve(g, None, {"row": 1}) | sources | dict | (row, col
solve(g, None, [(1, 2), 3]) | sources | 3 | (row, col
solve(g, None, np.ones((7, 8), int)) | sources | (7, 8) | bool
solve(np.ones((6, 3)), None, np.zeros((6, 3), int)) | sources | (6, 3) | sources == 1
solve(g, None, np.ones((3, 8), bool)) | sources | (3, 8) | (7, 8)
solve(g, None, np.zeros((7, 8), bool)) | source | no | at least
solve(g, None, [(20, 3)]) | source | row 20 | 0..6
solve(g, None, [(3, -1)]) | source | col -1 | 0..7
solve(g, None, [(3, np.nan)]) | source | nan | 0..7
solve(g, None, (2.0, 7.9)) | source | col 7.9 | 0..7
solve(g, None, [(7, 3)]) | source | row 7 | as (x, y)
solve(g, None, [(1, 1, np.nan)]) | source | nan | finite
solve(g, None, [(1, 1, np.inf)]) | source | inf | finite
solve(g, None, [(1, 1, np.timedelta64(1, "s"))]) | sources | timedelta64[s] | numbers in the unit
solve(g, None, (1.5, 1), stencils="fixed") | source | 1.5 | adaptive
solve(g, None, S, walls=np.ones((7, 8), bool)) | source | wall | row 3, col 4
solve(np.ones((2, 1, 7, 8)), None, np.array([[1, 1], [2, 2]])) | sources | 2 places | [sources]
solve(np.ones((2, 1, 7, 8)), None, [[S], [S], [S]]) | sources has 3 | G has 2 | same
solve(g, None, np.ma.masked_array([[1, 2]], [[False, True]])) | sources | (1, 2) | without gaps
# walls
solve(g, None, S, walls=np.zeros((7, 7))) | walls | (7, 7) | (7, 8)
solve(g, None, S, walls=np.zeros((8, 7), bool)) | walls | (8, 7) | swapaxes
solve(g, None, S, walls=np.zeros(56, bool)) | walls | (56,) | (7, 8)
solve(g, None, S, walls=np.zeros((0, 7, 8), bool)) | walls | (0, 7, 8) | (B, 7, 8)
solve(g, None, S, walls="none") | walls | <U4 | bool
solve(g, None, S, walls=7 * g) | walls | 7 | 0 and 1
solve(g, None, S, walls=put(0 * g, (1, 2), np.nan)) | walls | row 1, col 2 | 0 and 1
solve(np.ones((2, 1, 7, 8)), None, S, walls=np.zeros((3, 7, 8), bool)) |
    walls has 3 | G has 2 | same
# spacing
solve(g, None, S, spacing=0.0) | spacing | dx = 0 | positive
solve(g, None, S, spacing=-2) | spacing | dx = -2 | positive
solve(g, None, S, spacing=np.nan) | spacing | nan | positive and finite
solve(g, None, S, spacing=(1.0, np.inf)) | spacing | inf | positive and finite
solve(g, None, S, spacing=(1, 2, 3)) | spacing | (1, 2, 3) | (dy, dx)
solve(g, None, S, spacing="metres") | spacing | 'metres' | 'coords'
solve(g, None, S, spacing="coords") | spacing | 'coords' | DataArray
solve(g, None, S, spacing={"dx": 1.0}) | spacing | dx | {'x': dx, 'y': dy}
solve(g, None, S, spacing=np.timedelta64(1, "s")) | spacing | timedelta64 | (dy, dx)
# options
solve(g, None, S, t_max=np.nan) | t_max | nan | a time
solve(g, None, S, t_max="late") | t_max | 'late' | a number
solve(g, None, S, t_max=np.timedelta64(1, "h")) | t_max | timedelta64[h] | numbers in the unit
solve(g, None, S, t_max=[1.0, 2.0]) | t_max | [1.0, 2.0] | a number
solve(g, None, S, threads=-1) | threads | -1 | 0 (all) to 256
solve(g, None, S, threads=1.5) | threads | 1.5 | whole
solve(g, None, S, threads="all") | threads | 'all' | whole
solve(g, None, S, stencils="best") | stencils | 'best' | 'fixed', 'adaptive'
solve(g, None, S, order=4) | order | 4 | 3
solve(g, None, S, order=1.5) | order | 1.5 | 1, 2 or 3
solve(g, None, S, order="2") | order | '2' | 1, 2 or 3
solve(g, None, S, factor=-1.0) | factor | -1 | at least 0
solve(g, None, S, factor=np.nan) | factor | nan | at least 0
solve(g, None, S, factor="no") | factor | 'no' | a number
solve(g, None, S, periodic="z") | periodic | 'z' | 'xy'
solve(g, None, S, periodic=True) | periodic | True | 'xy'
solve(g, None, S, targets=[(9, 0)]) | targets | (9, 0) | 7 x 8
solve(g, None, S, targets=[(0, -1)]) | targets | (0, -1) | 7 x 8
solve(g, None, S, targets=[(7, 3)]) | targets | (7, 3) | as (x, y)
solve(g, None, S, targets=[(1.5, 2)]) | targets | float64 | whole numbers
solve(g, None, S, targets=[(1, 2, 3)]) | targets | (1, 3) | (row, col)
solve(g, None, S, targets=np.zeros((3, 8), bool)) | targets | (3, 8) | (7, 8)
solve(g, None, S, targets=np.zeros((7, 8), bool)) | targets | no | at least
solve(g, None, S, max_cells=-1) | max_cells | -1 | at least 1
solve(g, None, S, max_cells=0) | max_cells | 0 | at least 1
solve(g, None, S, max_cells=2.5) | max_cells | 2.5 | whole
solve(g, None, S, tol=-1.0) | tol | -1 | at least 0
solve(g, None, S, tol=np.nan) | tol | nan | at least 0
solve(g, None, S, tol="x") | tol | 'x' | a number
solve(g, None, S, max_iterations=0) | max_iterations | 0 | at least 1
solve(g, None, S, max_iterations=1e9) | max_iterations | 1000000000.0 | whole
solve(g, None, S, progress=3) | progress | 3 | callable
solve(g, None, S, out=np.empty((7, 9))) | out | (7, 9) | (7, 8)
solve(g, None, S, out=np.empty((7, 8), "f4")) | out | float32 | float64
solve(g, None, S, out=np.empty((8, 7)).T) | out | (7, 8) | C-contiguous
solve(g, None, S, out=[[0.0]]) | out | list | array
solve(g, None, S, out=g) | out | G | overwritten
# intervals
solve(TG, None, S, starts=5.0) | starts | () | (K,)
solve(TG, None, S, starts=[]) | starts | (0,) | (K,)
solve(TG, None, S, starts=[0.0, 1.0, 2.0]) | 2 intervals | 3 starts | expected 3
solve(TG, None, S, starts=[1.0, 0.0]) | start | 0 | later than
solve(TG, None, S, starts=[0.0, np.nan]) | start | nan | finite
solve(TG, None, S, starts=np.array([0, 1], "M8[h]")) | starts | datetime64[h] | numbers in the unit
solve(TG, None, S, starts=["a", "b"]) | starts | <U1 | float32 or float64
solve(TG, None, [[S], [S]], starts=[0.0, 1.0]) | sources | 2 lists | one
solve(TG, None, S, starts=[0.0, 1.0], walls=np.zeros((2, 7, 8), bool)) | walls | (2, 7, 8) | (7, 8)
solve(TG, None, S, starts=[0.0, 1.0], stopped=np.zeros((3, 7, 8), bool)) |
    stopped | (3, 7, 8) | (2, 7, 8)
solve(TG, None, S, starts=[0.0, 1.0], stopped=np.zeros((8, 7), bool)) | stopped | (8, 7) | (7, 8)
solve(g, None, S, stopped=g == 0) | stopped | starts | give
solve(TG, None, S, starts=[0.0, 1.0], cost="x") | cost | 'x' | 'own', 'mean'
solve(TG, None, S, starts=[0.0, 1.0], order=2) | order | 2 | 1
solve(TG, None, (1.5, 1), starts=[0.0, 1.0]) | source | 1.5 | middle
solve(TG, None, S, starts=[0.0, 1.0], stencils="fixed") | stencils | fixed | adaptive
solve(-TG, None, S, starts=[0.0, 1.0]) | metric | -1 | positive definite
# derivatives
s.vjp(np.ones(5)) | g | (5,) | (7, 8)
s.vjp(np.ones((8, 7))) | g | (8, 7) | (7, 8)
s.vjp(1.0) | g | () | (7, 8)
s.vjp(g * 1j) | g | complex128 | float32 or float64
s.vjp(g == 1) | g | bool | numbers
s.vjp(g * np.nan) | g | nan | finite
s.vjp(None) | g | object | float32 or float64
s.jvp(dG=np.ones((7, 8))) | dG | (7, 8) | (3, 7, 8)
s.jvp(dG="x") | dG | <U1 | float32 or float64
s.jvp(dG=G * np.nan) | dG | nan | finite
s.jvp(db=np.ones((3, 7, 8))) | db | (3, 7, 8) | (2, 7, 8)
s.jvp(db=b * np.inf) | db | inf | finite
s.jvp(dsources=np.ones((2, 3))) | dsources | (2, 3) | (1, 3)
s.jvp(dsources=[(1.0, 2.0)]) | dsources | (1, 2) | (1, 3)
s.jvp(dsources=[(0.0, 0.0, np.nan)]) | sources | nan | finite
s.path((1, 2, 3)) | point | (1, 2, 3) | (row, col)
s.path("ab") | point | 'ab' | (row, col)
s.path((50, 1)) | path to | row 50 | 0..6
s.path((np.nan, 1)) | path to | row nan | 0..6
s.path((1, 1), item=3) | item | 3 | 1 problem
many.path((1, 1)) | item | 2 problems | item=0 to 1
many.path((1, 1), item=2) | item | 2 | 2 problems
s.paths([1, 2, 3]) | points | (3,) | (n, 2)
s.paths([(50, 1)]) | path | 50 | 0..6
s.residual("exact") | kind | 'exact' | 'discrete', 'eikonal'
s.jacobian("T") | wrt | 'T' | 'G', 'b', 'sources'
s.jacobian(at=[(9, 9)]) | at | (9, 9) | 7 x 8
s.jacobian(at=np.ones((3, 3), bool)) | at | (3, 3) | (7, 8)
s.gauss_newton(weights=np.ones(3)) | weights | (3,) | 56 values
s.gauss_newton(regulariser=-1.0) | regulariser | -1 | at least 0
still.jacobian("b") | wrt | no drift | zeros (2, H, W)
many[5] | item | 5 | 2 problems
many[2:] | slice | 2 problems | at least
# check, path_cost
check(np.ones(5)) | G | (5,) | (H, W)
check(-g) | metric | -1 | positive definite
check(g, (2.0, 0.0)) | drift | 2 | < 1
check(g, None, np.ones((2, 2), bool)) | walls | (2, 2) | (7, 8)
path_cost(g, None, [1, 2]) | points | (2,) | (n, 2)
path_cost(g, None, np.zeros((0, 2))) | points | (0, 2) | (n, 2)
path_cost(g, None, [(1, 2, 3, 4)]) | points | (1, 4) | (n, 2)
path_cost(g, None, [("a", "b")]) | points | <U1 | float32 or float64
path_cost(g, None, [(1, 1), (np.nan, 2)]) | point | nan | finite
path_cost(np.ones((2, 1, 7, 8)), None, [(1, 1), (2, 2)]) | path_cost | batch of 2 | one problem
path_cost(g, None, [(1, 1)], periodic="q") | periodic | 'q' | 'xy'
# cell by cell
project(np.ones(5)) | G | (5,) | (H, W)
project(put(G, (0, 2, 3), np.nan)) | g11 | row 2, col 3 | finite
from_zermelo(put(g, (3, 2), -1.0), (0.1, 0.0)) | h11 = -1 | row 3, col 2 | positive definite
solve(G, b, tuple(np.eye(2, dtype=int))) | sources | (2,) | two ways
many[1.5] | item | 1.5 | whole number
project(g * np.nan) | g11 | nan | finite
project(G, np.ones((2, 3, 3))) | b | (2, 3, 3) | (2, 7, 8)
project(G, rho=2.0, b=b) | rho | 2 | in [0, 1)
project(G, rho=-0.5, b=b) | rho | -0.5 | in [0, 1)
project(G, eig_min=-1.0) | eig_min | -1 | 0 <
project(G, eig_min=2.0, eig_max=1.0) | eig_max | 1 | eig_min
project(G, eig_min="x") | eig_min | 'x' | a number
project(np.ones((2, 1, 7, 8)), np.zeros((3, 2, 7, 8))) | G has 2 | b has 3 | same
project_vjp(G, b, np.ones((2, 7, 8))) | dG | (2, 7, 8) | (3, 7, 8)
project_vjp(G, b, G, np.ones(2)) | db | (2,) | (2, 7, 8)
project_vjp(G, b, G * 1j) | dG | complex128 | float32 or float64
to_zermelo(np.ones(5)) | G | (5,) | (H, W)
to_zermelo(-g) | metric | -1 | positive definite
to_zermelo(g, (2.0, 0.0)) | drift | 2 | < 1
to_zermelo(g, walls=np.zeros((7, 8, 1), bool)) | walls | (7, 8, 1) | (7, 8)
from_zermelo(np.ones(5)) | h | (5,) | (H, W)
from_zermelo(g, np.ones((3, 7, 8))) | W | (3, 7, 8) | (2, 7, 8)
from_zermelo(g, (1.0, 1.0)) | wind | 1.41 | 1
from_zermelo(g * np.nan) | h11 | nan | finite
fire_ellipse(g) | flank and back | head | length_to_breadth
fire_ellipse(g, g, g, length_to_breadth=2.0) | flank and back | length_to_breadth | not both
fire_ellipse(2.0, 1.0, 0.5) | shape | () | shape=(H, W)
fire_ellipse(g, np.ones((3, 3)), g) | flank | (3, 3) | (H, W)
fire_ellipse(g, g, 2 * g) | back | 2 | head rate 1
fire_ellipse(-g, g, g) | head | -1 | > 0
fire_ellipse(g, 0 * g, g) | flank | 0 | > 0
fire_ellipse(g, length_to_breadth=0.5) | length-to-breadth | 0.5 | >= 1
fire_ellipse(g, g, g, np.nan) | heading | nan | finite
fire_ellipse(g, g, g, convention="north") | convention | 'north' | 'compass', 'math'
fire_ellipse(g, g, "slow") | back | <U4 | float32 or float64
to_fire_ellipse(np.ones(5)) | G | (5,) | (H, W)
to_fire_ellipse(G, b, tilt=-1.0) | tilt | -1 | in [0, 1]
to_fire_ellipse(np.stack([g, 0.5 * g, 2 * g]), (0.3, 0.0)) | tilt | 0.146 | at most 0.001
to_fire_ellipse(G, convention="x") | convention | 'x' | 'compass', 'math'
# inversion
invert([]) | experiments | empty | at least one
invert([(S, [1.0], [(2, 2)])]) | size of the grid | not known | shape=(H, W)
invert([(S, [1.0, 2.0], [(2, 2)])], (7, 8)) | points | (1, 2) | n times
invert([(S, [1.0], [(7.5, 2)])], (7, 8)) | points | 7.5 | rows 0 to 6
invert([(S, np.ones((3, 3)))], (7, 8)) | times | (3, 3) | (7, 8)
invert([(S, -np.inf * g)]) | time | -inf | number
invert([(S, g, None, np.ones(3))]) | upper | 3 values | 56
invert([(S, g, None, None, -1.0)]) | sigma | -1 | >= 0
invert([(S, g, None, None, np.ones(3))]) | sigma | 3 values | 56
invert([((20, 20), g)]) | source | row 20 | 0..6
invert([(S, g)], unknown="all of it") | unknown | 'all of it' | 'isotropic'
invert([(S, g)], method="magic") | method | 'magic' | 'gauss-newton'
invert([(S, g)], regulariser="l1") | regulariser | 'l1' | 'tv'
invert([(S, g)], misfit="abs") | misfit | 'abs' | 'huber'
invert([(S, g)], lam="best") | lam | 'best' | 'discrepancy'
invert([(S, g)], lam=-1.0) | lam | -1 | > 0
invert([(S, g)], lam=1.0, regulariser="none") | lam | 1.0 | no strength
invert([(S, g)], metric_map="square") | metric_map | 'square' | 'factor'
invert([(S, g)], drift_map="box") | drift_map | 'box' | 'ball'
invert([(S, g)], rho=1.5) | rho | 1.5 | in (0, 1)
invert([(S, g)], chi2=-1.0) | chi2 | -1 | > 0
invert([(S, g)], huber=-1.0) | huber | -1 | > 0
invert([(S, g)], threads=-1) | threads | -1 | >=
invert([(S, g)], max_iterations=-1) | max_iterations | -1 | >= 0
invert([(S, g)], start_G=-g) | metric | -1 | positive definite
invert([(S, g)], unknown="drift", G=np.ones((2, 3, 7, 8))) | G | (2, 3, 7, 8) | (7, 8)
invert([(S, g)], spacing=0.0) | spacing | dx = 0 | positive
invert(5) | experiments | 5 | an Experiment
invert([(S, [1.0], [(20, 20)])], (7, 8)) | points | (20, 20) | 7 x 8
invert([([S], g), ([[S], [S]], g)]) | sources | 2 lists | one
invert([(S, g)], walls=np.ones((3, 3), bool)) | walls | 3 x 3 | 7 x 8
invert([(S, g)], start_G=np.ones((3, 3))) | start_G | 3 x 3 | 7 x 8
found.lcurve([1.0, 2.0]) | lam | 2 | falling
found.times(3) | experiment | 3 | one of the 1
found.times(1.5) | experiment | 1.5 | whole number
invert([(S, g)], monitor=3) | monitor | 3 | callable
invert([(S, g)], (7.5, 8)) | shape | 7.5 | whole number
invert([(S, g)], (7, 8, 9)) | shape | (7, 8, 9) | (H, W)
invert([(S, [1.0, 2.0], tuple(np.eye(2, dtype=int)))], (7, 8)) | points | (2,) | two ways
# torch
tsolve(np.ones((7, 8)), None, S) | G | ndarray | tensor
tsolve(tensor(g == 1), None, S) | G | bool | tensor
tsolve(tensor(np.ones(5)), None, S) | G | (5,) | (H, W)
tsolve(tensor(g).to_sparse(), None, S) | G | torch.sparse_coo | G.to_dense()
tsolve(tensor(g), tensor(b).to_sparse(), S) | b | torch.sparse_coo | b.to_dense()
tsolve(tensor(G), tensor(np.ones((3, 7, 8))), S) | b | (3, 7, 8) | (2, 7, 8)
tsolve(tensor(G), "x", S) | b | str | tensor
tsolve(tensor(-g), None, S) | metric | -1 | positive definite
tsolve(tensor(g), None, tensor(np.ones((2, 4)))) | sources | (2, 4) | (n, 2)
tsolve(tensor(np.ones((2, 1, 7, 8))), None, tensor(np.ones((2, 2)))) |
    sources | 2 places | [sources]
tsolve(tensor(np.ones((3, 7, 8))), tensor(np.zeros((3, 2, 7, 8))), S) | G | (3, 7, 8) | (3, 1, 7, 8)
tsolve(tensor(g), None, S, stencils="x") | stencils | 'x' | 'fixed', 'adaptive'
tsolve(tensor(g), None, S, order=7) | order | 7 | 3
tsolve(tensor(g), None, [(20, 3)]) | source | row 20 | 0..6
tsolve(tensor(g), None, S, walls=tensor(np.zeros((3, 3)))) | walls | (3, 3) | (7, 8)
torch.project(tensor(np.ones(5))) | G | (5,) | (H, W)
torch.project(tensor(G), tensor(np.ones((2, 3, 3)))) | b | (2, 3, 3) | 7
torch.fire_ellipse(tensor(g), 1.0) | flank and back | give | length_to_breadth
torch.fire_ellipse(tensor(np.ones(5)), 1.0, 0.5) | shape | (5,) | (H, W)
torch.EikonalLayer(order=9) | order | 9 | 3
torch.EikonalLayer(stencils="x") | stencils | 'x' | 'fixed', 'adaptive'
torch.Projection(rho=3.0) | rho | 3 | in [0, 1)
"""


def put(a, index, value):
    a = np.array(a, dtype=float)
    a[index] = value
    return a


def names():
    """What the calls may use."""
    G, b = smooth_problem(7, 8)
    g, S = np.ones((7, 8)), (3, 4)
    found = {name: getattr(zermelo, name) for name in zermelo.__all__}
    found.update(
        np=np, put=put, G=G, b=b, g=g, S=S, TG=np.ones((2, 1, 7, 8)),
        s=zermelo.solve(G, b, S, solution=True), still=zermelo.solve(G, None, S, solution=True),
        many=zermelo.solve(np.ones((2, 1, 7, 8)), None, S, solution=True),
        found=zermelo.invert([(S, zermelo.solve(g, None, S))], max_iterations=1))
    if torch is not None:
        found.update(torch=zermelo.torch, tensor=torch.tensor, tsolve=zermelo.torch.solve)
    return found


def probes():
    """(call, parts of its message)"""
    whole = re.sub(r"\n +", " ", PROBES)
    for line in whole.strip().splitlines():
        if not line.startswith("#"):
            call, *parts = line.split(" | ")
            if torch is not None or "tensor(" not in call and "torch." not in call:
                yield call, parts


def members():
    """Names of members in the headers of the library, with a mark that no plain word has."""
    text = "".join(path.read_text(encoding="utf-8")
                   for path in pathlib.Path(ROOT / "include/zermelo").glob("*.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = set()
    for body in re.findall(r"struct \w+ \{(.*?)\}", text, re.S):
        found.update(re.findall(r"(\w+)(?:\[\w*\])?(?:;|,)", body))
    return {name for name in found if "_" in name}


class Messages(unittest.TestCase):
    def setUp(self):
        self.names = names()
        self.texts = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for call, parts in probes():
                try:
                    eval(call, self.names)
                    error = None
                except Exception as caught:
                    error = caught
                self.texts.append((call, parts, error))

    def test_each_names_the_argument_what_it_is_and_the_bound(self):
        for call, parts, error in self.texts:
            with self.subTest(call):
                self.assertIsInstance(error, (zermelo.Error, TypeError, ValueError, IndexError))
                self.assertEqual(len(parts), 3)
                for part in parts:
                    self.assertIn(part, str(error))

    def test_there_are_many(self):
        calls = [call for call, _ in probes()]
        self.assertEqual(len(calls), len(set(calls)))
        self.assertGreaterEqual(len(calls), 200)
        for function in ("solve", "vjp", "jvp", "path", "paths", "residual", "jacobian", "check",
                         "gauss_newton", "path_cost", "project", "project_vjp", "to_zermelo",
                         "from_zermelo", "fire_ellipse", "to_fire_ellipse", "invert"):
            self.assertTrue(any(re.search(rf"\b{function}\(", call) for call in calls), function)

    def test_none_has_a_name_of_the_c_library(self):
        """Neither functions and constants nor members of its structs."""
        allowed = {name for call, _ in probes() for name in re.findall(r"\w+", call)}
        for thing in (zermelo.solve, zermelo.invert, zermelo.project, zermelo.fire_ellipse):
            allowed.update(thing.__annotations__)
        hidden = members() - allowed
        self.assertIn("n_sources", hidden)
        for call, _, error in self.texts:
            with self.subTest(call):
                words = set(re.findall(r"\w+", str(error)))
                self.assertFalse([word for word in words if word.lower().startswith("zm_")])
                self.assertFalse(words & hidden)


if __name__ == "__main__":
    main()
