"""gbv.Ledger: batches from arrays, what is refused, and the same file as the program's."""
import json
import math
import os
import pickle
import unittest

from support import FolderTest, gbv, np, people, program

FIRST, SECOND, THIRD = 1767225600, 1769904000, 1772323200  # beginnings of months


class Batches(FolderTest):
    def setUp(self):
        super().setUp()
        self.reference, drawn = people(noise=(0.0, 0.3, 0.7) * 3)
        samples = list(drawn.values())
        self.batches = [{f"annotator {i}": samples[first + i] for i in range(3)} for first in (0, 3, 6)]

    def fill(self, ledger, **options):
        """Two batches of three annotators; the results."""
        options = {"intervals": 20, "refits": 2, **options}
        return [ledger.update(batch, self.reference, sources, time=time, **options)
                for batch, sources, time in zip(("2026-01", "2026-02"), self.batches, (FIRST, SECOND))]

    def test_weights_are_those_of_bayes_rule(self):
        ledger = gbv.Ledger("vendors.db")
        results = self.fill(ledger)
        tau = results[0].tau
        powers = {name: math.exp(sum(result.scores[name] for result in results) / tau) for name in results[0].sources}
        for name, weight in ledger.weights.items():
            self.assertAlmostEqual(weight, powers[name] / sum(powers.values()), 12)
        self.assertEqual(ledger.tau, tau)
        self.assertEqual(results[1].tau, tau)
        for name, share in results[1].prior.items():  # the second batch begins where the first ended
            self.assertAlmostEqual(share, results[0].posterior[name], 12)
            self.assertAlmostEqual(results[1].posterior[name], ledger.weights[name], 12)
            self.assertAlmostEqual(ledger.prior([name, "new"])[name] + ledger.prior([name, "new"])["new"], 1, 12)

    def test_the_history_has_every_batch(self):
        ledger = gbv.Ledger("vendors.db")
        results = self.fill(ledger)
        history = ledger.history(strategies="all")
        self.assertEqual(history.batches, ["2026-01", "2026-02"])
        self.assertEqual(history.sources, results[0].sources)
        self.assertEqual(history.record["batches"][0]["time"], "2026-01-01T00:00:00Z")
        for name in history.sources:
            self.assertEqual(history.scores[name], [result.scores[name] for result in results])
            self.assertEqual(history.strategies["continual"][name], history.posterior[name])
            self.assertEqual(history.strategies["last"][name], history.batch_posterior[name])
            self.assertEqual(history.strategies["no-update"][name], [history.posterior[name][0]] * 2)
            self.assertEqual((history.alarms[name][0], len(history.alarms[name])), ("none", 2))
            self.assertEqual(len(history.flags[name]), 2)
        self.assertEqual(history.weights, ledger.weights)
        self.assertEqual(history.warnings, [text for batch in history.record["batches"] for text in batch["warnings"]])
        last = ledger.history(source="annotator 1", last=1)
        self.assertEqual((last.sources, last.batches), (["annotator 1"], ["2026-02"]))
        self.assertIn("annotator 1", repr(last))
        self.assertIn("<svg", history._repr_html_())
        self.assertEqual(pickle.loads(pickle.dumps(history)).posterior, history.posterior)

    def test_the_history_is_a_frame(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        ledger = gbv.Ledger("vendors.db")
        self.fill(ledger)
        history = ledger.history(strategies=["average", "last"])
        frame = history.to_frame()
        self.assertEqual(frame.shape[0], 6)
        self.assertEqual(frame.loc[("2026-02", "annotator 1"), "posterior"], history.posterior["annotator 1"][1])
        average = history.strategies["average"]["annotator 0"]
        self.assertEqual(frame.loc[("2026-01", "annotator 0"), "average"], average[0])
        self.assertTrue((frame["posterior_low"] <= frame["posterior_high"]).all())
        ledger.undo()
        ledger.undo()
        self.assertEqual(ledger.history().to_frame().shape[0], 0)

    def test_who_comes_goes_and_stays_away(self):
        ledger = gbv.Ledger("vendors.db")
        self.fill(ledger)
        before = ledger.weights
        newcomer = self.batches[2]["annotator 0"]
        ledger.update("2026-03", self.reference, {"annotator 0": newcomer, "new": newcomer}, leave=["annotator 2"],
                      intervals=20, refits=2)
        history = ledger.history()
        self.assertNotIn("annotator 2", ledger.weights)
        self.assertAlmostEqual(sum(ledger.weights.values()), 1, 12)
        self.assertTrue(math.isnan(history.posterior["new"][0]) and math.isnan(history.scores["annotator 1"][2]))
        self.assertGreater(ledger.weights["new"], 0)
        self.assertGreater(before["annotator 1"], 0)

    def test_forgetting_and_changes_must_be_said(self):
        ledger = gbv.Ledger("vendors.db")
        self.fill(ledger, forgetting=0.5)
        self.assertEqual(ledger.history().record["batches"][1]["forgetting"], 0.5)
        third, another = self.batches[2], tuple(array[:100] for array in self.reference)
        options = {"intervals": 20, "refits": 2}
        for word, batch, reference, more in (("2026-02", "2026-02", self.reference, {}),
                                             ("measure", "2026-03", self.reference, {"measure": "nce"}),
                                             ("tau", "2026-03", self.reference, {"tau": 0.1}),
                                             ("forget", "2026-03", self.reference, {"forgetting": 1}),
                                             ("reference", "2026-03", another, {})):
            self.assert_fails(gbv.Error, word, ledger.update, batch, reference, third, **options, **more)
        self.assertEqual(ledger.history().batches, ["2026-01", "2026-02"])  # nothing was changed
        ledger.update("2026-03", another, third, allow_change=["reference", "forgetting"], forgetting=1, **options)
        self.assertEqual(len(ledger.history().record["batches"][2]["changes"]), 2)

    def test_a_batch_is_taken_back(self):
        ledger = gbv.Ledger("vendors.db")
        first = self.fill(ledger)[0]
        self.assertEqual(ledger.undo(time=THIRD), "2026-02")
        self.assertEqual(ledger.history().batches, ["2026-01"])
        for name, weight in ledger.weights.items():
            self.assertAlmostEqual(weight, first.posterior[name], 12)
        verified = ledger.verify()
        self.assertEqual((verified.records, verified.batches, verified.sources, verified.last), (3, 1, 3, "2026-01"))

    def test_equal_updates_give_equal_hashes(self):
        heads = []
        for name in ("a.db", "b.db"):
            ledger = gbv.Ledger(name)
            self.fill(ledger)
            heads.append(ledger.verify().head)
        self.assertEqual(heads[0], heads[1])
        self.assertEqual(gbv.Ledger("a.db").verify(head=heads[1]).batches, 2)
        self.assert_fails(gbv.InputError, "0000", gbv.Ledger("a.db").verify, head="0" * 64)

    def test_nothing_of_the_rows_is_in_the_file(self):
        rng = np.random.default_rng(7)
        X = rng.normal(size=(60, 3))
        X[:, 2] = 12345.678
        y = np.array(["a-label-to-look-for", "another-label"])[(X[:, 0] > 0).astype(int)]
        gbv.Ledger("vendors.db").update("1", (X, y), {"anna": (X, y), "ben": (X, y[::-1].copy())})
        with open("vendors.db", "rb") as file:
            content = file.read()
        for secret in (b"a-label-to-look-for", b"12345.678", X[0].tobytes(), np.float32(X[0]).tobytes()):
            self.assertNotIn(secret, content)


class Refused(FolderTest):
    def test_wrong_arguments_are_one_sentence(self):
        self.assert_fails(gbv.UsageError, "expected the path of a ledger", gbv.Ledger, 7)
        ledger = gbv.Ledger("none.db")
        self.assert_fails(gbv.InputError, "none.db", lambda: ledger.weights)
        self.assert_fails(gbv.InputError, "none.db", ledger.verify)
        self.assert_fails(gbv.UsageError, "time is -1", ledger.update, "1", *people(), time=-1)
        self.assert_fails(gbv.UsageError, "forgetting", ledger.update, "1", *people(), forgetting=2)
        with self.assertRaises(TypeError):
            ledger.update("1", *people(), mesure="leep")
        self.assertEqual(os.listdir("."), [])
        with open("text.db", "w", encoding="utf-8") as file:
            file.write("this is no ledger" * 100)
        self.assert_fails(gbv.InputError, "text.db", gbv.Ledger("text.db").history)


class Program(FolderTest):
    def test_the_program_reads_the_same_file(self):
        reference, sources = people(seed=1)
        os.environ["SOURCE_DATE_EPOCH"] = str(FIRST)
        self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH")
        arguments = self.write_people(reference, sources)
        program("update", "--ledger", "theirs.db", "--batch", "1", *arguments, "--refits", 2, "--intervals", 20)
        files = {name: f"source-{number}.npz" for number, name in enumerate(sources)}
        ledger = gbv.Ledger("mine.db")
        ledger.update("1", "reference.npz", files, refits=2, intervals=20, time=FIRST)
        self.assertEqual(ledger.history().to_json().replace("mine.db", "theirs.db"),
                         program("history", "--ledger", "theirs.db", "--format", "json").decode())
        self.assertIn(ledger.verify().head, program("ledger", "verify", "--ledger", "mine.db").decode())
        theirs = json.loads(program("value", "--prior-ledger", "theirs.db", *arguments, "--intervals", "off",
                                    "--format", "json"))
        mine = gbv.value(reference, sources, prior=ledger, intervals="off")
        self.assertEqual(list(mine.posterior.values()), [source["posterior"] for source in theirs["sources"]])
        self.assertEqual(mine.record["tau"], theirs["tau"])


class Pages(FolderTest):
    def page(self, name):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.lower().startswith("<!doctype html>"))
        self.assertNotIn("http://", text.replace("http://www.w3.org/", ""))
        return text

    def test_results_comparisons_and_ledgers_have_pages(self):
        reference, sources = people(seed=1)
        named = {"anna": sources["annotator 0"], "<script>alert(1)</script>": sources["annotator 1"]}
        result = gbv.value(reference, named, intervals=20, refits=2)
        result.report("result.html")
        text = self.page("result.html")
        self.assertIn("anna", text)
        self.assertNotIn("<script>alert", text)
        pickle.loads(pickle.dumps(result)).report("copy.html")
        self.assertEqual(self.page("copy.html"), text)
        result.report("redacted.html", redact="anna")
        self.assertIn("anna", self.page("redacted.html"))
        self.assertNotIn("alert(1)", self.page("redacted.html"))
        gbv.compare(reference, sources, methods=["gbv", "uniform"]).report("comparison.html", redact=True)
        self.assertNotIn("annotator 1", self.page("comparison.html"))
        ledger = gbv.Ledger("vendors.db")
        ledger.update("2026-01", reference, sources, intervals=20, refits=2, time=FIRST)
        ledger.report("ledger.html", redact=["annotator 1"])
        self.assertIn("annotator 1", self.page("ledger.html"))
        self.assertNotIn("annotator 2", self.page("ledger.html"))
        self.assert_fails(gbv.Error, "nowhere", result.report, "nowhere/page.html")
        self.assertFalse(os.path.exists("nowhere"))


if __name__ == "__main__":
    unittest.main()
