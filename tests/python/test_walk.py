"""The way of a new user who has a DataFrame: six workers' labels of real images (Debian's Fashion-MNIST), some gold."""
import re
import unittest

from support import FolderTest, gbv, np, program

import make_inputs

try:
    import pandas
except ImportError:
    pandas = None

# Rank, rows, score and weight, rounded; the more a worker errs, the lower.
EXPECTED = {"w1": (1, 100, -0.2746, 0.4498), "w2": (2, 100, -0.5732, 0.2079), "w3": (3, 100, -0.6425, 0.1738),
            "w4": (4, 100, -0.9593, 0.0766), "w5": (5, 100, -1.0817, 0.0558), "w6": (6, 100, -1.2511, 0.0360)}


@unittest.skipIf(pandas is None, "pandas is not installed")
class Walk(FolderTest):
    def setUp(self):
        super().setUp()
        make_inputs.make_crowd(".")
        items = np.load("items.npz")
        self.pixels = pandas.DataFrame(items["x"], index=items["id"])
        crowd, gold = pandas.read_csv("crowd.csv"), pandas.read_csv("gold.csv")
        self.gold = self.frame(gold)
        self.crowd = self.frame(crowd[~crowd["task"].isin(gold["task"])])

    def frame(self, labels):
        """The pixels of each task beside what is said of it."""
        return self.pixels.loc[labels["task"]].reset_index(drop=True).join(
            labels.drop(columns="task").reset_index(drop=True))

    def test_from_a_frame_to_a_model(self):
        result = gbv.value(self.gold, self.crowd, source_column="worker")
        found = result.to_frame()
        for worker, (rank, rows, score, weight) in EXPECTED.items():
            line = found.loc[worker]
            self.assertEqual((line["rank"], line["rows"]), (rank, rows), worker)
            self.assertAlmostEqual(line["score"], score, delta=1e-4, msg=worker)
            self.assertAlmostEqual(line["posterior"], weight, delta=1e-4, msg=worker)
        self.assertEqual(result.ranking, list(EXPECTED))
        self.assertEqual(found["flags"].to_dict(), {**{worker: "" for worker in EXPECTED},
                                                    "w6": "no_better_than_chance"})

        self.crowd["weight"] = result.sample_weight()
        by_worker = self.crowd.groupby("worker")["weight"].sum()
        for worker, posterior in result.posterior.items():
            self.assertAlmostEqual(by_worker[worker], posterior)
        self.crowd.drop(columns="weight", inplace=True)

        model = gbv.train(self.crowd, result, source_column="worker")
        pooled = gbv.train(self.crowd, "pooled", source_column="worker")
        fresh = make_inputs.load(1200)[300:]
        X = np.array([np.frombuffer(image, np.uint8) for image, _ in fresh])
        y = [label for _, label in fresh]
        self.assertEqual(sorted(model.classes_), sorted(set(y)))
        self.assertGreater(model.score(X, y), pooled.score(X, y) + 0.05)
        self.assertGreater(model.score(X, y), 0.9)

    def test_the_frame_and_the_files_say_the_same(self):
        by_frame = gbv.value(self.gold, self.crowd, source_column="worker")
        for name in ("crowd.csv", "wide.csv"):
            by_files = gbv.value(None, gbv.Annotations(name, "items.npz", gold="gold.csv"))
            for one, other in ((by_frame.scores, by_files.scores), (by_frame.posterior, by_files.posterior)):
                self.assertEqual(one, other)
            expected = program("value", "--annotations", name, "--items", "items.npz", "--gold", "gold.csv", "--format",
                               "json").decode()
            self.assertEqual(by_files.to_json(), expected)


class Files(FolderTest):
    def test_an_export_of_label_studio(self):
        make_inputs.make_label_studio(".")
        result = gbv.value(None, gbv.Annotations("export.json", "items", gold="export.json"))
        expected = program("value", "--annotations", "export.json", "--items", "items", "--gold", "export.json",
                           "--format", "json").decode()
        self.assertEqual(result.to_json(), expected)
        self.assertEqual(len(result.sources), 40)
        weights = result.weights()
        self.assertEqual({len(each) for each in weights.values()}, {240})
        careful, careless = (np.mean([result.posterior[f"annotator-{who}"] for who in people])
                             for people in (range(101, 111), range(131, 141)))
        self.assertGreater(careful, 1.5 * careless)

    def test_vendors(self):
        make_inputs.make_vendors(".")
        with self.assertRaisesRegex(gbv.InputError, "bright.*nearest: 'trouser'"):
            gbv.value("reference", "vendors")
        program("classes", "--reference", "reference", "--sources", "vendors", "-o", "map.csv")
        with open("map.csv", encoding="utf-8") as file:
            text = file.read()
        for number, label in enumerate(make_inputs.CLASSES):
            text = re.sub(f"^{number},,", f"{number},{make_inputs.NAMES[label]},", text, flags=re.M)
        with open("map.csv", "w", encoding="utf-8") as file:
            file.write(text)
        result = gbv.value("reference", "vendors", class_map="map.csv")
        expected = program("value", "--reference", "reference", "--sources", "vendors", "--class-map", "map.csv",
                           "--format", "json").decode()
        self.assertEqual(result.to_json(), expected)
        self.assertEqual(result.ranking[-1], "ever")
        result.save("result.json")
        program("weights", "result.json", "-o", "weights.npy")
        np.testing.assert_array_equal(result.sample_weight(), np.load("weights.npy"))


if __name__ == "__main__":
    unittest.main()
