#!/usr/bin/env python3
"""Gives experiments/augmentation the two data sets in their original layouts, sound and broken, as small as can be, and
runs the whole of it at the scale tiny with the program $GBV_PROGRAM."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy
from PIL import Image
import scipy.io

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "experiments" / "augmentation")]
import layouts  # noqa: E402
import protocols  # noqa: E402
import run as experiment  # noqa: E402

BIRDS = {"001.Auk/a.jpg": 1, "001.Auk/b.jpg": 0, "002.Tit/c.jpg": 1, "002.Tit/d.jpg": 0}  # 1: trained on


def draw(path, shade):
    """A JPEG of noise around a shade, so that classes can be told apart."""
    path.parent.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(list(path.name.encode()))
    pixels = numpy.clip(random.normal(shade, 40, (30, 40, 3)), 0, 255).astype("uint8")
    Image.fromarray(pixels).save(path)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        environment = {"GBV_DATA": str(self.folder / "data"), "HOME": str(self.folder), "XDG_CACHE_HOME": ""}
        patch = mock.patch.dict(os.environ, environment)
        patch.start()
        self.addCleanup(patch.stop)

    def refuses(self, what, *words):
        with self.assertRaises(layouts.Problem) as caught:
            what()
        for word in words:
            self.assertIn(word, str(caught.exception))

    def cub(self, birds=None, **lists):
        """CUB_200_2011 as its authors lay it out; a list that is given replaces the true one."""
        birds = birds or BIRDS
        root = self.folder / "data" / "CUB_200_2011"
        for image in birds:
            draw(root / "images" / image, 60 if image.startswith("001") else 190)
        true = {"images": birds, "image_class_labels": [int(image[:3]) for image in birds],
                "train_test_split": birds.values()}
        for name, values in true.items():
            text = "".join(f"{number} {value}\n" for number, value in enumerate(values, 1))
            (root / f"{name}.txt").write_text(lists.get(name, text))
        return root

    def dogs(self, folder="lists", **lists):
        """Stanford Dogs as its authors lay it out; a list that is given replaces the true one."""
        root = self.folder / "data" / "stanford-dogs"
        train, test = ["n1-Pug/n1_1.jpg", "n2-Husky/n2_1.jpg"], ["n1-Pug/n1_2.jpg", "n2-Husky/n2_2.jpg"]
        for image in train + test:
            draw(root / "Images" / image, 100)
        (root / folder).mkdir(exist_ok=True)
        for name, files in {"train_list": train, "test_list": test, "file_list": train + test, **lists}.items():
            cells = numpy.empty((len(files), 1), dtype=object)
            cells[:, 0] = files
            labels = numpy.array([[float(file[1])] for file in files])
            scipy.io.savemat(root / folder / f"{name}.mat", {"file_list": cells, "labels": labels,
                                                            "annotation_list": cells})
        return root


class Layouts(Case):
    def names(self, images):
        return {part: [f"{name}/{path.name}" for name, path in rows] for part, rows in images.items()}

    def test_the_lists_of_the_birds_split_them(self):
        images, layout = layouts.read("cub", self.cub())
        self.assertEqual(layout, "original")
        self.assertEqual(self.names(images), {"train": ["001.Auk/a.jpg", "002.Tit/c.jpg"],
                                              "test": ["001.Auk/b.jpg", "002.Tit/d.jpg"]})
        layouts.check(images, "here", {"train": 2, "test": 2})

    def test_the_lists_of_the_dogs_split_them_wherever_they_lie(self):
        for folder in ("lists", "."):
            images, layout = layouts.read("dogs", self.dogs(folder))
            self.assertEqual(layout, "original")
            self.assertEqual(self.names(images), {"train": ["n1-Pug/n1_1.jpg", "n2-Husky/n2_1.jpg"],
                                                  "test": ["n1-Pug/n1_2.jpg", "n2-Husky/n2_2.jpg"]})

    def test_prepared_folders_are_read_as_they_are(self):
        for image, trained in BIRDS.items():
            draw(self.folder / "cub200-224" / ("train" if trained else "test") / image, 90)
        images, layout = layouts.read("cub", self.folder / "cub200-224")
        self.assertEqual((layout, len(images["train"]), len(images["test"])), ("folders", 2, 2))

    def test_other_numbers_than_the_authors_are_refused(self):
        images, _ = layouts.read("cub", self.cub())
        self.refuses(lambda: layouts.check(images, "here", layouts.COUNTS["cub"]), "here: has 2 images of the train",
                     "expected 5994")
        self.assertEqual(layouts.COUNTS, {"cub": {"train": 5994, "test": 5794}, "dogs": {"train": 12000, "test": 8580}})

    def test_a_missing_list_is_named(self):
        for make, dataset, name in ((self.cub, "cub", "train_test_split.txt"),
                                    (self.dogs, "dogs", "lists/file_list.mat")):
            root = make()
            (root / name).unlink()
            self.refuses(lambda: layouts.read(dataset, root), f"{root / name}: is missing", "unpack")

    def test_a_missing_image_is_named_and_counted(self):
        root = self.cub()
        (root / "images" / "001.Auk" / "a.jpg").unlink()
        self.refuses(lambda: layouts.read("cub", root), "001.Auk/a.jpg is in images.txt but not there",
                     "missing: 1 of 2")
        root = self.dogs()
        (root / "Images" / "n2-Husky" / "n2_2.jpg").unlink()
        self.refuses(lambda: layouts.read("dogs", root), "n2-Husky/n2_2.jpg is in test_list.mat but not there")

    def test_lists_that_contradict_each_other_are_refused(self):
        for lists, words in (({"train_test_split": "1 1\n2 0\n3 1\n"}, "not those of images.txt (number 4)"),
                             ({"train_test_split": "1 1\n2 0\n3 1\n4 2\n"}, "image 4 has '2'; expected 0 or 1"),
                             ({"image_class_labels": "1 1\n2 1\n3 1\n4 2\n"}, "002.Tit/c.jpg has the label 1"),
                             ({"image_class_labels": "1 1\n2 1\n3 a b\n"}, "image_class_labels.txt is missing or"),
                             ({"images": "1 001.Auk/a.jpg\n1 001.Auk/b.jpg\n"}, "has a number twice"),
                             ({"images": ""}, "images.txt is missing or damaged")):
            root = self.cub(**lists)
            self.refuses(lambda: layouts.read("cub", root), words)
        root = self.dogs(file_list=["n1-Pug/n1_1.jpg"])
        self.refuses(lambda: layouts.read("dogs", root), "n1-Pug/n1_2.jpg is not both in file_list.mat and in")
        root = self.dogs(train_list=["n1-Pug/n1_1.jpg"] * 2 + ["n2-Husky/n2_1.jpg"])
        self.refuses(lambda: layouts.read("dogs", root), "train_list.mat: names n1-Pug/n1_1.jpg twice")

    def test_an_image_on_both_sides_and_a_class_on_one_are_refused(self):
        both = ["n1-Pug/n1_1.jpg", "n1-Pug/n1_2.jpg", "n2-Husky/n2_1.jpg", "n2-Husky/n2_2.jpg"]
        images, _ = layouts.read("dogs", self.dogs(train_list=both))
        self.refuses(lambda: layouts.check(images, "here", None), "n1_2.jpg is in both the training and the test set")
        images, _ = layouts.read("cub", self.cub({**BIRDS, "003.Owl/e.jpg": 1}))
        self.refuses(lambda: layouts.check(images, "here", None), "003.Owl is in one of the training and the test set")

    def test_names_stay_in_their_folder(self):
        for name in ("../a.jpg", "001.Auk/../../a.jpg", "/etc/passwd", "a.jpg"):
            root = self.cub(images=f"1 {name}\n2 001.Auk/b.jpg\n3 002.Tit/c.jpg\n4 002.Tit/d.jpg\n")
            self.refuses(lambda: layouts.read("cub", root), "images.txt: names", "no CLASS/IMAGE")

    def test_a_list_that_is_no_matlab_file_is_refused(self):
        root = self.dogs()
        whole = (root / "lists" / "train_list.mat").read_bytes()
        for content in (b"", b"no such file", whole[:len(whole) // 2]):
            (root / "lists" / "train_list.mat").write_bytes(content)
            self.refuses(lambda: layouts.read("dogs", root), "train_list.mat: cannot be read", "lists.tar")
        scipy.io.savemat(root / "lists" / "train_list.mat", {"labels": [1.0]})
        self.refuses(lambda: layouts.read("dogs", root), "train_list.mat: cannot be read", "file_list")

    def test_a_data_set_that_is_not_there_is_named_with_its_place(self):
        self.refuses(lambda: layouts.find("dogs"), "Stanford Dogs is not in", "stanford-dogs", "--data")
        self.refuses(lambda: layouts.find("cub", self.folder / "none"), "is no folder")

    def test_first_classes_are_chosen_by_name(self):
        images = [(name, pathlib.Path(f"{name}/{i}")) for name in "bca" for i in range(2)]
        self.assertEqual([str(path) for _, path in layouts.choose(images, 2)], ["b/0", "b/1", "a/0", "a/1"])
        self.assertEqual(layouts.choose(images, None), images)

    def test_what_is_held_out_is_a_share_of_each_class_and_another_one_for_each_seed(self):
        images = [(name, pathlib.Path(f"{name}/{i}")) for name in "ab" for i in range(10)]
        fit, held = layouts.hold_out(images, 0.2, 1)
        self.assertEqual(sorted(fit + held), sorted(images))
        self.assertEqual([sum(name == each for name, _ in held) for each in "ab"], [2, 2])
        self.assertEqual((fit, held), layouts.hold_out(images, 0.2, 1))
        self.assertNotEqual(held, layouts.hold_out(images, 0.2, 2)[1])

    def test_links_lead_to_the_images(self):
        images, _ = layouts.read("cub", self.cub())
        layouts.link(images["train"], self.folder / "out" / "train")
        made = sorted((self.folder / "out" / "train").rglob("*.jpg"))
        self.assertEqual([path.read_bytes() for path in made], [path.read_bytes() for _, path in images["train"]])


class Tables(unittest.TestCase):
    def test_every_published_method_is_run(self):
        for numbers in protocols.PUBLISHED.values():
            self.assertEqual(set(numbers), set(protocols.METHODS) - {"none"})

    def test_a_row_has_mean_and_standard_error_beside_the_published(self):
        results = [{"last": 0.5, "best": 0.6}, {"last": 0.6, "best": 0.6}]
        self.assertEqual(experiment.row("SRA", results, (66.53, 0.42)),
                         "| SRA | 55.00 ± 5.00 | 60.00 ± 0.00 | 66.53 ± 0.42 |")
        self.assertEqual(experiment.row("SRA", None, None), "| SRA | – | – | – |")

    def test_differences_go_seed_by_seed(self):
        ours, theirs = ([{"last": value} for value in values] for values in ((0.5, 0.7), (0.4, 0.6)))
        self.assertEqual(experiment.show_difference(ours, theirs), "+10.00 ± 0.00")

    def test_what_is_passed_on_is_told(self):
        passed = {"grid": "paper", "noise": "code", "top-k": "2", "tau": "code"}
        told = "\n".join(protocols.differences(passed, "paper"))
        for words in ("the 2 best magnitudes", "the paper's grid", "GBV's is the code's (--noise)",
                      "Here: code (--tau)", "their authors' own spaces (--variant)"):
            self.assertIn(words, told)

    def test_stand_ins_are_told(self):
        words = experiment.model_words("resnet18", ("--pretrained", "x/resnet18-imagenet-restored.safetensors"))
        self.assertIn("stands in for the paper's ResNet-34", words)
        self.assertNotIn("stands in", experiment.model_words("resnet34", ("--pretrained", "resnet34.safetensors")))


class Whole(Case):
    def setUp(self):
        super().setUp()
        self.program = os.environ["GBV_PROGRAM"]
        self.root = self.cub({f"{name}/{i}.jpg": int(i < 10) for name in ("001.Auk", "002.Tit") for i in range(16)})
        self.weights = self.folder / "cnn.safetensors"

    def run_experiment(self, *words):
        out = io.StringIO()
        arguments = ["run.py", "--scale", "tiny", "--gbv", self.program, "--pretrained", str(self.weights), "--work",
                     str(self.folder / "work"), *words]
        with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(experiment.main(), 0)
        return out.getvalue()

    def test_all_methods_end_in_the_table_and_are_found_again(self):
        subprocess.run([self.program, "train", "--pooled", "--source", f"birds={self.root}/images", "--model", "cnn",
                        "--resize", "24", "--epochs", "1", "-o", self.weights, "--progress", "off"], check=True,
                       capture_output=True)
        said = self.run_experiment()
        for name in protocols.NAMED.values():
            self.assertRegex(said, rf"\| {name} \| \d+\.\d\d \| \d+\.\d\d \|")
        self.assertRegex(said, r"\| GBV \(best tau: [\d.]+\) \| \d+\.\d\d")
        finals = sorted((self.folder / "work" / "seed-1").glob("final-*.json"))
        self.assertEqual(len(finals), len(protocols.METHODS))
        before = {path: path.stat().st_mtime_ns for path in finals}
        again = self.run_experiment("--only", "sra")
        table = [line for line in said.splitlines() if line.startswith("|")]
        self.assertEqual(table, [line for line in again.splitlines() if line.startswith("|")])
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in finals})
        policy = json.loads((self.folder / "work" / "policy-cnn-quick.json").read_text())
        self.assertAlmostEqual(sum(each["probability"] for each in policy["augmentors"]), 1)

    def test_a_dry_run_prints_commands_and_writes_nothing(self):
        said = self.run_experiment("--dry-run", "--only", "sra,gbv-quick", "--top-k", "2", "--variant", "paper")
        lines = said.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertIn(" augment ", lines[0])
        self.assertIn("--top-k 2", lines[0])
        self.assertIn("--policy sra --variant paper", lines[1])
        self.assertFalse((self.folder / "work").exists())


if __name__ == "__main__":
    unittest.main()
