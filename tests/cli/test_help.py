# SPDX-License-Identifier: Apache-2.0
"""Help, manual, reference page and completion agree, and their examples run."""
import os
import re
import shutil
import subprocess

from _tool import GROUPS, ROOT, TOOL, VERBS, ToolTest, main, options_in


class Help(ToolTest):
    def help(self, verb):
        return self.zermelo(verb, "--help").stdout

    def test_help_has_three_spellings_and_fits_a_terminal(self):
        for verb in VERBS:
            text = self.help(verb)
            self.assertEqual(text, self.zermelo("help", verb).stdout)
            self.assertEqual(text, self.zermelo(verb, "--metric", "x", "-h").stdout)
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
            for part in "Usage:", "Example:", "Exit status:":
                self.assertIn(part, text)
        text = self.zermelo("--help").stdout
        self.assertEqual(text, self.zermelo("help").stdout)
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", text)

    def test_examples_run_as_they_stand(self):
        bin_dir = self.dir / "bin"
        bin_dir.mkdir()
        (bin_dir / "zermelo").symlink_to(TOOL)
        (bin_dir / "python3").symlink_to(os.path.realpath(os.sys.executable))
        environment = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}"}
        for verb in VERBS:
            example = self.help(verb).split("\nExample:\n")[1].split("\nExit status")[0]
            run = subprocess.run(["sh", "-e", "-c", example], cwd=self.dir, env=environment,
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, example + run.stderr)

    def test_manual_and_reference_page_know_every_option(self):
        manual = (ROOT / "docs/man/zermelo.1").read_text()
        page = (ROOT / "docs/cli.md").read_text()
        for verb in VERBS:
            options = options_in(self.help(verb))
            self.assertTrue(options)
            for option in options:
                self.assertRegex(manual, rf"\.It Fl Fl {option[2:]}\b", f"{verb} {option}")
                self.assertIn(f"`{option}", page, f"{verb} {option}")

    def test_manual_knows_nothing_else(self):
        known = set().union(*(options_in(self.help(verb)) for verb in VERBS))
        manual = (ROOT / "docs/man/zermelo.1").read_text()
        listed = {"--" + name for name in re.findall(r"^\.It Fl Fl ([a-z-]+)", manual, re.M)}
        with_cairo = {"--plot", "--list", "--quick", "--seed"}  # not in every build
        self.assertEqual(listed - known - with_cairo - {"--help", "--version"}, set())

    def test_manual_is_well_formed(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc")
        run = subprocess.run(["mandoc", "-Tlint", "-Wwarning", ROOT / "docs/man/zermelo.1"],
                             capture_output=True, text=True)
        self.assertEqual(run.stdout + run.stderr, "")

    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = f"""
            source {ROOT}/cli/completion/zermelo
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _zermelo; printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        run = subprocess.run(["bash", "-c", script, "bash", TOOL, *words], cwd=self.dir,
                             capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        return set(run.stdout.split())

    def test_completion_offers_verbs_options_files_and_choices(self):
        self.save("metric.npy", [1.0])
        (self.dir / "notes.txt").write_text("")
        (self.dir / "sub").mkdir()
        self.assertEqual(self.complete(""), {*VERBS, *GROUPS, "help", "--help", "--version"})
        self.assertEqual(self.complete("so"), {"solve"})
        self.assertEqual(self.complete("help", "t"), {"tangent"})
        for verb in VERBS:
            self.assertEqual(self.complete(verb, "--"), {*options_in(self.help(verb)), "--help"})
        self.assertEqual(self.complete("solve", "--t"),
                         {"--t-max", "--tol", "--threads", "--targets"})
        self.assertEqual(self.complete("solve", "--stencil", ""), {"auto", "fixed"})
        self.assertEqual(self.complete("gradient", "--factor", "a"), {"all"})
        self.assertEqual(self.complete("path", "--periodic", ""), {"x", "y", "xy"})
        self.assertEqual(self.complete("solve", "--metric", ""), {"metric.npy", "sub/"})
        self.assertEqual(self.complete("solve", "--dtype", "float3"), {"float32"})
        self.assertEqual(self.complete("convert", "--to", ""), {"randers", "zermelo", "ellipse"})
        self.assertEqual(self.complete("convert", "--head", ""), {"metric.npy", "sub/"})
        self.assertEqual(self.complete("info", "m"), {"metric.npy"})
        self.assertIn("notes.txt", self.complete("solve", "--json", ""))
        self.assertIn("notes.txt", self.complete("invert", "--observations", ""))
        self.assertEqual(self.complete("invert", "--unknown", "iso"),
                         {"isotropic", "isotropic+drift"})
        self.assertEqual(self.complete("invert", "--method", "ga"), {"gauss-newton"})
        self.assertEqual(self.complete("invert", "--walls", ""), {"metric.npy", "sub/"})
        if "reproduce" in VERBS:
            self.assertEqual(self.complete("reproduce", "isot"), {"isotropic"})
            self.assertEqual(self.complete("reproduce", "isotropic", "--out", ""), {"sub/"})


if __name__ == "__main__":
    main()
