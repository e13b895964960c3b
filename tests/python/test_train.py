"""gbv.train gives the very model that the command-line program gives, and uses it as the program does."""
import unittest

from support import FolderTest, gbv, np, people, program


class Training(FolderTest):
    def test_the_model_is_that_of_the_program(self):
        reference, sources = people(text=True)
        arguments = self.write_people(reference, sources)
        result = gbv.value(reference, sources)
        result.save("result.json")
        with open("weights.csv", "w", encoding="utf-8") as file:
            file.write("source,weight\nannotator 0,3\nannotator 1,0\nannotator 2,1\n")
        for number, (choice, weights, options) in enumerate([
            (["--result", "result.json"], result, {}),
            (["--equal-sources"], "equal", {}),
            (["--pooled"], "pooled", {}),
            (["--source-weights", "weights.csv"], "weights.csv", {}),
            (["--source-weights", "weights.csv"], [3, 0, 1], {}),
            (["--source-weights", "weights.csv"], dict(zip(sources, (3, 0, 1))), {}),
            (["--result", "result.json", "--model", "mlp", "--epochs", "3", "--seed", "9"], result,
             {"model": "mlp", "epochs": 3, "seed": 9}),
        ]):
            with self.subTest(choice):
                program("train", *arguments[2:], *choice, "-o", "program.safetensors")
                model = gbv.train(sources, weights, **options)
                model.save(f"{number}.safetensors")
                with open("program.safetensors", "rb") as theirs, open(f"{number}.safetensors", "rb") as mine:
                    self.assertEqual(mine.read(), theirs.read())

    def test_predictions_are_those_of_the_program(self):
        reference, sources = people(text=True)
        model = gbv.train(sources, "equal")
        model.save("model.safetensors")
        self.write_npz("test.npz", reference)
        program("predict", "model.safetensors", "test.npz", "-o", "predictions.csv")
        with open("predictions.csv", encoding="utf-8") as file:
            lines = [line.split(",") for line in file.read().splitlines()[1:]]
        probabilities = model.predict_proba(reference[0])
        self.assertEqual(probabilities.shape, (120, 3))
        self.assertEqual(model.predict(reference[0]).tolist(), [line[1] for line in lines])
        self.assertEqual(probabilities.max(axis=1).tolist(), [float(line[2]) for line in lines])
        again = gbv.load_model("model.safetensors")
        for X in (reference[0], np.asfortranarray(reference[0]), "test.npz"):
            np.testing.assert_array_equal(again.predict_proba(X), probabilities)
        self.assertEqual(again.classes_.tolist(), ["ape", "bee", "cät"])
        self.assertEqual(again.score(*reference), np.mean(model.predict(reference[0]) == reference[1]))
        self.assertIn("linear: 6 features, 3 classes", repr(again))

    def test_classes_that_are_numbers_are_numbers(self):
        model = gbv.train(people()[1], "pooled")
        self.assertEqual(model.classes_.tolist(), [0, 1, 2])
        self.assertGreater(model.score(*people()[0]), 0.8)

    def test_weights_pay(self):
        reference, sources = people(noise=(0.0, 0.9, 0.9, 0.9))
        result = gbv.value(reference, sources, tau=0.05)
        self.assertGreater(gbv.train(sources, result).score(*reference),
                           gbv.train(sources, "equal").score(*reference) - 0.02)

    def test_refusals(self):
        reference, sources = people()
        result = gbv.value(reference, sources)
        model = gbv.train(sources, result)
        self.assert_fails(gbv.InputError, "the result has no weight for source 'new'", gbv.train,
                          {**sources, "new": reference}, result)
        with self.assertWarnsRegex(UserWarning, "of the weight of the result are not given; the others share it"):
            gbv.train({"annotator 1": sources["annotator 1"]}, result)
        self.assert_fails(gbv.UsageError, "every source has weight zero", gbv.train, sources, [0, 0, 0])
        self.assert_fails(gbv.UsageError, "weights must be finite and not negative", gbv.train, sources, [1, -1, 0])
        self.assert_fails(gbv.InputError, "missing.csv", gbv.train, sources, "missing.csv")
        self.assert_fails(gbv.Error, "", model.predict_proba, reference[0][:, :3])
        self.assert_fails(gbv.InputError, "X: row 1, column 1 is not finite", model.predict_proba,
                          np.full((2, 6), np.nan))
        self.assert_fails(gbv.Error, "nowhere/m: cannot be written", model.save, "nowhere/m")
        self.assert_fails(gbv.InputError, "missing", gbv.load_model, "missing.safetensors")


if __name__ == "__main__":
    unittest.main()
