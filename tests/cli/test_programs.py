# SPDX-License-Identifier: Apache-2.0
"""Verbs that are programs of their own: found beside the tool, and nowhere else."""
import pathlib
import re
import subprocess

from _tool import TOOL, ToolTest, main

TO_INSTALL = {"fire": "libgdal-dev", "reproduce": "libcairo2-dev", "view": "esbuild"}
SAYS_ITS_NAME = '#!/bin/sh\necho "this is $0 $*"\n'


class Programs(ToolTest):
    def setUp(self):
        """The tool alone in a folder, where it finds its libraries."""
        super().setUp()
        self.tool = self.executable("bin/zermelo", pathlib.Path(TOOL).read_bytes())
        libraries = subprocess.run(["ldd", TOOL], capture_output=True, text=True).stdout
        found = re.search(r"=> (\S+)/libzermelo\.so", libraries)
        self.environment = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": found[1] if found else ""}

    def executable(self, name, content):
        path = self.dir / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755)
        return path

    def run_copy(self, *words, path=None):
        environment = {**self.environment, **({} if path is None else {"PATH": path})}
        return subprocess.run([self.tool, *words], capture_output=True, text=True, cwd=self.dir,
                              env=environment)

    def test_a_program_beside_the_tool_is_run_with_the_words_after_the_verb(self):
        for verb in TO_INSTALL:
            program = self.executable(f"bin/zermelo-{verb}", SAYS_ITS_NAME.encode())
            self.assertEqual(self.run_copy(verb, "one", "two").stdout, f"this is {program} one two\n")
            self.assertEqual(self.run_copy("help", verb).stdout, f"this is {program} help\n")

    def test_a_missing_program_is_named_with_what_to_install(self):
        for verb, package in TO_INSTALL.items():
            run = self.run_copy(verb, "--help", path="/nowhere")
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn(package, run.stderr)

    def test_programs_on_path_or_in_the_working_directory_are_not_run(self):
        """Whoever can write to a folder on PATH must not be run in place of the program."""
        for verb, package in TO_INSTALL.items():
            self.executable(f"elsewhere/zermelo-{verb}", SAYS_ITS_NAME.encode())
            self.executable(f"zermelo-{verb}", SAYS_ITS_NAME.encode())  # working directory
            for path in f"{self.dir}/elsewhere:/usr/bin", ".", "", ":/usr/bin":
                run = self.run_copy(verb, "--help", path=path)
                self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
                self.assertIn(package, run.stderr)


if __name__ == "__main__":
    main()
