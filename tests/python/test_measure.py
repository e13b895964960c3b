"""gbv.measure gives the score that the command-line program prints, for every measure and variant."""
import json
import os
import unittest

from support import FolderTest, ROOT, gbv, np, program


class Measures(FolderTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        self.labels = rng.integers(0, 3, 60)
        raw = rng.random((60, 3)) + 2 * np.eye(3)[self.labels]
        self.arrays = {"probabilities": raw / raw.sum(axis=1, keepdims=True),
                       "features": (rng.normal(size=(60, 8)) + self.labels[:, None]).astype(np.float32),
                       "source_features": rng.normal(size=(40, 8)).astype(np.float32)}

    def test_every_measure_and_variant_scores_as_the_program_does(self):
        for name, array in {**self.arrays, "labels": self.labels}.items():
            np.save(f"{name}.npy", array)
        for info in gbv.measures():
            for variant in info.variants or (None,):
                given = {need: self.arrays[need] for need in info.needs if need != "labels"}
                arguments = [part for need in given for part in ("--" + need.replace("_", "-"), f"{need}.npy")]
                if "labels" in info.needs or (info.name.startswith("etran") and variant == "code"):
                    given["labels"] = self.labels
                    arguments += ["--labels", "labels.npy"]
                if variant:
                    arguments += ["--variant", variant]
                with self.subTest(measure=info.name, variant=variant):
                    printed = json.loads(program("measure", info.name, *arguments, "--format", "json"))
                    self.assertEqual(gbv.measure(info.name, variant=variant, **given), printed["score"])

    def test_golden_arrays(self):
        golden = os.path.join(ROOT, "tests", "golden")
        labels, probabilities = (os.path.join(golden, f"leep_A_{part}.npy") for part in ("labels", "probs"))
        printed = json.loads(program("measure", "leep", "--labels", labels, "--probabilities", probabilities,
                                     "--format", "json"))
        self.assertEqual(gbv.measure("leep", labels=np.load(labels), probabilities=np.load(probabilities)),
                         printed["score"])

    def test_targets_class_count_and_the_worst_score(self):
        self.assertLess(gbv.measure("logme", features=self.arrays["features"], targets=self.arrays["probabilities"]),
                        np.inf)
        self.assertEqual(gbv.measure("logme", features=np.zeros((4, 1)), labels=[0, 1, 0, 1]), -np.inf)
        self.assertEqual(gbv.measure("accuracy", labels=[0, 1], probabilities=np.eye(2), class_count=2), 1)

    def test_the_list_is_that_of_the_program(self):
        listed = program("list", "measures").decode()
        infos = gbv.measures()
        self.assertEqual([info.name for info in infos],
                         [line.split()[0] for line in listed.splitlines() if line[:1].strip()])
        by_name = {info.name: info for info in infos}
        self.assertEqual(by_name["logme"].variants, ("corrected", "code", "icml"))
        self.assertEqual(by_name["leep"].variants, ())
        self.assertEqual(by_name["mmd"].needs, ("features", "source_features"))
        self.assertTrue(all(info.summary and info.cost and info.blind_to for info in infos))
        self.assertEqual({info.resampled for info in infos}, {"row weights", "half samples"})
        self.assertEqual(by_name["leep"].resampled, "row weights")
        self.assertEqual({info.name: info.joint for info in infos if info.joint}, {"etran": ("paper",)})

    def test_refusals(self):
        p = self.arrays["probabilities"]
        for kind, sentence, name, given in [
            (gbv.UsageError, 'there is no measure "leap"; the nearest is leep', "leap", {"probabilities": p}),
            (gbv.UsageError, "give probabilities or features", "leep", {"labels": self.labels}),
            (gbv.UsageError, "labels", "leep", {"probabilities": p}),
            (gbv.UsageError, "logme", "logme", {"probabilities": p, "labels": self.labels}),
            (gbv.InputError, "labels: has 59 labels for 60 rows", "leep",
             {"probabilities": p, "labels": self.labels[1:]}),
            (gbv.InputError, "features has 8 rows, probabilities 60", "leep",
             {"probabilities": p, "features": np.eye(8), "labels": self.labels}),
            (gbv.InputError, "targets has 59 rows for 60 reference rows", "logme",
             {"features": p, "targets": np.ones((59, 1))}),
            (gbv.InputError, "", "leep", {"probabilities": p * np.nan, "labels": self.labels}),
            (gbv.InputError, "", "leep", {"probabilities": p, "labels": self.labels - 1}),
            (gbv.UndefinedError, "unbiased mmd needs at least two rows", "mmd",
             {"features": p[:1], "source_features": p, "variant": "unbiased"}),
        ]:
            with self.subTest(sentence):
                self.assert_fails(kind, sentence, gbv.measure, name, **given)


if __name__ == "__main__":
    unittest.main()
