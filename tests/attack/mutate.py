#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Changes arrays at random between and during calls, under the address sanitizer.

    tests/attack/mutate.py [--seconds 1800] [--seed N] [--only c|python]

C: the programs of tests/property that change inputs, built with the preset `asan`.  Python:
python/tests/test_mutation.py on an extension module with the same sanitizers.  Each run has another seed, which is printed where it finds something; what was found
is in build/attack/.  The exit status is 0 when nothing was.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import sysconfig
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASAN, PYTHON_BUILD, FOUND = ROOT / "build/asan", ROOT / "build/asan-python", ROOT / "build/attack"
PROGRAMS = "test_changed_inputs", "test_timed_changed"
ROUNDS = 300  # of the Python script, for each seed
SLOW = 600  # seconds until a run counts as one that hangs
OPTIONS = {"ASAN_OPTIONS": "abort_on_error=0:detect_leaks=0:allocator_may_return_null=1",
           "UBSAN_OPTIONS": "print_stacktrace=1"}


def quietly(*command):
    """Runs a step of the build; the end of the program where it fails."""
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}")


def build_c():
    quietly("cmake", "--preset", "asan")
    quietly("cmake", "--build", ASAN, "-j", "2",
            *(word for name in PROGRAMS for word in ("--target", f"property_{name}")))


def build_python():
    """The package in build/asan-python/zermelo: links to the sources, and a module of its own."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    parts = "TOOLS TESTS BENCH".split(), "CAIRO GDAL DNNL".split()
    off = [f"-DZM_BUILD_{name}=OFF" for name in parts[0]] + [f"-DZM_WITH_{name}=OFF" for name in parts[1]]
    quietly("cmake", "-S", ROOT, "-B", PYTHON_BUILD, "-DCMAKE_BUILD_TYPE=Debug",
            "-DCMAKE_C_FLAGS_DEBUG=-O1 -g", "-DZM_SANITIZE=address,undefined", *off,
            f"-DZM_PYTHON_INCLUDE={sysconfig.get_path('include')}", f"-DZM_PYTHON_SUFFIX={suffix}",
            "-DZM_PYTHON_DEFINE=")
    quietly("cmake", "--build", PYTHON_BUILD, "--target", "zermelo_python", "-j", "2")
    package = PYTHON_BUILD / "zermelo"
    package.mkdir(exist_ok=True)
    for path in [*ROOT.glob("python/zermelo/*"), PYTHON_BUILD / "lib" / f"_core{suffix}"]:
        link = package / path.name
        if not link.is_symlink() and path.name != "__pycache__":
            link.symlink_to(path)


def python_environment():
    paths = [subprocess.run(["gcc", f"-print-file-name={name}"], text=True, check=True,
                            capture_output=True).stdout.strip()
             for name in ("libasan.so", "libstdc++.so.6")]  # of modules that throw exceptions
    return {"LD_PRELOAD": " ".join(paths), "PYTHONPATH": str(PYTHON_BUILD), "PYTHONMALLOC": "malloc"}


def turns(only):
    """The commands of one turn, as functions of the seed, and what they need around them."""
    found = []
    if only != "python":
        build_c()
        found += [(lambda seed, name=name: [ASAN / "tests/property" / name, str(seed)], {})
                  for name in PROGRAMS]
    if only != "c":
        build_python()
        script = [sys.executable, ROOT / "python/tests/test_mutation.py", "--rounds", str(ROUNDS)]
        found.append((lambda seed: [*script, "--seed", str(seed)], python_environment()))
    return found


def tried(command, around, seed):
    """Whether one run found nothing; what it said is kept where it did."""
    FOUND.mkdir(parents=True, exist_ok=True)
    log = FOUND / f"mutate-{seed}.log"
    with open(log, "w", encoding="utf-8") as out:
        try:
            status = subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, check=False,
                                    timeout=SLOW, env=os.environ | OPTIONS | around).returncode
        except subprocess.TimeoutExpired:
            status = f"hangs for {SLOW} s"
    if status == 0:
        log.unlink()
        return True
    print(f"FOUND: {' '.join(map(str, command))}: status {status}, see {log}", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; each has the next one")
    parser.add_argument("--only", choices=["c", "python"])
    arguments = parser.parse_args()
    commands = turns(arguments.only)
    end, seed, findings, runs = time.monotonic() + arguments.seconds, arguments.seed, 0, 0
    while time.monotonic() < end or runs < len(commands):
        command, around = commands[runs % len(commands)]
        findings += not tried(command(seed), around, seed)
        seed, runs = seed + 1, runs + 1
    print(f"{runs} runs in {arguments.seconds:.0f} s, seeds {arguments.seed} to {seed - 1}: "
          f"{findings} findings")
    return findings != 0


if __name__ == "__main__":
    sys.exit(main())
