#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What Python and PyTorch add to the library: one call, a batch, two threads at once.

    build/python/bin/python bench/bench_python.py [--rounds N]

The opponent is a loop in C over the same arrays in the same process, compiled here against the
sources' headers and build/release.  Blocks of both alternate, and the best of each counts.
One thread is measured in processor time, several by the clock on the wall.
"""
import argparse
import ctypes
import multiprocessing
import pathlib
import queue
import subprocess
import tempfile
import threading
import time

import numpy as np

import zermelo

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "build/release/lib"
BASELINE = """
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>
#include <zermelo/zermelo.h>

static zm_solver *solver;
static zm_problem *problems;
static void **times;
static size_t n;

/* The problems of a batch of `count`, from planes (count, 3, side, side) and
 * (count, 2, side, side). */
int prepare(int side, int count, int threads, double *G, double *b, zm_source *source, double *T)
{
    const size_t cells = (size_t)side * side;
    zm_solver_opts options = ZM_SOLVER_OPTS_INIT;

    options.threads = threads;
    options.batch = count;
    n = count;
    problems = calloc(n, sizeof *problems);
    times = calloc(n, sizeof *times);
    for (size_t i = 0; i < n; i++) {
        double *g = G + 3 * i * cells, *d = b + 2 * i * cells;
        problems[i] = (zm_problem){ .size = sizeof(zm_problem),
                                    .metric = { ZM_F64, g, g + cells, g + 2 * cells, d, d + cells },
                                    .sources = source,
                                    .n_sources = 1 };
        times[i] = T + i * cells;
    }
    return zm_solver_create(&solver, (zm_grid){ side, side, 1, 1 }, ZM_F64, &options, NULL);
}

/* Seconds of `repeat` calls, of the processor or on the wall. */
double run(int repeat, int wall)
{
    const clockid_t clock = wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    struct timespec a, b;

    clock_gettime(clock, &a);
    for (int i = 0; i < repeat; i++) {
        if (n == 1)
            zm_forward(solver, problems, times[0], NULL, NULL, NULL);
        else
            zm_forward_batch(solver, problems, n, times, NULL, NULL, NULL);
    }
    clock_gettime(clock, &b);
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

void finish(void)
{
    zm_solver_destroy(solver);
    free(problems);
    free(times);
}
"""


def compile_baseline(folder):
    source, module = folder / "baseline.c", folder / "baseline.so"
    source.write_text(BASELINE, encoding="ascii")
    subprocess.run(["cc", "-std=c17", "-O2", "-shared", "-fPIC", source, f"-I{ROOT / 'include'}",
                    f"-L{LIBRARY}", "-lzermelo", f"-Wl,-rpath,{LIBRARY}", "-o", module], check=True)
    library = ctypes.CDLL(str(module))
    library.run.restype = ctypes.c_double
    return library


def medium(count, side):
    """Smooth metrics (count, 3, side, side) and drifts."""
    y, x = np.mgrid[0:side, 0:side] / side
    phase = np.arange(count)[:, None, None]
    wave = np.sin(5 * x + phase) * np.cos(4 * y - phase)
    G = np.stack([1.5 + wave, 0.3 * wave, 1.5 - 0.5 * wave], axis=1)
    b = np.stack([0.3 * np.cos(3 * y + phase) + 0 * x, 0.2 * np.sin(3 * x + phase) + 0 * y], axis=1)
    return G, b


def call(clock, repeat, *arguments, **options):
    begin = clock()
    for _ in range(repeat):
        zermelo.solve(*arguments, **options)
    return clock() - begin


def duel(library, side, count, threads, repeat, rounds):
    """Best seconds of a call in C and in Python, alternating."""
    G, b = medium(count, side)
    source, T = np.array([[side // 2, side // 3, 0.0]]), np.empty((count, side, side))
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (G, b, source, T)]
    assert library.prepare(side, count, threads, *pointers) == 0
    arguments = (G[0], b[0], [(side // 2, side // 3)]) if count == 1 else \
        (G, b, [(side // 2, side // 3)])
    clock = time.process_time if threads == 1 else time.perf_counter
    best_c = best_python = np.inf
    for _ in range(rounds):
        best_c = min(best_c, library.run(repeat, threads > 1) / repeat)
        best_python = min(best_python, call(clock, repeat, *arguments, threads=threads) / repeat)
    np.testing.assert_allclose(zermelo.solve(*arguments).reshape(T.shape), T, rtol=1e-10)
    library.finish()
    return best_c, best_python


def timed_solves(gate, side, repeat, results):
    """Begin and end of some solves, put into results, once everybody is at the gate.  The first
    solve of a thread or process, whose memory is new to it, is done before."""
    (G,), (b,) = medium(1, side)
    source = [(side // 2, side // 3)]
    zermelo.solve(G, b, source)
    gate.wait()
    begin = time.perf_counter()
    call(time.perf_counter, repeat, G, b, source)
    results.put((begin, time.perf_counter()))


def side_by_side(module, worker, count, side, repeat):
    """Seconds until the last of `count` threads or processes has done its solves."""
    gate, results = module.Barrier(count), queue.Queue() if module is threading else module.Queue()
    workers = [worker(target=timed_solves, args=(gate, side, repeat, results))
               for _ in range(count)]
    for one in workers:
        one.start()
    begins, ends = zip(*(results.get() for _ in workers))
    for one in workers:
        one.join()
    return max(ends) - min(begins)


def at_once(side, repeat, rounds):
    """Best seconds of one thread, of two, and of two processes, which share nothing, in turns."""
    kinds = ((threading, threading.Thread, 1), (threading, threading.Thread, 2),
             (multiprocessing, multiprocessing.Process, 2))
    turns = [[side_by_side(*kind, side, repeat) for kind in kinds] for _ in range(rounds)]
    return np.min(turns, axis=0)


def torch_calls(rounds, side=9, repeat=200):
    """Best microseconds of a call from NumPy and from PyTorch in turn: values alone, with the record
    for a derivative, and with the derivative.  None where there is no torch."""
    try:
        import torch
        import zermelo.torch
    except ImportError:
        return None
    g, sources = np.ones((side, side)), [(side // 2, side // 2)]
    still, moving = torch.tensor(g), torch.tensor(g, requires_grad=True)
    ones = torch.ones(side, side, dtype=torch.float64)
    ways = (lambda: zermelo.solve(g, None, sources),
            lambda: zermelo.torch.solve(still, None, sources),
            lambda: zermelo.torch.solve(moving, None, sources),
            lambda: zermelo.torch.solve(moving, None, sources).backward(ones))
    best = [np.inf] * len(ways)
    for _ in range(rounds):
        for k, way in enumerate(ways):
            begin = time.process_time()
            for _ in range(repeat):
                way()
            best[k] = min(best[k], 1e6 * (time.process_time() - begin) / repeat)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=400, help="blocks of each kind")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        library = compile_baseline(pathlib.Path(folder))
        for side in 9, 16, 32, 64:
            c, python = duel(library, side, 1, 1, 16, rounds)
            print(f"one call, {side} x {side}: C {1e6 * c:.1f} us, Python {1e6 * python:.1f} us, "
                  f"overhead {1e6 * (python - c):.1f} us (wanted: at most 12)", flush=True)
        if found := torch_calls(max(rounds // 10, 3)):
            print("one call, 9 x 9, isotropic: NumPy {:.1f} us, PyTorch {:.1f} us, with a tensor that "
                  "requires a gradient {:.1f} us (wanted: under 20), and its derivative {:.1f} us"
                  .format(*found), flush=True)
        for threads in 1, 2:
            c, python = duel(library, 250, 64, threads, 1, max(rounds // 20, 3))
            print(f"64 problems of 250 x 250 on {threads} threads: C {1e3 * c:.0f} ms, Python "
                  f"{1e3 * python:.0f} ms, ratio {python / c:.3f} (wanted: at most 1.1)", flush=True)
    for side, repeat in (400, 20), (900, 5):
        one, two, processes = at_once(side, repeat, max(rounds // 20, 3))
        print(f"{repeat} solves of {side} x {side}: {1e3 * one:.1f} ms on one Python thread, "
              f"{1e3 * two:.1f} ms on two at once, {two / one:.2f} times (wanted: at most 1.25), "
              f"{1e3 * processes:.1f} ms in two processes, {processes / one:.2f} times", flush=True)


if __name__ == "__main__":
    main()
