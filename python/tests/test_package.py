# SPDX-License-Identifier: Apache-2.0
"""The archive of sources makes a wheel, and the wheel works in an environment of its own, away from
the sources.  Nothing is fetched."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

from _common import ROOT, main

# What the tests that run there need: the installed package, NumPy and each other.
TESTS = "test_solve.py", "test_derivatives.py", "test_timed.py", "test_convert.py"
SDIST = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"
TRY = """
import pathlib, sys, zermelo
assert pathlib.Path(zermelo.__file__).is_relative_to(sys.prefix), zermelo.__file__
for name in "matplotlib", "torch":
    try:
        __import__(name)
    except ImportError:
        continue
    __import__("zermelo." + {"matplotlib": "plot", "torch": "torch"}[name])
if sys.argv[1] == "fire":
    import zermelo.fire
"""


def run(*command, cwd, **environment):
    """What a command printed; it must succeed."""
    clean = {name: value for name, value in os.environ.items()
             if name not in ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET")}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=clean | environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout[-5000:]}")
    return done.stdout


class Package(unittest.TestCase):
    def setUp(self):
        try:
            import setuptools  # noqa: F401
            import wheel  # noqa: F401
        except ImportError as e:
            self.skipTest(str(e))
        if not shutil.which("cmake"):
            self.skipTest("no cmake")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def unpacked(self):
        """The archive of sources, unpacked, without the sources it was made from."""
        copy = self.dir / "copy"  # setuptools writes beside the sources
        copy.mkdir()
        for name in "CMakeLists.txt LICENSE MANIFEST.in README.md pyproject.toml setup.py".split():
            shutil.copy(ROOT / name, copy)
        for name in "cmake", "include", "python", "src", "web":
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns(
                "__pycache__", "*.egg-info", "*.so", "node_modules"))
        name = run(sys.executable, "-c", SDIST, self.dir, cwd=copy).split()[-1]
        shutil.rmtree(copy)
        with tarfile.open(self.dir / name) as archive:
            archive.extractall(self.dir)
        return self.dir / name.removesuffix(".tar.gz")

    def test_archive_of_sources_to_wheel_to_fresh_environment(self):
        pip = "-m", "pip", "--disable-pip-version-check"
        offline = "--no-index", "--no-deps"
        source = self.unpacked()
        run(sys.executable, *pip, "wheel", *offline, "--no-build-isolation", "-w", self.dir, source,
            cwd=self.dir, CMAKE_ARGS="-DCMAKE_C_FLAGS_RELEASE=-O1")  # sooner there
        shutil.rmtree(source)
        wheel, = self.dir.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            packed = set(archive.namelist())
        wanted = {str(path.relative_to(ROOT / "python")) for pattern in ("*.py", "*.pyi", "py.typed")
                  for path in (ROOT / "python/zermelo").rglob(pattern)}
        self.assertEqual(wanted - packed, set())
        self.assertFalse([name for name in packed if "test" in name])
        modules = [name for name in packed if name.endswith((".so", ".pyd", ".dylib"))]
        self.assertTrue(any("/_core." in name for name in modules), modules)

        env, tests = self.dir / "env", self.dir / "tests"
        run(sys.executable, "-m", "venv", "--system-site-packages", env, cwd=self.dir)
        python = env / "bin/python"
        run(python, *pip, "install", *offline, "--force-reinstall", wheel, cwd=self.dir)
        run(python, "-c", TRY, "fire" if any("/_fire." in name for name in modules) else "",
            cwd=self.dir)
        tests.mkdir()
        for name in "_common.py", *TESTS:
            shutil.copy(ROOT / "python/tests" / name, tests)
        for name in TESTS:
            with self.subTest(name):
                run(python, tests / name, cwd=self.dir)


if __name__ == "__main__":
    main()
