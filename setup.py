# SPDX-License-Identifier: Apache-2.0
"""Builds the Python package: the system's CMake makes the extension modules with the same
kernels, flags and threads as the C library, and setuptools packs them.

    pip install .                                            (with a network)
    pip install --no-build-isolation --no-index --no-deps .  (without)

zermelo.fire is built where GDAL and Jansson are found, and can train where oneDNN is too;
zermelo.view where zlib and what makes WebAssembly are (docs/view.md).
CMAKE_ARGS in the environment goes to CMake, e.g. -DZM_WITH_OPENMP=OFF or -DZM_WITH_GDAL=OFF.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
# One module for all interpreters from 3.11 on, whose limited API has the buffer protocol.
LIMITED = sys.version_info >= (3, 11) and not sysconfig.get_config_var("Py_GIL_DISABLED")
JOBS = "2"


def version():
    header = (ROOT / "include/zermelo/version.h").read_text(encoding="utf-8")
    return re.search(r'#define ZM_VERSION "(.*)"', header)[1]


class CMakeBuild(build_ext):
    """Makes zermelo._core and zermelo._fire with python/CMakeLists.txt."""

    def build_extension(self, ext):
        if not shutil.which("cmake"):
            raise SystemExit("zermelo is built with CMake 3.21 or later and a C17 compiler; "
                             "please install cmake (Debian: apt install cmake build-essential)")
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        unused = "ZM_BUILD_TOOLS ZM_BUILD_TESTS ZM_BUILD_BENCH ZM_WITH_CAIRO"
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "ZM_PYTHON_INCLUDE": sysconfig.get_path("include"),
            "ZM_PYTHON_SUFFIX": target.name.removeprefix("_core"),
            "ZM_PYTHON_DEFINE": "Py_LIMITED_API=0x030B0000" if LIMITED else "",
            **dict.fromkeys(unused.split(), "OFF"),
            # a build folder that is older than these parts has them off
            **dict.fromkeys(("ZM_WITH_GDAL", "ZM_WITH_DNNL", "ZM_WITH_VIEW"), "ON"),
        }
        subprocess.run(["cmake", "-S", ROOT, "-B", build,
                        *(f"-D{name}={value}" for name, value in options.items()),
                        *os.environ.get("CMAKE_ARGS", "").split()], check=True)
        for old in build.glob("lib/_*"):  # what is not made any more is not packed
            old.unlink()
        subprocess.run(["cmake", "--build", build, "--target", "zermelo_python", "-j", JOBS],
                       check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        for name in "_core", "_fire":  # the second where the machine has GDAL
            made = build / "lib" / target.name.replace("_core", name, 1)
            packed = target.with_name(made.name)
            packed.unlink(missing_ok=True)
            if made.exists():
                shutil.copy(made, packed)


setup(
    version=version(),
    ext_modules=[Extension("zermelo._core", sources=[], py_limited_api=LIMITED)],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": "build/setuptools"},
             **({"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED else {})},
)
