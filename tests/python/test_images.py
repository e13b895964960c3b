"""Folders of images: the same as the program's, to the last bit, in value, train and predict."""
import os
import unittest

from support import FolderTest, gbv, np, program

import make_inputs


class Images(FolderTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(9)
        centres = rng.integers(0, 200, (3, 28 * 28))

        def draw(wrong):
            y = rng.integers(0, 3, 24)
            pixels = (centres[y] + rng.integers(0, 55, (24, 28 * 28))).astype(np.uint8)
            y = np.where(rng.random(24) < wrong, (y + 1) % 3, y)
            return [(image.tobytes(), ["bag", "boot", "shirt"][label]) for image, label in zip(pixels, y)]

        make_inputs.write_images("reference", draw(0))
        for name, wrong in (("anna", 0), ("ben", 0.6)):
            make_inputs.write_images(os.path.join("vendors", name), draw(wrong))

    def test_a_folder_of_folders_and_named_folders(self):
        for arguments, options in [([], {}), (["--resize", "7"], {"resize": 7}),
                                   (["--resize", "9", "--color", "rgb"], {"resize": 9, "color": "rgb"}),
                                   (["--color", "gray"], {"color": "gray"})]:
            with self.subTest(arguments):
                expected = program("value", "--reference", "reference", "--sources", "vendors", *arguments, "--format",
                                   "json").decode()
                self.assertEqual(gbv.value("reference", "vendors", **options).to_json(), expected)
                named = program("value", "--reference", "reference", "--source", "b=vendors/ben", *arguments,
                                "--format", "json").decode()
                self.assertEqual(gbv.value("reference", {"b": "vendors/ben"}, **options).to_json(), named)

    def test_training_and_predicting(self):
        program("train", "--sources", "vendors", "--equal-sources", "--resize", "8", "--color", "rgb", "-o",
                "program.safetensors")
        model = gbv.train("vendors", "equal", resize=8, color="rgb")
        model.save("mine.safetensors")
        with open("program.safetensors", "rb") as theirs, open("mine.safetensors", "rb") as mine:
            self.assertEqual(mine.read(), theirs.read())
        self.assertEqual(model.n_features_in_, 3 * 8 * 8)
        program("predict", "mine.safetensors", "reference", "--resize", "8", "--color", "rgb", "-o", "predictions.csv")
        with open("predictions.csv", encoding="utf-8") as file:
            expected = [line.split(",")[1] for line in file.read().splitlines()[1:]]
        self.assertEqual(model.predict("reference", resize=8, color="rgb").tolist(), expected)
        self.assert_fails(gbv.InputError, "784", model.predict, "reference")

    def test_wrong_settings(self):
        self.assert_fails(gbv.UsageError, "color is 'blue'; expected auto, gray or rgb", gbv.value, "reference",
                          "vendors", color="blue")
        self.assert_fails(gbv.UsageError, "resize is 2.5; expected a whole number", gbv.value, "reference", "vendors",
                          resize=2.5)


if __name__ == "__main__":
    unittest.main()
