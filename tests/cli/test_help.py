# SPDX-License-Identifier: Apache-2.0
"""Help, manual, reference page and completion agree, and their examples run."""
import os
import re
import shutil
import subprocess

from _tool import GROUPS, HAS_FIRE, LISTED, ROOT, TOOL, VERBS, ToolTest, main, options_in


def all_verbs(test):
    """Also those of groups, e.g. "fire physics"."""
    members = re.findall(r"^  ([a-z]+) ", test.zermelo("fire", "--help").stdout, re.M) if HAS_FIRE else []
    return [*VERBS, *(f"fire {verb}" for verb in members if verb != "help")]


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
        for verb in LISTED:
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

    def test_reference_page_knows_every_option(self):
        page = (ROOT / "docs/cli.md").read_text()
        for verb in VERBS:
            for option in options_in(self.help(verb)):
                self.assertIn(f"`{option}", page, f"{verb} {option}")

    def manual(self):
        """All pages by the words after zermelo, as the tool itself writes them."""
        folder = self.dir / "man"
        folder.mkdir()
        self.zermelo("--generate", "man", folder)
        return {page.stem[8:].replace("-", " "): page for page in folder.iterdir()}

    def test_every_verb_has_a_page_with_exactly_its_options(self):
        pages = self.manual()
        self.assertEqual(set(pages), {"", *all_verbs(self), *(GROUPS if HAS_FIRE else ())})
        for verb in all_verbs(self):
            text = pages[verb].read_text()
            listed = {"--" + name for name in re.findall(r"^\.It Fl Fl ([a-z0-9-]+)", text, re.M)}
            self.assertEqual(listed, options_in(self.zermelo("help", *verb.split()).stdout), verb)

    def test_manual_is_well_formed(self):
        for page in self.manual().values():
            for command in (["mandoc", "-Tlint", "-Wwarning", page],
                            ["groff", "-mdoc", "-Tutf8", "-ww", "-z", page]):
                if shutil.which(command[0]):
                    run = subprocess.run(command, capture_output=True, text=True)
                    self.assertEqual(run.stdout + run.stderr, "", page)

    def script(self, shell):
        path = self.dir / f"completion.{shell}"
        path.write_text(self.zermelo("--generate", shell).stdout)
        return path

    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = f"""
            source {self.dir}/completion.bash
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _zermelo; printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        run = subprocess.run(["bash", "-c", script, "bash", TOOL, *words], cwd=self.dir,
                             capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        return set(run.stdout.split())

    def test_completion_offers_verbs_options_files_and_choices(self):
        self.script("bash")
        files = self.dir / "files"
        (files / "sub").mkdir(parents=True)
        self.save("files/metric.npy", [1.0])
        both = {"files/metric.npy", "files/sub"}
        self.assertEqual(self.complete(""), {*LISTED, *GROUPS, "help", "--help", "--version"})
        self.assertEqual(self.complete("so"), {"solve"})
        self.assertEqual(self.complete("help", "t"), {"tangent"})
        for verb in all_verbs(self):
            words = verb.split()
            self.assertEqual(self.complete(*words, "--"),
                             {*options_in(self.zermelo("help", *words).stdout), "--help"}, verb)
        self.assertEqual(self.complete("solve", "--t"),
                         {"--t-max", "--tol", "--threads", "--targets"})
        self.assertEqual(self.complete("solve", "--stencils", ""), {"adaptive", "fixed"})
        self.assertEqual(self.complete("gradient", "--factor", "a"), {"all"})
        self.assertEqual(self.complete("path", "--periodic", ""), {"x", "y", "xy"})
        self.assertEqual(self.complete("solve", "--metric", "files/"), both)
        self.assertEqual(self.complete("solve", "--dtype", "float3"), {"float32"})
        self.assertEqual(self.complete("convert", "--to", ""), {"randers", "zermelo", "ellipse"})
        self.assertEqual(self.complete("convert", "--head", "files/"), both)
        self.assertEqual(self.complete("info", "files/m"), {"files/metric.npy"})
        self.assertEqual(self.complete("solve", "--json", "files/"), both)
        self.assertEqual(self.complete("invert", "--observations", "files/"), both)
        self.assertEqual(self.complete("invert", "--unknown", "iso"),
                         {"isotropic", "isotropic+drift"})
        self.assertEqual(self.complete("invert", "--method", "ga"), {"gauss-newton"})
        if "reproduce" in VERBS:
            self.assertEqual(self.complete("reproduce", "isot"), {"isotropic"})
            self.assertEqual(self.complete("reproduce", "isotropic", "--out", "files/"),
                             {"files/sub"})
        if HAS_FIRE:
            self.assertEqual(self.complete("fire", "sc"), {"score"})
            self.assertEqual(self.complete("fire", "physics", "--scene", "files/"), {"files/sub"})

    def test_every_choice_that_completion_offers_is_accepted(self):
        """Choices are read from the messages of the parsers: a message that reads wrongly would
        offer a word that its own parser refuses.  The option after it keeps the verb from running."""
        table = self.script("bash").read_text()
        found = re.findall(r"^    '([a-z ]+) (--[a-z0-9-]+)'\) echo '([a-z0-9][^']*)' ;;", table, re.M)
        self.assertGreater(len(found), 30)
        for verb, option, choices in found:
            for choice in choices.split():
                self.refuses(2, "unknown option --no-such", *verb.split(), option, choice, "--no-such")

    def test_zsh_and_fish_read_their_scripts_and_offer_the_options(self):
        zsh, fish = self.script("zsh"), self.script("fish")
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", zsh], check=True)
        if shutil.which("fish"):
            ask = f"source {fish}; complete -C 'zermelo {{}}' | string replace -r '\\t.*' ''"
            for verb in all_verbs(self):
                run = subprocess.run(["fish", "--no-config", "-c", ask.format(f"{verb} --")],
                                     capture_output=True, text=True, check=True)
                self.assertEqual(set(run.stdout.split()),
                                 options_in(self.zermelo("help", *verb.split()).stdout), verb)
        text = zsh.read_text()
        for verb in all_verbs(self):
            part = text.split(f"    ({verb.split()[-1]})\n")
            self.assertGreater(len(part), 1, verb)
            shown = [set(re.findall(r"'\*?(--[a-z0-9-]+)\[", p.split(";;")[0])) for p in part[1:]]
            self.assertIn({*options_in(self.zermelo("help", *verb.split()).stdout), "--help"}, shown)


if __name__ == "__main__":
    main()
