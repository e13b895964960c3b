"""Augmentors: the policy of gbv.augment is the program's, to the last byte, and so are images and exports."""
import copy
import json
import os
import pickle
import unittest

from support import FolderTest, gbv, np, program

from PIL import Image

BY_HAND = {"kind": "policy", "schema": 1, "noise": "code", "augmentors": [
    {"op": "invert", "magnitude": 0, "probability": 0.5},
    {"op": "rotate", "magnitude": 45, "sign": "coin", "probability": 0.25},
    {"op": "gaussian_noise", "magnitude": 0.5, "probability": 0.25}]}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write_policy(path, policy):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(policy, file)
    return path


class Valuation(FolderTest):
    """Images of two kinds, in a folder and as arrays, and a small network that knows them."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        self.y = np.arange(24) % 2
        base = rng.integers(0, 200, (2, 36, 36))
        self.X = (base[self.y] + rng.integers(0, 55, (24, 36, 36))).astype(np.uint8)
        gbv.train({"all": (self.X, self.y)}, "equal", model="cnn", epochs=2).save("universal.safetensors")
        os.mkdir("images")
        for kind in (0, 1):
            os.mkdir(f"images/{kind}")
        for i, (image, kind) in enumerate(zip(self.X, self.y)):
            Image.fromarray(image).save(f"images/{kind}/{i:02}.png")
        self.order = np.argsort(self.y, kind="stable")  # the folder's

    def augment(self, images, **options):
        return gbv.augment(images, pretrained="universal.safetensors", cache=None, **options)

    def test_a_folder_gives_the_programs_bytes(self):
        for arguments, options in (([], {}), (["--grid", "code", "--prior", "operator", "--top-k", "2", "--tau", "0.1"],
                                              dict(grid="code", prior="operator", top_k=2, tau=0.1)),
                                   (["--measure", "logme", "--subset", "12", "--continuous", "--seed", "3"],
                                    dict(measure="logme", subset=12, continuous=True, seed=3))):
            with self.subTest(arguments):
                program("augment", "--images", "images", "--pretrained", "universal.safetensors", "--cache", "off",
                        *arguments, "-o", "theirs.json", "-q")
                policy = self.augment("images", **options)
                self.assertEqual(policy.to_json().encode(), read("theirs.json"))
                policy.save("mine.json")
                self.assertEqual(read("mine.json"), read("theirs.json"))
                self.assertEqual(gbv.read_policy("theirs.json").to_json(), policy.to_json())

    def test_arrays_give_the_same_scores(self):
        folder, heard = self.augment("images"), []
        arrays = self.augment((self.X[self.order], self.y[self.order]),
                              progress=lambda done, total: heard.append((done, total)))
        self.assertEqual(folder.augmentors, arrays.augmentors)
        self.assertEqual(len(arrays.augmentors), 68)
        self.assertAlmostEqual(sum(a.probability for a in arrays.augmentors), 1)
        self.assertEqual(heard[-1][0], heard[-1][1])
        self.assertIn("rotate", repr(arrays))
        self.assertEqual(arrays.to_csv().count("\n"), 69)
        arrays.report("page.html")
        self.assertIn(b"rotate", read("page.html"))

    def test_a_run_is_stopped_and_told_what_is_wrong(self):
        images = (self.X, self.y)
        with self.assertRaises(gbv.InterruptedRun):
            self.augment("images", progress=lambda done, total: True)
        self.assert_fails(gbv.UsageError, "grid is 'fine'; expected paper or code", self.augment, images, grid="fine")
        self.assert_fails(gbv.UsageError, "prior is 'rows'", self.augment, images, prior="rows")
        self.assert_fails(gbv.UsageError, "noise is", self.augment, images, noise="loud")
        self.assert_fails(gbv.UsageError, "leap", self.augment, images, measure="leap")
        self.assert_fails(gbv.InputError, "class", self.augment, (self.X, self.y * 0))
        self.assert_fails(gbv.InputError, "absent.safetensors", gbv.augment, images, pretrained="absent.safetensors")


class Policies(FolderTest):
    def setUp(self):
        super().setUp()
        self.policy = gbv.read_policy(write_policy("policy.json", BY_HAND))
        self.image = np.random.default_rng(1).integers(0, 256, (20, 30, 3), np.uint8)

    def test_augmentors_are_plain_objects(self):
        first, turned, _ = self.policy.augmentors
        self.assertEqual((first.op, first.magnitude, first.coin, first.probability), ("invert", 0, False, 0.5))
        self.assertTrue(turned.coin)
        self.assertTrue(np.isnan(first.score))

    def test_draws_have_the_policys_probabilities_and_are_the_same_again(self):
        drawn = [self.policy.draw(5, row, visit) for row in range(200) for visit in range(10)]
        self.assertEqual(drawn[:50], [self.policy.draw(5, row, visit) for row in range(5) for visit in range(10)])
        counts = {key: sum((a.op, a.magnitude) == key for a in drawn)
                  for key in (("invert", 0), ("rotate", 45), ("rotate", -45), ("gaussian_noise", 0.5))}
        for count, expected in zip(counts.values(), (1000, 250, 250, 500)):
            self.assertLess(abs(count - expected), 120, counts)  # five standard errors
        self.assertEqual(sum(counts.values()), 2000)

    def test_an_image_is_changed_as_drawn(self):
        seen = set()
        for visit in range(40):
            drawn, changed = self.policy.draw(1, 3, visit), self.policy.apply(self.image, 1, 3, visit)
            np.testing.assert_array_equal(changed, self.policy.apply(self.image, 1, 3, visit))
            seen.add(drawn.op)
            if drawn.op != "gaussian_noise":
                np.testing.assert_array_equal(changed, gbv.apply(drawn.op, drawn.magnitude, self.image))
                continue
            low, high = np.rint([255 * 0.485, 255 * (0.485 + 0.229)])  # the first channel, cut after normalisation
            self.assertTrue(changed[..., 0].min() == low and changed[..., 0].max() == high)
            self.assertTrue((changed != self.policy.apply(self.image, 2, 3, visit)).any())
        self.assertEqual(seen, {"invert", "rotate", "gaussian_noise"})
        self.assertEqual(self.policy.apply(self.image[..., 0], 1, 3, 0).shape, (20, 30))

    def test_an_operator_gives_the_programs_pixels(self):
        Image.fromarray(self.image).save("in.png")
        for op, magnitude, seed in (("rotate", -22.5, 0), ("color", 2.5, 0), ("shear_x", 0.3, 0), ("equalize", None, 0),
                                    ("gaussian_blur", 2, 0), ("gaussian_noise", 0.3, 9)):
            program("augment", "apply", "--op", op, *([] if magnitude is None else [f"--magnitude={magnitude}"]),
                    "--seed", str(seed), "in.png", "out.png")
            mine = gbv.apply(op, magnitude, self.image, seed=seed)
            np.testing.assert_array_equal(mine, np.asarray(Image.open("out.png")), op)
        turned = gbv.apply("rotate", 90, self.image[::-1, :20])  # a view that is not contiguous
        np.testing.assert_array_equal(turned, np.rot90(self.image[::-1, :20]))
        one = gbv.apply("invert", None, self.image[..., :1])
        np.testing.assert_array_equal(one, 255 - self.image[..., :1])

    def test_copies_are_whole(self):
        for other in (copy.deepcopy(self.policy), pickle.loads(pickle.dumps(self.policy))):
            self.assertEqual(other.draw(1, 2, 3), self.policy.draw(1, 2, 3))
            self.assertEqual(other.to_json(), self.policy.to_json())

    def test_exports_are_the_programs(self):
        self.policy.save("saved.json")
        for name in ("torchvision", "albumentations"):
            notes = self.policy.export(name, "mine")
            program("export", "saved.json", "--for", name, "-o", "theirs")
            self.assertEqual(read("mine"), read("theirs"))
            self.assertEqual(bool(notes), name == "albumentations")
        self.assertIn("rotate", " ".join(notes))
        self.assert_fails(gbv.UsageError, "the nearest is torchvision", self.policy.export, "torchvison", "x")
        self.assert_fails(gbv.UsageError, "hf takes a result", self.policy.export, "hf", "x")
        rng = np.random.default_rng(2)
        x, y = rng.normal(size=(60, 2)), np.arange(60) % 2
        result = gbv.value((x, y), {"a": (x, y), "b": (x, 1 - y)}, intervals="off")
        result.export("hf", "mixture.json")
        with open("mixture.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["probabilities"], list(result.posterior.values()))
        self.assert_fails(gbv.UsageError, "torchvision takes a policy", result.export, "torchvision", "x")

    def test_what_is_wrong_is_one_sentence(self):
        self.assert_fails(gbv.InputError, "expected uint8", gbv.apply, "invert", None, self.image / 255)
        self.assert_fails(gbv.InputError, "20 x 30 x 2", gbv.apply, "invert", None, self.image[..., :2])
        self.assert_fails(gbv.UsageError, "rotat", gbv.apply, "rotat", 1, self.image)
        self.assert_fails(gbv.UsageError, "out of range", gbv.apply, "rotate", 1000, self.image)
        self.assert_fails(gbv.UsageError, "magnitude is nan", gbv.apply, "rotate", float("nan"), self.image)
        self.assert_fails(gbv.UsageError, "needs a magnitude", gbv.apply, "rotate", None, self.image)
        images = {"a": (np.stack([self.image] * 4), np.arange(4) % 2)}
        self.assert_fails(gbv.UsageError, "save it and give its file", gbv.train, images, "pooled", model="cnn",
                          policy=self.policy)
        self.assert_fails(gbv.InputError, "absent.json", gbv.read_policy, "absent.json")
        wrong = copy.deepcopy(BY_HAND)
        wrong["augmentors"][0]["op"] = "inwert"
        self.assert_fails(gbv.InputError, "inwert", gbv.read_policy, write_policy("wrong.json", wrong))


if __name__ == "__main__":
    unittest.main()
