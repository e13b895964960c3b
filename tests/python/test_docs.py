"""Every example that people may copy is run: the docstrings, docs/python.md, examples/quickstart.py."""
import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import unittest

from support import FolderTest, ROOT, gbv


def blocks(name):
    """The Python blocks of a page, each at the line it stands on, so that a failure points there."""
    with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as file:
        text = file.read()
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        yield "\n" * text.count("\n", 0, found.start(1)) + found.group(1)


class Documentation(FolderTest):
    def test_docstrings(self):
        runner = doctest.DocTestRunner()
        tried = set()
        for name in gbv.__all__:
            for test in doctest.DocTestFinder().find(getattr(gbv, name), name, module=False, globs={}):
                runner.run(test)
                tried |= {name} if test.examples else set()
        self.assertEqual(runner.failures, 0)
        self.assertLessEqual({"value", "compare", "features", "measure", "measures", "train", "Annotations", "Result",
                              "Training", "GBV"}, tried)
        for name in gbv.__all__:
            self.assertTrue(getattr(gbv, name).__doc__, f"{name} has no docstring")

    def test_the_page_for_users(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        names, printed, count = {}, io.StringIO(), 0
        with contextlib.redirect_stdout(printed):
            for block in blocks("python.md"):
                exec(compile(block, "docs/python.md", "exec"), names)
                count += 1
        self.assertGreater(count, 9)
        self.assertIn("the nearest is leep", printed.getvalue())
        self.assertIn("model.safetensors", os.listdir())

    def test_quickstart(self):
        script = os.path.join(ROOT, "examples", "quickstart.py")
        printed = subprocess.run([sys.executable, script], check=True, capture_output=True, text=True).stdout
        ranks = re.findall(r"^ +\d  (\w+)", printed, re.M)
        self.assertEqual(ranks, ["anna", "ben", "carl"])
        weighted, pooled = map(float, re.findall(r"0\.\d{3}\b(?= with)", printed))
        self.assertGreater(weighted, pooled)


if __name__ == "__main__":
    unittest.main()
