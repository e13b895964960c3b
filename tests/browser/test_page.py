"""Pages of real runs in a real browser: they load without a complaint or a request, sort, toggle, download, print, fit
a telephone, and read without a script."""
import csv
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from support import PHONE, PROGRAM, Browser

SCRIPT = "<script>alert(1)</script>"
FORMULA = "=1+2"


def labelled(random, centres, rows, wrong=0.0):
    labels = random.integers(0, len(centres), rows)
    features = random.standard_normal((rows, centres.shape[1])) + centres[labels]
    said = numpy.where(random.random(rows) < wrong, random.integers(0, len(centres), rows), labels)
    return features.astype("float32"), said


def make_result(folder, names, wrong, rows, *options):
    """A result of gbv value over sources that err as often as `wrong` says."""
    random = numpy.random.default_rng(1)
    centres = 1.5 * random.standard_normal((4, 6))
    x, y = labelled(random, centres, 300)
    numpy.savez(folder / "reference.npz", x=x, y=y)
    parts = [labelled(random, centres, rows, share) for share in wrong]
    numpy.savez(folder / "sources.npz", x=numpy.concatenate([x for x, _ in parts]),
                y=numpy.concatenate([y for _, y in parts]), who=numpy.repeat(names, rows))
    path = folder / "result.json"
    subprocess.run([PROGRAM, "value", "--reference", folder / "reference.npz", "--sources", folder / "sources.npz",
                    "--source-column", "who", "-q", "-o", path, *options], check=True)
    return path


def make_page(result):
    page = result.with_suffix(".html")
    subprocess.run([PROGRAM, "report", result, "-o", page], check=True)
    return page


class Colours(unittest.TestCase):
    """Every text can be read in both themes: contrast of 4.5 or more by WCAG 2."""

    def test_contrast(self):
        style = (pathlib.Path(__file__).parents[2] / "src/report/html/page.css").read_text()
        figures = (pathlib.Path(__file__).parents[2] / "src/report/svg/figure.css").read_text()
        blocks = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]+);", block))
                  for block in re.findall(r"{([^{}]*--ground: [^{}]*)}", style)]
        self.assertEqual(len(blocks), 3)
        self.assertEqual(blocks[1], blocks[2])
        blocks[0].update(re.findall(r"var\(--(series\d), (#[0-9a-f]+)\)", figures))

        def luminance(colour):
            if len(colour) == 4:
                colour = "#" + "".join(2 * digit for digit in colour[1:])
            parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue

        def contrast(one, other):
            low, high = sorted((luminance(one), luminance(other)))
            return (high + 0.05) / (low + 0.05)

        for block in blocks[:2]:
            texts = [(name, "ground") for name in ("ink", "soft", "accent", *(f"series{i}" for i in range(7)))]
            texts += [("ink", "panel")] + [(tone, tone + "-ground") for tone in ("good", "fine", "ask", "bad", "open")]
            for text, ground in texts:
                self.assertGreaterEqual(contrast(block[text], block[ground]), 4.5, (text, ground, block["ground"]))


class FewSources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        result = make_result(cls.folder, ["anna", "ben", SCRIPT, FORMULA, "eve"], [0, 0.1, 0.3, 0.5, 1], 120,
                             "--tau-curve", "--measure", "leep,nce")
        cls.page = make_page(result)
        cls.browser = Browser(downloads=cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.kept.cleanup()

    def setUp(self):
        self.browser.open(self.page)

    def column(self, table, index):
        return [cell.text.split("\n")[0] for cell in
                self.browser.find_elements(By.CSS_SELECTOR, f"#{table} tbody tr > :nth-child({index})")]

    def download(self, button, name):
        for old in self.folder.glob("gbv-*"):
            old.unlink()
        self.browser.execute_script("arguments[0].click()", button)
        path = self.folder / name
        WebDriverWait(self.browser, 20).until(lambda _: path.exists() and path.stat().st_size > 0)
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def test_nothing_is_said_and_nothing_asked_for(self):
        self.assertEqual(self.browser.complaints(), [])
        self.browser.picture("desktop")
        self.browser.picture("desktop-whole", whole=True)

    def test_names_are_texts(self):
        self.assertIn(SCRIPT, self.column("verdicts", 1))
        self.assertIn(SCRIPT, self.column("sources", 1))
        shown = self.browser.find_elements(By.CSS_SELECTOR, "svg text")
        self.assertTrue(any(SCRIPT[:10] in text.get_attribute("textContent") for text in shown))

    def test_tables_are_sorted_by_click_and_by_keyboard(self):
        button = self.browser.find_elements(By.CSS_SELECTOR, "#sources thead button")[0]
        heading = button.find_element(By.XPATH, "..")
        before = self.column("sources", 1)
        button.click()
        self.assertEqual(heading.get_attribute("aria-sort"), "ascending")
        self.assertEqual(sorted(self.column("sources", 1)), sorted(before))
        self.assertEqual([name for name in self.column("sources", 1) if name.isalpha()], ["anna", "ben", "eve"])
        button.send_keys(Keys.ENTER)
        self.assertEqual(heading.get_attribute("aria-sort"), "descending")
        self.assertEqual([name for name in self.column("sources", 1) if name.isalpha()], ["eve", "ben", "anna"])

    def test_a_drawn_row_is_a_written_one(self):
        """Rows that the script draws read like those of the file."""
        texts = "return [...document.querySelectorAll('#sources tbody tr')].map(row => row.innerText)"
        written = self.browser.execute_script(texts)
        ranks = self.browser.find_elements(By.CSS_SELECTOR, "#sources thead button")[4]
        ranks.click()
        ranks.click()
        self.assertEqual(self.browser.execute_script(texts), written)

    def test_light_and_dark(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        light = self.browser.execute_script(ground)
        self.browser.find_element(By.ID, "theme").click()
        self.assertNotEqual(self.browser.execute_script(ground), light)
        self.browser.picture("dark")
        self.browser.picture("dark-whole", whole=True)
        self.browser.open(self.page)  # it is remembered
        self.assertNotEqual(self.browser.execute_script(ground), light)
        self.browser.find_element(By.ID, "theme").click()
        self.assertEqual(self.browser.execute_script(ground), light)

    def test_downloads_hold_all_digits_and_no_formula(self):
        button = self.browser.find_element(By.CSS_SELECTOR, "#sources button[aria-label]")
        lines = self.download(button, "gbv-sources.csv")
        self.assertEqual(lines[0][:5], ["Source", "Verdict", "Weight", "Weight low", "Weight high"])
        self.assertEqual(len(lines), 6)
        names = [line[0] for line in lines]
        self.assertIn(SCRIPT, names)
        self.assertIn("'" + FORMULA, names)
        weights = [float(line[2]) for line in lines[1:]]
        self.assertAlmostEqual(sum(weights), 1, delta=1e-12)
        figure = self.browser.find_element(By.CSS_SELECTOR, "#figure-weights .data button")
        self.assertEqual(self.download(figure, "gbv-sources.csv"), lines)

    def test_confusion_of_the_source_that_is_chosen(self):
        figure = self.browser.find_element(By.ID, "figure-confusion")
        self.browser.execute_script("arguments[0].scrollIntoView()", figure)
        WebDriverWait(self.browser, 10).until(lambda _: figure.find_element(By.TAG_NAME, "select").is_displayed())
        numbers = "return [...document.querySelectorAll('#figure-confusion .wide .mark text')].map(t => t.textContent)"
        first = self.browser.execute_script(numbers)
        Select(figure.find_element(By.TAG_NAME, "select")).select_by_visible_text("eve")
        self.assertNotEqual(self.browser.execute_script(numbers), first)
        self.assertIn("eve", figure.find_element(By.CSS_SELECTOR, ".wide svg").get_attribute("aria-label"))
        lines = self.download(figure.find_element(By.CSS_SELECTOR, ".bar-of-table button"), "gbv-figure-confusion.csv")
        self.assertEqual(sum(int(line[3]) for line in lines[1:] if line[0] == "eve"), 300)

    def test_figures_tell_their_numbers_to_keyboards(self):
        figure = self.browser.find_element(By.CSS_SELECTOR, "#figure-weights .wide svg")
        tip = self.browser.find_element(By.ID, "tip")
        self.browser.execute_script("arguments[0].focus()", figure)
        figure.send_keys(Keys.ARROW_DOWN)
        self.assertTrue(tip.is_displayed())
        self.assertIn("anna: weight", tip.text)
        figure.send_keys(Keys.ESCAPE)
        self.assertFalse(tip.is_displayed())
        heading = self.browser.find_elements(By.CSS_SELECTOR, "#sources thead button")[2]
        self.browser.execute_script("arguments[0].focus({focusVisible: true})", heading)
        self.assertIn("training loss", tip.text)

    def test_screen_readers_find_their_way(self):
        tree = self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]

        def names(role):
            return [node.get("name", {}).get("value", "") for node in tree
                    if node.get("role", {}).get("value") == role and not node.get("ignored")]

        images = names("image") + names("img")
        self.assertGreaterEqual(len(images), 5)
        self.assertTrue(all(images), images)
        for landmark in ("main", "navigation", "banner", "contentinfo"):
            self.assertEqual(len(names(landmark)), 1, landmark)
        self.assertIn("Skip to the content", names("link"))
        self.assertGreaterEqual(len(names("columnheader")), 10)
        self.assertIn("anna", names("rowheader"))

    def test_the_first_sheet_of_paper_has_the_verdicts(self):
        sheets = self.browser.print_page("print")
        for word in ("anna", "ben", "eve", "Verdict", "Why"):
            self.assertIn(word, sheets[0])
        self.assertNotIn("Weights", sheets[0])
        self.assertIn("SHA-256", "".join(sheets))

    def test_a_telephone_needs_no_sideways_scrolling(self):
        browser = Browser(size=PHONE)
        try:
            browser.open(self.page)
            self.assertEqual(browser.complaints(), [])
            self.assertLessEqual(browser.execute_script("return document.documentElement.scrollWidth"), PHONE[0])
            browser.picture("phone")
            browser.picture("phone-whole", whole=True)
        finally:
            browser.quit()

    def test_it_reads_without_a_script(self):
        browser = Browser(script=False)
        try:
            browser.open(self.page)
            self.assertEqual([cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "#verdicts tbody th")][:2],
                             ["anna", "ben"])
            self.assertFalse(browser.find_element(By.ID, "theme").is_displayed())
            self.assertEqual(browser.find_elements(By.CSS_SELECTOR, "#sources button"), [])
            browser.picture("without-script")
        finally:
            browser.quit()


class ManySources(unittest.TestCase):
    COUNT = 10000

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.kept.name)
        random = numpy.random.default_rng(2)
        names = [f"vendor {i:05d}" for i in range(cls.COUNT)]
        result = make_result(folder, names, random.random(cls.COUNT), 6, "--intervals", "20", "--refits", "0")
        cls.page = make_page(result)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.kept.cleanup()

    def test_a_long_table_is_drawn_as_it_is_scrolled_to(self):
        browser = self.browser
        browser.open(self.page)
        self.assertEqual(browser.complaints(), [])
        table = browser.find_element(By.ID, "sources")
        browser.execute_script("arguments[0].scrollIntoView()", table)
        WebDriverWait(browser, 10).until(lambda _: "drawn" in table.get_attribute("class"))
        rows = "return document.querySelectorAll('#sources tbody tr').length"
        self.assertLess(browser.execute_script(rows), 200)
        browser.execute_script("document.querySelector('#sources .scroll').scrollTop = 1e9")
        last = f"return !!document.querySelector('#sources tr[aria-rowindex=\"{self.COUNT + 1}\"]')"
        WebDriverWait(browser, 10).until(lambda _: browser.execute_script(last))
        self.assertLess(browser.execute_script(rows), 200)
        browser.picture("many-last")
        table.find_elements(By.CSS_SELECTOR, "thead button")[0].click()
        first = "return document.querySelector('#sources tr[aria-rowindex=\"2\"] th').textContent"
        WebDriverWait(browser, 10).until(lambda _: browser.execute_script(first) == "vendor 00000")
        find = table.find_element(By.CSS_SELECTOR, "input")
        find.send_keys("vendor 0777")
        WebDriverWait(browser, 10).until(lambda _: browser.execute_script(first) == "vendor 07770")
        self.assertIn("10 of", table.find_element(By.CSS_SELECTOR, "[role=status]").text)

    def test_it_prints(self):
        self.browser.open(self.page)
        sheets = self.browser.print_page("many-print")
        self.assertIn("Verdict", sheets[0])
        self.assertNotIn("All sources, best first", sheets[0])
        self.assertIn("The first 50 of", "".join(sheets))
        self.assertLess(len(sheets), 40)


if __name__ == "__main__":
    unittest.main(verbosity=2)
