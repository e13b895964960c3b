"""Sources given as probabilities of the reference's rows: the same as the program's, from arrays, frames and files."""
import unittest

from support import FolderTest, gbv, np, people, program


class Probabilities(FolderTest):
    def setUp(self):
        super().setUp()
        self.reference, self.sources = people(text=True)
        self.given = self.write_people(self.reference, self.sources)
        self.classes = ["ape", "bee", "cät"]
        raw = np.random.default_rng(8).random((120, 3))
        raw += 2 * (self.reference[1][:, None] == np.array(self.classes))
        self.P = raw / raw.sum(axis=1, keepdims=True)
        np.save("p.npy", self.P)
        with open("named.csv", "w", encoding="utf-8") as file:  # the columns in another order
            print("cät,ape,bee", *(",".join(repr(float(p)) for p in row) for row in self.P[:, [2, 0, 1]]), sep="\n",
                  file=file)

    def program(self, *arguments):
        return program("value", *arguments, "--format", "json")

    def test_beside_fitted_sources(self):
        expected = self.program(*self.given, "--probabilities", "mine=p.npy")
        paths = {name: f"source-{i}.npz" for i, name in enumerate(self.sources)}
        result = gbv.value("reference.npz", paths, probabilities={"mine": "p.npy"})
        self.assertEqual(result.to_json(), expected.decode())
        for given in (self.P, np.asfortranarray(self.P), self.P.tolist(), (self.P, self.classes)):
            result = gbv.value(self.reference, self.sources, probabilities={"mine": given})
            self.assert_same_numbers(result, expected)
        self.assertEqual(result.sources, [*self.sources, "mine"])
        self.assertGreater(result.agreement["mine"], 0.9)

    def test_named_columns(self):
        expected = self.program("--reference", "reference.npz", "--probabilities", "mine=named.csv")
        self.assertEqual(gbv.value("reference.npz", probabilities={"mine": "named.csv"}).to_json(), expected.decode())
        order = np.array(["cät", "ape", "bee"])
        given = [(self.P[:, [2, 0, 1]], order), (self.P[:, [2, 0, 1]], order.tolist())]
        try:
            import pandas
            given.append(pandas.DataFrame(self.P[:, [2, 0, 1]], columns=order))
        except ImportError:
            pass
        for each in given:
            self.assert_same_numbers(gbv.value(self.reference, None, probabilities={"mine": each}), expected)

    def test_classes_that_are_numbers(self):
        reference, _ = people()
        x, y = reference
        expected = gbv.value((x, y + 5), {}, probabilities={"mine": self.P}).scores["mine"]
        for classes in ([5, 6, 7], np.array([5.0, 6.0, 7.0]), np.array(["5", "6", "7"])):
            result = gbv.value((x, y + 5), {}, probabilities={"mine": (self.P, classes)})
            self.assertEqual(result.scores["mine"], expected)

    def test_a_source_without_rows(self):
        result = gbv.value(self.reference, self.sources, probabilities={"mine": self.P})
        self.assertTrue(np.isnan(result.effective_rows))
        for each in (result.weights, result.sample_weight):
            self.assert_fails(gbv.UsageError, "source 'mine' was given as probabilities and has no rows to weigh", each)
        self.assertIn("<td>–</td>", result._repr_html_())
        # Training leaves it out and says so.
        with self.assertWarnsRegex(UserWarning, "of the weight of the result are not given"):
            gbv.train(self.sources, result)

    def test_classes_of_its_own(self):
        result = gbv.value(self.reference, {}, probabilities={"mine": (self.P, ["x", "y", "z"])})
        self.assertTrue(np.isnan(result.agreement["mine"]))
        self.assertIsNone(result.record["sources"][0]["agreement"])
        self.assertIn("<td>–</td>", result._repr_html_())
        self.assertIn("mine", repr(result))

    def test_arrays_live_as_long_as_the_library_reads_them(self):
        expected = gbv.value(self.reference, self.sources, probabilities={"mine": self.P}).to_json()
        for _ in range(5):
            again = gbv.value(self.reference, self.sources, probabilities={"mine": self.P.copy()})
            self.assertEqual(again.to_json(), expected)

    def test_refusals(self):
        for kind, given, sentence in [
            (gbv.UsageError, [self.P], "probabilities is a list; expected a dict"),
            (gbv.InputError, {"mine": self.P[:50]}, "has probabilities of 50 rows and the reference"),
            (gbv.InputError, {"mine": 100 * self.P}, "row 1 of the probabilities adds up to 100"),
            (gbv.InputError, {"mine": (self.P, ["ape", "bee"])}, "mine: has 2 class names for 3 columns"),
            (gbv.InputError, {"mine": (self.P, ["ape", "bee", None])}, "mine: row 3 has no class name"),
            (gbv.InputError, {"mine": (self.P, ["Ape", "bee", "cät"])}, "Ape"),
            (gbv.InputError, {"mine": "nowhere.npy"}, "nowhere.npy"),
            (gbv.InputError, {"mine": np.full((120, 3), "a")}, "mine: holds <U1, not numbers"),
        ]:
            with self.subTest(sentence):
                self.assert_fails(kind, sentence, gbv.value, self.reference, {}, probabilities=given)
        self.assert_fails(gbv.UsageError, "logme", gbv.value, self.reference, {}, probabilities={"mine": self.P},
                          measure="logme")
        self.assert_fails(gbv.UsageError, "sources is a NoneType", gbv.value, self.reference)


if __name__ == "__main__":
    unittest.main()
