"""A page of every kind of result: each loads without a complaint or a request, fits a telephone, names its figures, and
begins with one printed sheet."""
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
