# SPDX-License-Identifier: Apache-2.0
"""zermelo.fire trains and predicts as the tool does, and can be stopped and resumed."""
import signal
import sys
import threading
import unittest

import numpy as np

import zermelo
from _fire import SceneCase, fire, main

if not hasattr(fire.learning.native, "model_load"):
    print("0 passed, 0 failed, 1 skipped\nskipped: built without oneDNN (Debian: libdnnl-dev)")
    sys.exit(0)

SMALL = dict(layers=1, channels=4, hidden=8)
WORDS = ["--layers", 1, "--channels", 4, "--hidden", 8]


class Learning(SceneCase):
    fires = 8

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def test_training_and_prediction_are_as_of_the_tool(self):
        self.tool("train", "--data", ".", "--scenes", "valley", "--model", "tool.safetensors",
                  "--epochs", 3, *WORDS)
        told = []
        t = fire.train(self.scene, self.folder / "ours.safetensors", epochs=3, threads=2,
                       monitor=lambda epoch: told.append(epoch), **SMALL)
        self.assertEqual(self.bytes_of("ours.safetensors"), self.bytes_of("tool.safetensors"))
        self.assertEqual([e.epoch for e in t.history], [1, 2, 3])
        self.assertGreaterEqual(len(told), 3)
        self.assertEqual(t.history[-1].batch, t.history[-1].batches)
        self.assertEqual(t.fires, len(self.scene.of_split("train")))
        self.tool("predict", "--model", "tool.safetensors", "--scene", "valley", "--out", "maps")
        for name, one in self.scene.items():
            T = fire.predict(t.model, one)
            told = np.asarray(self.scene.read_times(self.folder / f"maps/{name}.tif"))
            np.testing.assert_array_equal(np.asarray(T), told)

    def test_other_options_are_as_of_the_tool(self):
        cases = [(["--form", "physics", "--shrink", 0.01, "--score", "rmse"],
                  dict(form="physics", shrink=0.01, score="rmse")),
                 (["--loss", "area", "--censored", 0.5, "--mean-weather", "--no-prior", "--rate",
                   0.01, "--batch", 3, "--seed", 4],
                  dict(loss="area", censored=0.5, mean_weather=True, prior=False, rate=0.01, batch=3,
                       seed=4))]
        for k, (options, keywords) in enumerate(cases):
            with self.subTest(options):
                self.tool("train", "--data", ".", "--scenes", "valley", "--model", f"t{k}", "--epochs",
                          1, *WORDS, *options)
                fire.train(self.scene, self.folder / f"p{k}", epochs=1, **SMALL, **keywords)
                self.assertEqual(self.bytes_of(f"p{k}"), self.bytes_of(f"t{k}"))

    def test_a_stopped_training_goes_on_to_the_same_end(self):
        """By a monitor that says so, by its exception, and by Ctrl-C: the checkpoint is usable."""
        fire.train(self.scene, self.folder / "whole", epochs=3, **SMALL)

        def says_stop(epoch):
            return epoch.epoch == 2

        def fails(epoch):
            if epoch.epoch == 2:
                raise KeyError("of the monitor")

        def ctrl_c(epoch):
            if epoch.epoch == 2:
                signal.raise_signal(signal.SIGINT)
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            for monitor, kind in ((says_stop, zermelo.Cancelled), (fails, KeyError),
                                  (ctrl_c, KeyboardInterrupt)):
                path = self.folder / f"part-{kind.__name__}"
                with self.assertRaises(kind):
                    fire.train(self.scene, path, epochs=3, monitor=monitor, **SMALL)
                self.assertGreater(fire.Model(path).parameters, 0)
                fire.train(self.scene, path, epochs=3, resume=True, **SMALL)
                self.assertEqual(path.read_bytes(), self.bytes_of("whole"))
        finally:
            signal.signal(signal.SIGINT, previous)

    def test_a_model_is_shared_by_threads(self):
        fire.train(self.scene, self.folder / "shared", epochs=1, **SMALL)
        model = fire.Model(self.folder / "shared")
        alone = np.asarray(fire.predict(model, self.one))
        found = [None] * 4

        def predict(k):
            found[k] = np.asarray(fire.predict(model, self.one))
        threads = [threading.Thread(target=predict, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for T in found:
            np.testing.assert_array_equal(T, alone)

    def test_fires_of_several_cells_are_predicted(self):
        fire.train(self.scene, self.folder / "cells", epochs=1, **SMALL)
        land = self.scene.landscape
        t = land.grid.transform
        row, col = self.one.cell
        at = [(t[0] + (col + k + 0.5) * t[1], t[3] + (row + 0.5) * t[5]) for k in (0, 1)]
        lit = fire.Fire(land, self.one.weather, fire.Ignition(at, times=[0.0, 0.25]))
        T = np.asarray(fire.predict(self.folder / "cells", lit))
        self.assertEqual(T[row, col], 0.0)
        self.assertLessEqual(T[row, col + 1], 0.25)

    def test_what_does_not_go_together_is_refused(self):
        path = self.folder / "none"
        fire.train(self.scene, self.folder / "base", epochs=1, **SMALL)
        base = self.folder / "base"
        for data, keywords, pattern in (
                ([], {}, "data is empty"), (self.scene, dict(form="magic"), "form is 'magic'"),
                (self.scene, dict(start_from=base, layers=2), "layers is of new models"),
                (self.scene, dict(start_from=base, form="paper"), "form is of new models"),
                (self.scene, dict(front="markers"), "of the form physics"),
                (self.scene, dict(form="physics", prior=False), "prior is not for"),
                (self.scene, dict(patches=(20, 10)), "patches need mean weather"),
                (self.scene, dict(form="paper", patches=(20, 10), bands=(0.5, 0.5)), "two ways"),
                (self.scene, dict(form="paper", patches=(20, 10), censored=1.0), "censored"),
                (self.scene, dict(epochs=0), "epochs"), (self.scene, dict(rate=0.0), "rate"),
                (self.scene, dict(score="good"), "score is 'good'"),
                (self.scene, dict(loss="l1"), "loss is 'l1'")):
            with self.subTest(keywords), self.assertRaisesRegex(zermelo.Error, pattern):
                fire.train(data, path, **keywords)
        with self.assertRaisesRegex(TypeError, "model is int, expected a Model or the path of one"):
            fire.predict(7, "fire.safetensors")
        # each was once taken as if it had not been given
        for keywords in (dict(censored=-1.0), dict(censored=float("nan")), dict(shrink=-0.5),
                         dict(average=-0.1), dict(warm_up=-3), dict(layers=-1), dict(channels=0),
                         dict(hidden=0), dict(most=-1), dict(patches=(0, 0), form="paper"),
                         dict(bands=(0.0, 0.25)), dict(seed=-1)):
            with self.subTest(keywords), \
                    self.assertRaisesRegex(zermelo.ArgumentError, next(iter(keywords))):
                fire.train(self.scene, path, **keywords)
        with self.assertRaisesRegex(TypeError, "expected Scene or Observed"):
            fire.train(["valley"], path)
        self.assertFalse(path.exists())
        with self.assertRaisesRegex(zermelo.Error, "nothing"):
            fire.Model(self.folder / "nothing")
        with self.assertRaisesRegex(zermelo.Error, "t_max"):
            fire.predict(base, self.one, t_max=-1.0)


if __name__ == "__main__":
    main()
