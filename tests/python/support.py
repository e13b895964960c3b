"""What the tests of the Python package share. It imports gbv before NumPy, so that OpenBLAS is loaded with the kernels
that the command-line program starts over for: only then can both give the same bits (gbv/_library.py, _open)."""
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import gbv

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "walk"))  # make_inputs: files as people come with them
PROGRAM = os.environ.get("GBV_PROGRAM", os.path.join(ROOT, "build", "gbv"))


def program(*arguments, code=0):
    """Runs the command-line program and returns what it printed."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"gbv {arguments} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout if code == 0 else done.stderr


def people(seed=1, rows=120, columns=6, classes=3, noise=(0.0, 0.3, 0.7), dtype=np.float64, text=False):
    """A reference and annotators who get more and more labels wrong: (X, y), {name: (X, y)}."""
    rng = np.random.default_rng(seed)
    centres = 2 * rng.normal(size=(classes, columns))

    def draw(wrong):
        y = rng.integers(0, classes, rows)
        x = centres[y] + rng.normal(size=(rows, columns))
        if np.dtype(dtype).kind in "ui":
            x = np.clip(20 * x + 100, 0, 127)
        y = np.where(rng.random(rows) < wrong, rng.integers(0, classes, rows), y)
        return x.astype(dtype), np.array(["ape", "bee", "cät"])[y] if text else y

    return draw(0), {f"annotator {i}": draw(rate) for i, rate in enumerate(noise)}


def photographers(seed=2, rows=24, side=8, channels=(), noise=(0.0, 0.7)):
    """The same with images of bytes, rows x side x side x channels."""
    rng = np.random.default_rng(seed)
    centres = rng.integers(0, 200, (3, side, side, *channels))

    def draw(wrong):
        y = rng.integers(0, 3, rows)
        x = (centres[y] + rng.integers(0, 55, (rows, side, side, *channels))).astype(np.uint8)
        return x, np.where(rng.random(rows) < wrong, (y + 1) % 3, y)

    return draw(0), {f"camera {i}": draw(rate) for i, rate in enumerate(noise)}


class FolderTest(unittest.TestCase):
    """A test with a folder of its own, which is where it runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        own = unittest.mock.patch.dict(os.environ, GBV_CACHE=os.path.join(folder.name, "cache"))
        own.start()
        self.addCleanup(own.stop)

    def write_npz(self, name, dataset):
        np.savez(name, x=dataset[0], y=dataset[1])
        return name

    def write_people(self, reference, sources):
        """The same as NPZ files; the arguments that name them to the program."""
        arguments = ["--reference", self.write_npz("reference.npz", reference)]
        for number, (name, dataset) in enumerate(sources.items()):
            path = self.write_npz(f"source-{number}.npz", dataset)
            arguments += ["--source", f"{name}={path}"]
        return arguments

    def assert_same_numbers(self, result, text):
        """Every number of every source is the same double as in the program's JSON, and so is what concerns all."""
        import json

        expected = json.loads(text)
        for key in ("tau", "entropy", "effective_sources", "effective_rows", "reference_rows", "warnings", "variant",
                    "problem", "feature_space", "run", "seed", "ambiguous", "method", "reference_uses"):
            self.assertEqual(result.record[key], expected[key], key)
        for key in ("tau_curve", "measures", "notes", "certainty", "indistinguishable", "separation", "groups"):
            self.assertEqual(result.record.get(key), expected.get(key), key)
        self.assertEqual(len(result.record["sources"]), len(expected["sources"]))
        for mine, theirs in zip(result.record["sources"], expected["sources"]):
            for key in theirs.keys() - {"input", "warnings"}:
                self.assertEqual(mine[key], theirs[key], f"{key} of {mine['name']}")

    def assert_fails(self, kind, sentence, function, *arguments, **options):
        """The call raises this kind of error, and its sentence holds the words."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **options)
        self.assertIn(sentence, str(caught.exception))
        self.assertIsInstance(caught.exception, gbv.Error)
