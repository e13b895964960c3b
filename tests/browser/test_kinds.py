"""A page of every kind of result: each loads without a complaint or a request, fits a telephone, names its figures, and
begins with one printed sheet."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import numpy
from selenium.webdriver.common.by import By

from support import PHONE, PROGRAM, Browser

NAMES = ["anna", "ben", "eve"]


def save_rows(path, random, rows, wrong=0.0):
    centres = numpy.random.default_rng(7).standard_normal((3, 5)) * 1.5
    labels = random.integers(0, 3, rows)
    said = numpy.where(random.random(rows) < wrong, random.integers(0, 3, rows), labels)
    numpy.savez(path, x=(random.standard_normal((rows, 5)) + centres[labels]).astype("float32"), y=said)


def save_policy(path):
    """Two operators with magnitudes and one without, with a density that was checked."""
    score = {"rotate": lambda m: -abs(m) / 60, "solarize": lambda m: m / 200 - 2, "invert": lambda m: -2}
    grid = {"rotate": [-90, -45, 0, 45, 90], "solarize": [256, 192, 128, 64, 0], "invert": [0]}
    augmentors = [{"op": op, "magnitude": m, "score": score[op](m), "score_interval": [score[op](m) - 0.1, score[op](m)],
                   "prior": 1 / 11, "probability_interval": [0.05, 0.2]} for op in grid for m in grid[op]]
    weights = numpy.exp([3 * a["score"] for a in augmentors])
    for augmentor, weight in zip(augmentors, weights / weights.sum()):
        augmentor["probability"] = weight
    operators = [{"op": op, "prior": len(grid[op]) / 11, "probability": p, "magnitudes": sorted(grid[op]),
                  "scores": [score[op](m) for m in sorted(grid[op])]} for op, p in zip(grid, (0.6, 0.35, 0.05))]
    found = {"probabilities": [0.61, 0.34, 0.05], "worst": 0.01, "divergence": 0.002, "steps": 0, "evaluations": 8}
    checks = {"denser": found, "variational": found,
              "metropolis_hastings": {**found, "errors": [0.004, 0.004, 0.002], "worst": 2.5, "acceptance": 0.6,
                                      "autocorrelation": 12, "steps": 400000}}
    path.write_text(json.dumps({
        "kind": "policy", "schema": 1, "measure": "leep", "model": "resnet18", "tau": {"mode": "fixed", "value": 1 / 3,
                                                                                      "inverse": 3},
        "images": {"path": "birds", "sha256": "ab" * 32, "count": 400, "scored": 100, "classes": 5, "height": 224,
                   "width": 224},
        "warnings": ["a <b>warning</b>"], "augmentors": augmentors,
        "density": {"operators": operators, "checks": checks}}))


class EveryKind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        random = numpy.random.default_rng(3)
        save_rows(cls.folder / "reference.npz", random, 200)
        save_rows(cls.folder / "test.npz", random, 300)
        for batch in range(4):
            for name, wrong in zip(NAMES, (0, 0.2, 0.2 if batch < 3 else 1)):
                save_rows(cls.folder / f"{name}-{batch}.npz", random, 80, wrong)
        cls.desktop, cls.phone = Browser(), Browser(size=PHONE)

    @classmethod
    def tearDownClass(cls):
        cls.desktop.quit()
        cls.phone.quit()
        cls.kept.cleanup()

    def run_program(self, *arguments):
        subprocess.run([PROGRAM, *arguments], check=True, cwd=self.folder, stdout=subprocess.DEVNULL)

    def sources(self, batch):
        return [word for name in NAMES for word in ("--source", f"{name}={name}-{batch}.npz")]

    def check(self, name):
        page = self.folder / f"{name}.html"
        for browser, size in ((self.desktop, "desktop"), (self.phone, "phone")):
            browser.open(page)
            self.assertEqual(browser.complaints(), [])
            self.assertTrue(browser.find_element(By.TAG_NAME, "h1").text)
            for svg in browser.find_elements(By.CSS_SELECTOR, "svg.fig"):
                self.assertTrue(svg.get_attribute("aria-label"))
            browser.picture(f"{name}-{size}-whole", whole=True)
        self.assertLessEqual(self.phone.execute_script("return document.documentElement.scrollWidth"), PHONE[0])
        return self.desktop.print_page(f"{name}-print")

    def test_comparison(self):
        self.run_program("compare", "--reference", "reference.npz", *self.sources(0), "--test", "test.npz", "--methods",
                         "gbv,accuracy,uniform", "--seeds", "2", "-q", "-o", "comparison.json")
        self.run_program("report", "comparison.json", "-o", "comparison.html")
        self.assertIn("anna", "".join(self.check("comparison")))

    def test_ledger(self):
        for batch in range(4):
            self.run_program("update", "--ledger", "L.db", "--batch", f"2026-0{batch + 1}", "--reference",
                             "reference.npz", *self.sources(batch), "-q", "-o", "update.json")
        self.run_program("report", "L.db", "-o", "ledger.html")
        sheets = self.check("ledger")
        for word in ("anna", "ben", "eve", "2026-04", "since the last batch"):
            self.assertIn(word, sheets[0])
        self.desktop.open(self.folder / "ledger.html")
        alarms = self.desktop.find_elements(By.CSS_SELECTOR, ".wide .alarm")
        self.assertGreater(len(alarms), 0)

    def test_evaluation_and_training(self):
        self.run_program("train", "--equal-sources", *self.sources(0), "--model", "mlp", "--epochs", "5", "-o",
                         "model.safetensors", "--report", "training.html")
        self.check("training")
        self.run_program("evaluate", "model.safetensors", "test.npz", "--format", "json", "-o", "evaluation.json")
        self.run_program("report", "evaluation.json", "-o", "evaluation.html")
        self.check("evaluation")

    def test_policy(self):
        save_policy(self.folder / "policy.json")
        self.run_program("report", "policy.json", "-o", "policy.html")
        sheets = self.check("policy")
        for word in ("rotate", "solarize", "invert", "a <b>warning</b>"):
            self.assertIn(word, sheets[0])
        self.assertIn("Beta forms", "".join(sheets))
        self.desktop.open(self.folder / "policy.html")
        self.assertEqual(len(self.desktop.find_elements(By.CSS_SELECTOR, ".wide .cell")), 11)
        self.assertEqual(len(self.desktop.find_elements(By.CSS_SELECTOR, ".wide .line.s0")), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
