"""Methods, how sure a result is, and what takes the place of a labelled reference: as the program has them."""
import copy
import math
import pickle
import unittest
import unittest.mock

from support import FolderTest, gbv, np, people, program


class SameAsTheProgram(FolderTest):
    def test_methods_tau_and_intervals(self):
        reference, sources = people()
        given = self.write_people(reference, sources)
        for arguments, options in [
            (["--method", "cmmd"], {"method": "cmmd"}),
            (["--method", "cmmd", "--variant", "xu"], {"method": "cmmd", "variant": "xu"}),
            (["--method", "lava:code,gbv:logme,uniform", "--memory", "20K"],
             {"method": ["lava:code", "gbv:logme", "uniform"], "memory": 20 * 1024}),
            (["--method", "knn-shapley", "--intervals", "off"], {"method": "knn-shapley", "intervals": "off"}),
            (["--tau", "auto", "--tau-curve"], {"tau": "auto", "tau_curve": True}),
            (["--method", "loss", "--tau", "quick"], {"method": "loss", "tau": "quick"}),
            (["--intervals", "30", "--refits", "5"], {"intervals": 30, "refits": 5}),
            (["--intervals", "0"], {"intervals": np.int64(0)}),
            (["--refits", "0"], {"refits": 0}),
        ]:
            with self.subTest(arguments):
                result = gbv.value(reference, sources, **options)
                self.assert_same_numbers(result, program("value", *given, *arguments, "--format", "json"))

    def test_a_reference_without_labels(self):
        (X, y), sources = people()
        given = self.write_people((X, y), sources)
        expected = program("value", "--reference-unlabeled", *given[1:], "--format", "json")
        result = gbv.value(X, sources, unlabelled=True)
        self.assert_same_numbers(result, expected)
        self.assertEqual((result.record["measure"], result.record["run"]["options"]["reference"]),
                         ("etran-energy", "unlabelled"))
        paths = {name: f"source-{i}.npz" for i, name in enumerate(sources)}
        self.assertEqual(gbv.value("reference.npz", paths, unlabelled=True).to_json(), expected.decode())
        self.assertEqual(gbv.value({"x": X}, sources, unlabelled=True).to_json(), result.to_json())

    def test_no_reference(self):
        reference, sources = people()
        given = self.write_people(reference, sources)[2:]
        for arguments, options in [([], {}), (["--variant", "paper"], {"variant": "paper"})]:
            result = gbv.value(gbv.NO_REFERENCE, sources, **options)
            self.assert_same_numbers(result, program("value", "--no-reference", *given, *arguments, "--format", "json"))
        x, y = (np.concatenate([each[part] for each in sources.values()]) for part in (0, 1))
        fitted = gbv.GBV().fit(x, y, source=np.repeat(list(sources), 120), reference=gbv.NO_REFERENCE)
        self.assertEqual(fitted.result_.record["reference_uses"], [])

    def test_memory_reaches_the_library(self):
        class Stop(Exception):
            pass

        def stop(name, reference, sources, options, *rest, **more):
            self.assertEqual(options._obj.memory, 12345)
            raise Stop

        with unittest.mock.patch("gbv._value.call", stop), self.assertRaises(Stop):
            gbv.value(*people(), memory=12345)

    def test_the_defaults_are_the_librarys(self):
        from gbv._library import library

        options, stated = library.gbv_value_defaults(), gbv.GBV().get_params()
        self.assertEqual((options.replicates, options.method), (stated["intervals"], stated["method"].encode()))
        self.assertIsNone(stated["refits"])  # as many as suit the model
        compared = library.gbv_compare_defaults()
        self.assertEqual((compared.seeds, compared.value.replicates), (5, 0))


class Sureness(FolderTest):
    def setUp(self):
        super().setUp()
        self.result = gbv.value(*people(), tau_curve=True)

    def test_intervals_hold_what_they_are_of(self):
        result = self.result
        for name in result.sources:
            low, high = result.score_interval[name]
            self.assertTrue(low < result.scores[name] < high)
            low, high = result.posterior_interval[name]
            self.assertTrue(0 <= low < result.posterior[name] < high <= 1)
            best, worst = result.rank_interval[name]
            self.assertTrue(1 <= best <= result.ranking.index(name) + 1 <= worst <= 3)
        self.assertAlmostEqual(sum(result.p_best.values()), 1)
        self.assertEqual(max(result.p_best, key=result.p_best.get), "annotator 0")

    def test_pairs_that_cannot_be_told_apart(self):
        (X, y), _ = people(rows=300)
        half = {"left": (X[:150], y[:150]), "right": (X[150:], y[150:])}
        bad = {"bad": (X, np.random.default_rng(1).permutation(y))}
        reference = people(rows=100)[0]
        result = gbv.value(reference, {**half, **bad})
        self.assertEqual([set(pair) for pair in result.indistinguishable], [{"left", "right"}])
        self.assertEqual(list(result.rows_needed), result.indistinguishable)
        needed = result.rows_needed[result.indistinguishable[0]]
        self.assertTrue(needed > 100)
        self.assertEqual(result.record["separation"][0]["rows_needed_status"],
                         "no_number_will_do" if math.isinf(needed) else "ok")
        apart = gbv.value(reference, {"left": half["left"], **bad})
        self.assertEqual((apart.indistinguishable, apart.rows_needed), ([], {}))

    def test_groups_of_many_sources(self):
        (X, y), _ = people(rows=60)
        result = gbv.value((X, y), {f"s{i}": (X, y) for i in range(201)}, intervals=4, refits=0)
        self.assertEqual([len(group) for group in result.record["groups"]], [201])
        for name in ("indistinguishable", "rows_needed"):
            self.assert_fails(gbv.UsageError, "among 201 sources", getattr, result, name)
        self.assertEqual(len(result.p_best), 201)

    def test_what_was_not_asked_is_not_made_up(self):
        result = gbv.value(*people(), intervals="off")
        for name in ("score_interval", "posterior_interval", "rank_interval", "p_best", "indistinguishable",
                     "rows_needed"):
            self.assert_fails(gbv.UsageError, "value the sources with intervals=200", getattr, result, name)
        self.assertEqual(result.tau_curve, [])
        self.assertNotIn("p best", result._repr_html_())
        self.assertEqual(result.to_json(), gbv.value(*people(), intervals=0).to_json())

    def test_an_undefined_source_has_no_interval(self):
        x = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 5)
        y = np.array([0, 0, 1, 1] * 5)
        result = gbv.value((x, y), {"anna": (x, y), "one row": (x[:1], y[:1])}, measure="mmd", variant="unbiased",
                           undefined="zero")
        self.assertTrue(all(map(math.isnan, result.score_interval["one row"])))
        self.assertEqual(result.rank_interval, {"anna": (1, 1), "one row": None})
        self.assertIn("anna", result._repr_html_())

    def test_a_page_shows_ranks_and_the_probability_of_being_best(self):
        page = self.result._repr_html_()
        self.assertIn("<th>p best</th>", page)
        self.assertIn("<td>1</td><td style='text-align:left'>annotator 0</td>", page)
        self.assertIn("<td>2 (2–3)</td><td style='text-align:left'>annotator 1</td>", page)
        self.assertIn("<td>1.00</td>", page)

    def test_the_curve_over_tau(self):
        curve = self.result.tau_curve
        self.assertEqual((curve[0]["tau"], curve[0]["posterior"]["annotator 2"]), (math.inf, 1 / 3))
        self.assertEqual(min(point["deficit"] for point in curve), 0)
        self.assertTrue(all(point["log_likelihood"] < 0 for point in curve))
        self.assertGreater(curve[-1]["posterior"]["annotator 0"], 0.99)
        judged = gbv.value(*people(), tau="auto", tau_curve=True)
        self.assertIn(judged.tau, [point["tau"] for point in judged.tau_curve])
        P = np.full((120, 3), 1 / 3)
        unjudged = gbv.value(people()[0], probabilities={"a": P}, tau_curve=True)
        self.assertTrue(math.isnan(unjudged.tau_curve[0]["log_likelihood"]))

    def test_scores_by_method(self):
        reference, sources = people()
        result = gbv.value(reference, sources, method="cmmd,gbv,cmmd:xu,uniform", measure=["nce", "leep"])
        self.assertEqual(list(result.methods), ["cmmd:exact", "gbv:nce", "gbv:leep", "cmmd:xu", "uniform"])
        self.assertEqual(list(result.measures), ["nce", "leep"])
        self.assertEqual(result.methods["cmmd:exact"], result.scores)
        self.assertEqual(result.methods["gbv:leep"], self.result.scores)
        again = gbv.value(reference, sources, method=list(result.methods))
        self.assertEqual(again.methods, result.methods)
        self.assertEqual(self.result.methods, {"gbv:leep": self.result.scores})
        alone = gbv.value(reference, sources, method="uniform")
        self.assertEqual((list(alone.methods), alone.measures, alone.tau), (["uniform"], {}, 1.0))

    def test_to_frame(self):
        try:
            frame = self.result.to_frame()
        except ImportError:
            self.skipTest("pandas is not installed")
        self.assertEqual(dict(zip(frame.index, zip(frame["score_low"], frame["score_high"]))),
                         self.result.score_interval)
        self.assertEqual(dict(zip(frame.index, zip(frame["posterior_low"], frame["posterior_high"]))),
                         self.result.posterior_interval)
        self.assertEqual(dict(zip(frame.index, zip(frame["rank_best"], frame["rank_worst"]))),
                         self.result.rank_interval)
        self.assertEqual(frame["p_best"].to_dict(), self.result.p_best)
        self.assertTrue((frame["score_model_low"] <= frame["score_model_high"]).all())
        self.assertFalse([name for name in frame.columns if name.endswith(("_interval", "_interval_model"))])
        self.assertNotIn("score_low", gbv.value(*people(), intervals="off").to_frame().columns)
        (x, y), _ = people()
        few = gbv.value((x, y), {"a": (x, y), "b": (x[:1], y[:1])}, method="mmd:unbiased", undefined="zero").to_frame()
        self.assertTrue(few.loc["b", ["score", "score_low", "rank_best", "p_best"]].isna().all())

    def test_a_frame_without_usable_labels_is_a_reference(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        (X, _), sources = people()
        frame = pandas.DataFrame(X).assign(label=np.nan).rename(columns=str)
        self.assertEqual(gbv.value(frame, sources, unlabelled=True).scores,
                         gbv.value(X, sources, unlabelled=True).scores)


class Refusals(FolderTest):
    def test_no_reference_is_not_guessed(self):
        (X, y), sources = people()
        self.assert_fails(gbv.UsageError, "gbv.NO_REFERENCE has the sources judged by each other", gbv.value, None,
                          sources)
        self.assert_fails(gbv.UsageError, "there is none: use gbv, or give a reference", gbv.value, gbv.NO_REFERENCE,
                          sources, method="lava")
        self.assert_fails(gbv.UsageError, "tau is to be chosen by how well", gbv.value, gbv.NO_REFERENCE, sources,
                          tau="auto")
        self.assert_fails(gbv.UsageError, "is given as probabilities of the reference's rows, and there is no",
                          gbv.value, gbv.NO_REFERENCE, sources, probabilities={"mine": np.eye(3)[y]})
        self.assertEqual(repr(gbv.NO_REFERENCE), "gbv.NO_REFERENCE")
        for again in (pickle.loads(pickle.dumps(gbv.NO_REFERENCE)), copy.deepcopy(gbv.NO_REFERENCE)):
            self.assertIs(again, gbv.NO_REFERENCE)

    def test_a_reference_without_labels(self):
        (X, y), sources = people()
        for reference in (None, gbv.NO_REFERENCE):
            self.assert_fails(gbv.UsageError, "no reference was given", gbv.value, reference, sources, unlabelled=True)
        self.assert_fails(gbv.UsageError, "reference is a tuple", gbv.value, (X, y), sources, unlabelled=True)
        self.assert_fails(gbv.UsageError, "the measure leep needs the labels of the reference", gbv.value, X, sources,
                          unlabelled=True, measure="leep")
        self.assert_fails(gbv.UsageError, "(X, y)", gbv.value, X, sources)


if __name__ == "__main__":
    unittest.main()
