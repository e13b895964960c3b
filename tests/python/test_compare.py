"""gbv.compare gives what `gbv compare` gives, as Python data."""
import copy
import inspect
import json
import math
import pickle
import unittest

from support import FolderTest, gbv, people, program


class Comparing(FolderTest):
    methods = ["gbv:leep", "gbv:nce", "cmmd", "uniform"]

    def setUp(self):
        super().setUp()
        self.reference, self.sources = people()
        self.test = people(rows=400)[0]

    def compare(self, **options):
        return gbv.compare(self.reference, self.sources, **{"methods": self.methods, "test": self.test, **options})

    def test_the_same_numbers_as_the_program(self):
        given = self.write_people(self.reference, self.sources)
        self.write_npz("test.npz", self.test)
        for arguments, options in [
            (["--test", "test.npz"], {}),
            (["--test", "test.npz", "--seeds", "3", "--intervals", "20", "--tau", "0.2", "--prior", "rows"],
             {"seeds": 3, "intervals": 20, "tau": 0.2, "prior": "rows"}),
            ([], {"test": None}),
        ]:
            expected = json.loads(program("compare", *given, "--methods", ",".join(self.methods), *arguments,
                                          "--format", "json"))
            found = self.compare(**options).record
            self.assertEqual(found.keys(), expected.keys())
            for key in expected.keys() - {"inputs"}:
                self.assertEqual(found[key], expected[key], key)

    def test_paths_give_the_same_bytes(self):
        given = self.write_people(self.reference, self.sources)
        self.write_npz("test.npz", self.test)
        paths = {name: f"source-{i}.npz" for i, name in enumerate(self.sources)}
        comparison = gbv.compare("reference.npz", paths, test="test.npz", methods="gbv,uniform")
        for form, text in (("json", comparison.to_json()), ("csv", comparison.to_csv())):
            self.assertEqual(text, program("compare", *given, "--test", "test.npz", "--methods", "gbv,uniform",
                                           "--format", form).decode())
        comparison.save("saved.json")
        with open("saved.json", encoding="utf-8") as file:
            self.assertEqual(file.read(), comparison.to_json())

    def test_what_a_comparison_offers(self):
        comparison = self.compare()
        self.assertEqual(list(comparison.methods), ["gbv leep", "gbv nce", "cmmd exact", "uniform"])
        self.assertEqual(list(comparison.baselines), ["reference-only", "pooled", "best-source-only", "reference+P(s)"])
        self.assertEqual(len(comparison.methods["cmmd exact"]["accuracies"]), 5)
        result = gbv.value(self.reference, self.sources)
        self.assertEqual(comparison.posterior["gbv leep"], result.posterior)
        self.assertEqual(comparison.scores["gbv leep"], result.scores)
        self.assertEqual(comparison.sources, result.sources)
        self.assertGreater(comparison.test_accuracy["annotator 0"], comparison.test_accuracy["annotator 2"])
        verdict = comparison.verdict
        self.assertEqual(repr(comparison).splitlines()[0], verdict["sentence"])
        accuracy = {**{label: each["accuracy"] for label, each in comparison.methods.items()},
                    **{name: each["accuracy"] for name, each in comparison.baselines.items()}}
        self.assertAlmostEqual(verdict["gain"], accuracy[verdict["best"]] - accuracy[verdict["to_beat"]])
        self.assertEqual(verdict["kind"] == "a valuation pays", verdict["gain"] > 2 * verdict["gain_standard_error"])
        for again in (pickle.loads(pickle.dumps(comparison)), copy.deepcopy(comparison)):
            self.assertEqual(again.to_json(), comparison.to_json())
        model = gbv.train(self.sources, comparison.posterior["cmmd exact"])
        self.assertGreater(model.score(*self.test), 0.7)

    def test_to_frame(self):
        try:
            frame = self.compare().to_frame()
        except ImportError:
            self.skipTest("pandas is not installed")
        self.assertEqual(frame["kind"].tolist(), ["method"] * 4 + ["baseline"] * 4)
        self.assertEqual((frame.index.name, frame.index[0], frame.index[-1]), ("method", "gbv leep", "reference+P(s)"))
        self.assertTrue(frame["accuracy"].between(0.5, 1).all())
        self.assertTrue(math.isnan(frame.loc["uniform", "pearson"]))
        self.assertEqual(frame.loc["uniform", "effective_sources"], 3)
        untested = self.compare(test=None).to_frame()
        self.assertEqual((len(untested), untested["accuracy"].notna().sum(), str(untested["accuracy"].dtype)),
                         (4, 0, "float64"))

    def test_without_a_test_set_nothing_is_judged(self):
        comparison = self.compare(test=None)
        self.assertEqual((comparison.verdict["kind"], comparison.baselines), ("not judged", {}))
        self.assertTrue(all(map(math.isnan, comparison.test_accuracy.values())))

    def test_a_method_that_cannot_be_used_says_why(self):
        comparison = gbv.compare(self.reference[0], self.sources, methods="gbv,lava", unlabelled=True, test=self.test)
        self.assertTrue(all(map(math.isnan, comparison.posterior["lava pooled"].values())))
        lava = comparison.methods["lava pooled"]
        self.assertIn("the method lava needs the labels of the reference", lava["sources"][-1]["reason"])
        self.assertEqual((lava["accuracy"], lava["accuracies"]), (None, []))

    def test_other_references(self):
        unlabelled = gbv.compare(self.reference[0], self.sources, methods="gbv", unlabelled=True)
        self.assertEqual(list(unlabelled.methods), ["gbv etran-energy paper"])
        none = gbv.compare(gbv.NO_REFERENCE, self.sources, methods="gbv,uniform", test=self.test)
        self.assertEqual(none.baselines["reference-only"]["accuracies"], [])
        self.assertIsNone(none.baselines["reference-only"]["accuracy"])

    def test_every_option_of_value_is_one_of_compare(self):
        value, compare = (set(inspect.signature(function).parameters) for function in (gbv.value, gbv.compare))
        self.assertEqual(value - compare, {"method", "variant", "tau_curve"})
        self.assertEqual(compare - value, {"methods", "test", "seeds"})

    def test_what_is_wrong(self):
        for options, sentence in [
            ({"methods": "gbv,cmd"}, 'there is no method "cmd"'),
            ({"methods": []}, "methods is []; expected a name, or a list of names"),
            ({"seeds": 1}, "a standard error takes 2 to 10000 seeds"),
            ({"seeds": -1}, "seeds is -1; expected a whole number"),
            ({"test": self.test[0]}, "test: is a ndarray; expected (X, y)"),
            ({"tau": "aut"}, "tau is 'aut'"),
            ({"intervals": 1}, "intervals is 1"),
        ]:
            with self.subTest(sentence):
                self.assert_fails(gbv.UsageError, sentence, self.compare, **options)
        self.assert_fails(gbv.InputError, "test", self.compare, test=(self.test[0][:, :2], self.test[1]))
        self.assert_fails(gbv.UsageError, "comparison.posterior[LABEL]", gbv.train, self.sources,
                          self.compare(test=None))
        with self.assertRaises(gbv.InterruptedRun):
            self.compare(model="mlp", epochs=16 * 10**6, progress=lambda done, total: True)


if __name__ == "__main__":
    unittest.main()
