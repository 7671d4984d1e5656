# SPDX-License-Identifier: Apache-2.0
"""A wrong command line ends with status 2 and one sentence that says what is wrong."""

from _tool import ToolTest, main, metric, np

BASE = ("solve", "--metric", "g.npy", "--out", "T.npy")


class Usage(ToolTest):
    def setUp(self):
        super().setUp()
        self.save("g.npy", np.ones((5, 6)))

    def test_version_is_one_line(self):
        out = self.zermelo("--version").stdout
        self.assertRegex(out, r"^zermelo \d+\.\d+\.\d+\n$")

    def test_no_verb_shows_the_verbs_and_fails(self):
        run = self.zermelo(status=2)
        self.assertIn("solve", run.stderr)
        self.assertEqual(run.stdout, "")

    def test_unknown_words_are_named_and_corrected(self):
        self.refuses(2, "did you mean solve?", "solv")
        self.refuses(2, "unknown verb 'xyzzy'", "xyzzy")
        self.refuses(2, "did you mean --metric?", "solve", "--metrik", "g.npy")
        self.refuses(2, "unknown option --xyzzy", *BASE, "--xyzzy", "1")
        self.refuses(2, "two dashes", *BASE, "-o", "x")
        self.refuses(2, "before a verb", "--metric", "g.npy")
        self.refuses(2, "did you mean", "help", "solv")
        self.refuses(2, "one verb", "help", "solve", "info")

    def test_missing_things_are_named(self):
        self.refuses(2, "--metric FILE is missing", "solve", "--source", "1,1", "--out", "T.npy")
        self.refuses(2, "--out FILE is missing", "solve", "--metric", "g.npy", "--source", "1,1")
        self.refuses(2, "no source", *BASE)
        self.refuses(2, "--out needs a value", "solve", "--metric", "g.npy", "--out")
        self.refuses(2, "--out needs a value", "solve", "--out", "--metric", "g.npy")
        self.refuses(2, "--cotangent FILE is missing", "gradient", "--metric", "g.npy",
                     "--source", "1,1", "--out-metric", "x.npy")
        self.save("c.npy", np.ones((5, 6)))
        self.refuses(2, "no derivative asked for", "gradient", "--metric", "g.npy",
                     "--source", "1,1", "--cotangent", "c.npy")
        self.refuses(2, "no direction", "tangent", "--metric", "g.npy", "--source", "1,1",
                     "--out", "x.npy")
        self.refuses(2, "needs a metric", "info", "--drift", "b.npy")

    def test_values_that_are_none_are_quoted(self):
        for name, bad in {
            "threads": ["0", "-1", "1.5", "two", "", "99999999999", "257", "2x"],
            "max-iterations": ["0", "-3", "1e3", "12abc", "9999999999"],
            "repeat": ["0", "x"],
            "tol": ["-1", "nan", "inf", "1e999", "12abc", "0x1", " 1", ""],
            "t-max": ["nan", "soon", "1,2", ""],
            "spacing": ["0", "-1", "1,0", "1,2,3", "nan", "inf", "1,", ",1", ""],
            "dtype": ["float16", "double", ""],
            "source": ["1", "1,2,3,4", "a,b", "-1,2", "1.5,-0.5", "nan,1", "1,inf", "1,2,nan",
                       "1,2,inf", "", ","],
            "stencils": ["Adaptive", "auto", "", "fixed "],
            "order": ["0", "4", "1.5", "second", ""],
            "factor": ["0", "-1", "nan", "everywhere", ""],
            "periodic": ["z", "xx", "x,y", "none", ""],
            "until-reached": ["1", "1.5,2", "1,2,3", "-1,0", ""],
            "max-cells": ["0", "-1", "1e3", ""],
        }.items():
            for value in bad:
                with self.subTest(option=name, value=value):
                    args = [*BASE, "--source", "1,1"] if name != "source" else [*BASE]
                    self.refuses(2, f"--{name} needs", *args, f"--{name}={value}")

    def test_options_are_given_once_and_flags_without_value(self):
        self.refuses(2, "--out is given twice", *BASE, "--source", "1,1", "--out", "U.npy")
        self.refuses(2, "--quiet takes no value", *BASE, "--source", "1,1", "--quiet=yes")

    def test_operands_are_refused_where_none_belong(self):
        self.refuses(2, "unexpected argument 'g.npy'", *BASE, "--source", "1,1", "g.npy")

    def test_files_that_would_overwrite_each_other_are_refused(self):
        source = ("--source", "1,1")
        self.refuses(2, "name the same file", "solve", "--metric", "g.npy", *source,
                     "--out", "g.npy")
        self.refuses(2, "name the same file", "solve", "--metric", "g.npy", *source,
                     "--out", "./../" + self.dir.name + "/g.npy")
        self.refuses(2, "name the same file", *BASE, *source, "--stencil-map", "./T.npy")
        self.refuses(2, "name the same file", *BASE, *source, "--json", "T.npy")
        (self.dir / "link.npy").symlink_to("g.npy")
        (self.dir / "hard.npy").hardlink_to(self.dir / "g.npy")
        for name in "link.npy", "hard.npy":
            self.refuses(2, "name the same file", "solve", "--metric", "g.npy", *source,
                         "--out", name)
        self.zermelo("solve", "--metric", "g.npy", *source, "--out", "/dev/null", "--json",
                     "/dev/null", "--quiet")
        self.assertTrue(np.array_equal(self.load("g.npy"), np.ones((5, 6))))

    def test_standard_input_and_output_are_named_as_files(self):
        self.refuses(2, "/dev/stdin is one", "solve", "--metric", "-", "--out", "T.npy")
        self.refuses(2, "/dev/stdout is one", "solve", "--metric", "g.npy", "--out", "-")

    def test_equals_sign_and_double_dash(self):
        self.zermelo("solve", "--metric=g.npy", "--source=1,1", "--out=T=1.npy", "--quiet")
        self.assertIn("T=1.npy", self.files())
        self.save("--odd.npy", metric(2, 2))
        out = self.zermelo("info", "--", "--odd.npy").stdout
        self.assertTrue(out.startswith("--odd.npy: (3, 2, 2) float64"))

    def test_status_1_for_files_and_2_for_the_command_line(self):
        self.refuses(1, "cannot read --metric no.npy: No such file", "solve", "--metric",
                     "no.npy", "--source", "1,1", "--out", "T.npy")
        self.refuses(2, "no source", "solve", "--metric", "no.npy", "--out", "T.npy")


if __name__ == "__main__":
    main()
