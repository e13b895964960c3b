"""gbv.GBV behaves as scikit-learn's estimators do."""
import unittest

from support import FolderTest, gbv, np, people


class Estimator(FolderTest):
    def setUp(self):
        super().setUp()
        self.reference, self.sources = people()
        order = np.random.default_rng(5).permutation(360)
        self.X, self.y = (np.concatenate([each[part] for each in self.sources.values()])[order] for part in (0, 1))
        self.source = np.repeat(list(self.sources), 120)[order]

    def fit(self, **params):
        return gbv.GBV(**params).fit(self.X, self.y, source=self.source, reference=self.reference)

    def test_fit_is_value(self):
        valuation = self.fit(measure="nce", tau=0.5)
        result = gbv.value(self.reference, (self.X, self.y, self.source), measure="nce", tau=0.5)
        self.assertEqual(valuation.result_.to_json(), result.to_json())
        self.assertEqual(valuation.sources_.tolist(), result.sources)
        self.assertEqual(valuation.posterior_.tolist(), list(result.posterior.values()))
        self.assertEqual(valuation.scores_.tolist(), list(result.scores.values()))
        np.testing.assert_array_equal(valuation.sample_weight_, result.sample_weight())
        for name, weight in zip(valuation.sources_, valuation.posterior_):
            self.assertAlmostEqual(valuation.sample_weight_[self.source == name].sum(), weight)

    def test_params(self):
        valuation = gbv.GBV("nce", tau=0.5)
        self.assertEqual(valuation.get_params()["tau"], 0.5)
        self.assertIs(valuation.set_params(tau=2, seed=3), valuation)
        self.assertEqual(repr(valuation), "GBV(measure='nce', tau=2, seed=3)")
        with self.assertRaisesRegex(ValueError, "GBV has no parameter 'temperature'"):
            valuation.set_params(temperature=1)
        again = gbv.GBV(**valuation.get_params(deep=False))
        self.assertEqual(again.get_params(), valuation.get_params())

    def test_every_option_of_value_is_a_parameter(self):
        import inspect

        own = set(gbv.GBV().get_params())
        # The table's columns are arguments of fit; how files are read, sources without rows and what would not change
        # the weights is left to gbv.value.
        elsewhere = {"reference", "sources", "probabilities", "label_column", "source_column", "item_column", "resize",
                     "preprocess", "image_cache", "color", "skip_bad_rows", "progress", "on_epoch", "tau_curve"}
        self.assertEqual(own, set(inspect.signature(gbv.value).parameters) - elsewhere)

    def test_scikit_learn_clones_it(self):
        try:
            from sklearn.base import clone
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        valuation = self.fit(prior=np.array([1.0, 2.0, 3.0]), tau=0.3)
        twin = clone(valuation)
        self.assertFalse(hasattr(twin, "posterior_"))
        twin.fit(self.X, self.y, source=self.source, reference=self.reference)
        np.testing.assert_array_equal(twin.posterior_, valuation.posterior_)


if __name__ == "__main__":
    unittest.main()
