"""Networks of images: the same as the program's, to the last bit; which arrays are images; features; pretrained."""
import inspect
import os
import unittest

from support import FolderTest, gbv, np, photographers, program

import make_inputs
from gbv._inputs import Reading

SGD = gbv.Training(optimizer="sgd", schedule="cosine", momentum=0.8, nesterov=True, weight_decay=1e-3,
                   label_smoothing=0.05, dropout=0.1, held_out=0.25, patience=2, normalise="half", backend="reference",
                   threads_per_model=1)
SGD_OPTIONS = ("--optimizer sgd --schedule cosine --momentum 0.8 --nesterov --weight-decay 1e-3 --label-smoothing 0.05 "
               "--dropout 0.1 --held-out 0.25 --patience 2 --normalise half --backend reference "
               "--threads-per-model 1").split()
BRIEF = {"model": "cnn", "epochs": 2, "batch": 8, "threads": 1}
BRIEF_OPTIONS = ["--model", "cnn", "--epochs", "2", "--batch", "8", "--threads", "1"]


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Networks(FolderTest):
    def test_values_are_those_of_the_program(self):
        for channels, chosen, training in (((), SGD_OPTIONS, SGD), ((3,), [], None)):
            with self.subTest(channels=channels, training=training):
                reference, sources = photographers(rows=16, channels=channels)
                expected = program("value", *self.write_people(reference, sources), *BRIEF_OPTIONS, *chosen, "--cache",
                                   "off", "--format", "json")
                result = gbv.value(reference, sources, training=training, cache=None, **BRIEF)
                self.assert_same_numbers(result, expected)

    def test_models_are_those_of_the_program(self):
        reference, sources = photographers(rows=12)
        arguments = self.write_people(reference, sources)[2:]
        models = {}
        for use in ("weighting", "sampling"):
            with self.subTest(use):
                program("train", *arguments, "--equal-sources", *BRIEF_OPTIONS, *SGD_OPTIONS, "--use", use, "-o",
                        "theirs.safetensors")
                given = {name: getattr(SGD, name) for name in inspect.signature(gbv.Training).parameters}
                model = gbv.train(sources, "equal", training=gbv.Training(**{**given, "use": use}), **BRIEF)
                model.save(f"{use}.safetensors")
                self.assertEqual(content(f"{use}.safetensors"), content("theirs.safetensors"))
                models[use] = model.predict_proba(reference[0])
                again = gbv.load_model(f"{use}.safetensors", backend="reference", threads=1)
                np.testing.assert_array_equal(again.predict_proba(reference[0]), models[use])
        self.assertTrue(np.any(models["weighting"] != models["sampling"]))

    def test_a_policy_is_the_program_s(self):
        reference, sources = photographers(rows=12)
        program("train", *self.write_people(reference, sources)[2:], "--equal-sources", *BRIEF_OPTIONS, "--policy",
                "sra", "--variant", "paper", "-o", "theirs.safetensors")
        gbv.train(sources, "equal", policy="sra", policy_variant="paper", **BRIEF).save("ours.safetensors")
        self.assertEqual(content("ours.safetensors"), content("theirs.safetensors"))
        gbv.train(sources, "equal", **BRIEF).save("plain.safetensors")
        self.assertNotEqual(content("ours.safetensors"), content("plain.safetensors"))
        with self.assertRaisesRegex(gbv.UsageError, "the nearest is entaugment"):
            gbv.train(sources, "equal", policy="entaugmnt", **BRIEF)
        floats = {name: ((x / 255).astype(np.float32), y) for name, (x, y) in sources.items()}
        with self.assertRaisesRegex(gbv.InputError, "images of bytes"):
            gbv.train(floats, "equal", policy="sra", **BRIEF)

    def test_a_network_learns_and_weights_follow(self):
        reference, sources = photographers(rows=48, noise=(0.0, 0.9))
        result = gbv.value(reference, sources, model="cnn", epochs=4, batch=8, measure="accuracy", tau=0.1,
                           intervals="off")
        self.assertEqual(result.ranking, ["camera 0", "camera 1"])
        model = gbv.train(sources, result, model="cnn", epochs=4, batch=8)
        self.assertGreater(model.score(*reference), 0.9)
        self.assertEqual(model.n_features_in_, 64)

    def test_the_estimator_takes_images(self):
        reference, sources = photographers()
        X, y = (np.concatenate([each[part] for each in sources.values()]) for part in (0, 1))
        source = np.repeat(list(sources), 24)
        training = gbv.Training(optimizer="adamw")
        valuation = gbv.GBV(training=training, cache=None, **BRIEF).fit(X, y, source=source, reference=reference)
        self.assertEqual(valuation.result_.to_json(),
                         gbv.value(reference, (X, y, source), training=training, cache=None, **BRIEF).to_json())
        self.assertEqual(valuation.n_features_in_, 64)
        self.assertIn("training=Training(optimizer='adamw'), cache=None", repr(valuation))

    def test_comparisons_take_networks(self):
        reference, sources = photographers()
        comparison = gbv.compare(reference, sources, methods=["gbv:accuracy", "uniform"], test=reference, seeds=2,
                                 **BRIEF)
        self.assertEqual(list(comparison.methods), ["gbv accuracy", "uniform"])

    def test_trained_networks_are_kept_and_found(self):
        reference, sources = photographers()
        heard = []

        def value(cache, measure):
            heard.clear()
            result = gbv.value(reference, sources, measure=measure, cache=cache, on_epoch=heard.append, **BRIEF)
            return result.scores, len(heard)

        self.assertEqual(value("auto", "leep")[1], 4)
        self.assertEqual(len(os.listdir(os.environ["GBV_CACHE"])), 2)
        scores, epochs = value("auto", "nce")
        self.assertEqual(epochs, 0)
        self.assertEqual(value(None, "nce"), (scores, 4))
        self.assertEqual(value("mine", "nce"), (scores, 4))
        self.assertEqual(len(os.listdir("mine")), 2)


class Images(FolderTest):
    def write_photos(self):
        (X, y), _ = photographers(side=28)
        make_inputs.write_images("photos", [(image.tobytes(), ["bag", "boot", "shirt"][label])
                                            for image, label in zip(X, y)])

    def test_which_arrays_are_images(self):
        (X, y), _ = photographers(channels=(3,))
        model = gbv.train({"a": (X, y)}, "equal", **BRIEF)
        expected = model.predict_proba(X)
        planes = X.transpose(0, 3, 1, 2)
        for same in (planes, np.ascontiguousarray(planes), X.astype(">i2"), planes.astype(np.int64), X[::-1][::-1],
                     X.tolist()):
            np.testing.assert_array_equal(model.predict_proba(same), expected)
        for scaled in (X / 255, planes.astype(np.float32) / 255):
            np.testing.assert_allclose(model.predict_proba(scaled), expected, atol=1e-5)
        gray = model.predict_proba(X[:, :, :, 0])
        self.assertEqual(gray.shape, (24, 3))
        np.testing.assert_array_equal(model.predict_proba(X[:, :, :, :1]), gray)
        np.testing.assert_array_equal(model.predict_proba(X[:, None, :, :, 0]), gray)
        self.assertEqual(model.predict_proba(np.zeros((2, 8, 8, 3))).shape, (2, 3))
        for wrong in (X.reshape(24, -1), X[:, :, :, :2], X[:, None]):
            self.assert_fails(gbv.InputError, "X: the model cnn takes images, which the rows are not known to be",
                              model.predict, wrong)
        self.assert_fails(gbv.InputError, f"X: its pixels lie between {X.min()} and {X.max()}; networks take whole "
                          "numbers from 0 to 255, or floats from 0 to 1: use astype('uint8'), or divide by 255",
                          model.predict, X.astype(float))
        self.assert_fails(gbv.InputError, "reference: its pixels lie between -1 and", gbv.value,
                          (X.astype(int) - X.min() - 1, y), {"a": (X, y)}, model="cnn")
        self.assert_fails(gbv.InputError, "X: row 1, column 1 is not finite", model.predict, X * np.nan)
        self.assert_fails(gbv.InputError, "X: is 0 x ", model.predict, X[:0])
        self.assert_fails(gbv.InputError, "the model cnn takes images", gbv.train, {"a": (X.reshape(24, -1), y)},
                          "equal", model="cnn")

    def test_bytes_and_floats_go_together(self):
        (X, y), sources = photographers()
        scaled = {"camera 0": sources["camera 0"], "camera 1": (sources["camera 1"][0] / 255, sources["camera 1"][1])}
        mixed = gbv.train(scaled, "equal", **BRIEF).predict_proba(X)
        np.testing.assert_allclose(mixed, gbv.train(sources, "equal", **BRIEF).predict_proba(X), atol=1e-3)

    def test_numbers_that_are_no_bytes_are_rows_to_other_models(self):
        rng = np.random.default_rng(3)
        series, y = rng.normal(size=(30, 100, 3)), np.arange(30) % 2
        result = gbv.value((series, y), {"a": (series, y)}, intervals="off")
        self.assertFalse([warning for warning in result.warnings if "pixels" in warning])
        pixels = (series * 20 + 128).astype(np.uint8)
        result = gbv.value((pixels, y), {"a": (pixels, y)}, intervals="off")
        self.assertTrue([warning for warning in result.warnings if "raw pixels of images of 3 x 100" in warning])

    def test_folders_are_prepared_as_the_program_does_it(self):
        self.write_photos()
        program("train", "--source", "a=photos", "--pooled", *BRIEF_OPTIONS, "--preprocess", "16/12", "-o", "theirs.st")
        model = gbv.train({"a": "photos"}, "pooled", preprocess="16/12", **BRIEF)
        model.save("mine.st")
        self.assertEqual(content("mine.st"), content("theirs.st"))
        program("predict", "theirs.st", "photos", "-o", "predictions.csv")
        with open("predictions.csv", encoding="utf-8") as file:
            lines = [line.split(",") for line in file.read().splitlines()[1:]]
        self.assertEqual(model.predict("photos").tolist(), [line[1] for line in lines])
        self.assertEqual(model.predict_proba("photos").max(axis=1).tolist(), [float(line[2]) for line in lines])
        self.assertTrue(np.any(model.predict_proba("photos", preprocess="none") != model.predict_proba("photos")))

    def test_images_that_are_not_kept_are_decoded_again(self):
        self.write_photos()
        for name, size in (("kept", None), ("decoded", 1)):
            gbv.train({"a": "photos"}, "pooled", resize=12, image_cache=size, **BRIEF).save(name)
        self.assertEqual(content("kept"), content("decoded"))

    def test_sizes(self):
        self.assertEqual(Reading().sizes(), (0, 0))
        self.assertEqual(Reading(resize=32).sizes(), (32, 0))
        self.assertEqual(Reading(preprocess="40/32").sizes(), (40, 32))
        self.assertEqual(Reading(model="resnet50").sizes(), (256, 224))
        self.assertEqual(Reading(model="resnet50", resize=64).sizes(), (64, 0))
        self.assertEqual(Reading(model="resnet18", preprocess="none").sizes(), (0, 0))
        self.assertEqual(Reading(model="cnn", preprocess="imagenet").sizes(), (256, 224))
        for wrong in ("big", "0/8", "8/0", "8", "-8/8", "8/8/8", "", 8):
            self.assert_fails(gbv.UsageError, "expected none, imagenet, or RESIZE/CROP in pixels", Reading,
                              preprocess=wrong)


class Features(FolderTest):
    def test_features_are_those_of_the_program(self):
        reference, sources = photographers()
        gbv.train(sources, "equal", **BRIEF).save("cnn.safetensors")
        self.write_npz("images.npz", reference)
        program("features", "cnn.safetensors", "images.npz", "-o", "features.npy", "--labels-output", "labels.npy")
        expected = np.load("features.npy")
        heard = []
        model = gbv.load_model("cnn.safetensors")
        for seen in (model.features(reference[0], progress=lambda done, total: heard.append((done, total))),
                     gbv.features("images.npz", pretrained="cnn.safetensors", model="cnn"),
                     gbv.features(reference[0], pretrained="cnn.safetensors")):
            self.assertEqual(seen.dtype, np.float32)
            np.testing.assert_array_equal(seen, expected)
        self.assertEqual(heard[-1], (24, 24))
        seen, labels = model.features(reference, labels=True)
        np.testing.assert_array_equal(seen, expected)
        np.testing.assert_array_equal(labels, np.load("labels.npy"))
        seen, labels = gbv.features("images.npz", pretrained="cnn.safetensors", labels=True)
        np.testing.assert_array_equal(labels, reference[1])
        self.assertEqual(gbv.value((seen, labels), {"a": (seen, labels)}, intervals="off").ranking, ["a"])
        self.assertEqual(gbv.train({"a": (seen, labels)}, "equal").features(seen).shape[0], 24)
        self.assert_fails(gbv.UsageError, "X: is a ndarray; expected (X, y)", model.features, reference[0], labels=True)
        self.assert_fails(gbv.InputError, "not a resnet18", gbv.features, reference[0], pretrained="cnn.safetensors",
                          model="resnet18")
        self.assert_fails(gbv.UsageError, "there is no backend 'abacus'", gbv.features, reference[0],
                          pretrained="cnn.safetensors", backend="abacus")

    def test_training_may_begin_with_weights(self):
        _, sources = photographers()
        first = gbv.train(sources, "equal", **BRIEF)
        first.save("first.safetensors")
        self.assertIsNone(first.note)
        again = gbv.train({"a": (sources["camera 0"][0], np.arange(24) % 2)}, "equal", pretrained="first.safetensors",
                          **BRIEF)
        self.assertIn("its head has 3 classes; a new one for 2 was begun with random numbers", again.note)
        self.assert_fails(gbv.InputError, "none.safetensors", gbv.train, sources, "equal",
                          pretrained="none.safetensors", **BRIEF)
        self.assert_fails(gbv.UsageError, "pretrained is for networks of images", gbv.value, *photographers(),
                          pretrained="first.safetensors")

    def test_files_of_hubs(self):
        path = os.path.join(os.environ.get("GBV_DATA", ""), "resnet18-imagenet-restored.safetensors")
        if not os.path.exists(path):
            self.skipTest("$GBV_DATA has no resnet18-imagenet-restored.safetensors")
        (X, _), _ = photographers(rows=2, side=32, channels=(3,))
        model = gbv.load_model(path, threads=1)
        self.assertEqual((model.kind, len(model.classes_)), ("resnet18", 1000))
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        seen = gbv.features(X, model="resnet18", pretrained=path, threads=1)
        self.assertEqual(seen.shape, (2, 512))
        np.testing.assert_array_equal(seen, model.features(X))


class Refusals(FolderTest):
    def test_wrong_arguments(self):
        reference, sources = photographers()
        for sentence, options in (
                ("training is a dict; expected gbv.Training(optimizer=..., ...)", {"training": {"momentum": 0.9}}),
                ("use is 'both'; expected weighting or sampling", {"training": gbv.Training(use="both")}),
                ("momentum is 'much'; expected a finite number", {"training": gbv.Training(momentum="much")}),
                ("patience is 1.5; expected a whole number", {"training": gbv.Training(patience=1.5)}),
                ('optimizer "lion" is not known', {"training": gbv.Training(optimizer="lion")}),
                ('backend "abacus" is not there', {"training": gbv.Training(backend="abacus")}),
                ("pretrained is 5; expected a path", {"pretrained": 5}),
                ("resize=N is short for preprocess='N/N'", {"resize": 8, "preprocess": "8/8"}),
                ("image_cache is -1; expected a whole number", {"image_cache": -1})):
            with self.subTest(sentence):
                self.assert_fails(gbv.UsageError, sentence, gbv.value, reference, sources, **BRIEF, **options)
                self.assert_fails(gbv.UsageError, sentence, gbv.train, sources, "equal", **BRIEF, **options)
        self.assert_fails(gbv.UsageError, "cache is 3; expected a path", gbv.value, reference, sources, cache=3)
        self.assert_fails(gbv.UsageError, "cache_size is -1", gbv.value, reference, sources, cache_size=-1)
        self.assert_fails(gbv.UsageError, "resume needs the checkpoint", gbv.train, sources, "equal", resume=True,
                          **BRIEF)
        self.assert_fails(gbv.UsageError, 'model "resnet19" is not known', gbv.train, sources, "equal",
                          model="resnet19")

    def test_training_cannot_be_changed(self):
        with self.assertRaises(AttributeError):
            gbv.Training().momentum = 0.5
        self.assertEqual(repr(gbv.Training()), "Training()")
        self.assertEqual(gbv.Training(momentum=0.5), gbv.Training(momentum=0.5))


if __name__ == "__main__":
    unittest.main()
