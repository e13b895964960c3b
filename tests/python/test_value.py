"""gbv.value gives what the command-line program gives, to the last bit, from arrays, frames and files alike."""
import copy
import os
import pickle
import unittest
import warnings

from support import FolderTest, gbv, np, people, program


class SameAsTheProgram(FolderTest):
    def check(self, reference, sources, arguments=(), **options):
        given = self.write_people(reference, sources)
        result = gbv.value(reference, sources, **options)
        self.assert_same_numbers(result, program("value", *given, *arguments, "--format", "json"))
        return result

    def test_arrays_give_the_same_doubles_as_files(self):
        result = self.check(*people())
        self.assertEqual(result.ranking[0], "annotator 0")

    def test_texts_as_labels(self):
        self.check(*people(text=True))

    def test_every_type_of_numbers(self):
        for dtype in ("u1", "i1", "<u2", ">i2", "u4", ">i4", "u8", "i8", "f2", ">f2", ">f4", "f4", ">f8", "?"):
            with self.subTest(dtype):
                reference, sources = people(dtype="u1" if dtype == "?" else dtype)
                if dtype == "?":
                    sources = {name: (x > 100, y) for name, (x, y) in sources.items()}
                    reference = reference[0] > 100, reference[1]
                self.check(reference, sources)

    def test_any_strides(self):
        reference, sources = people()

        def twisted(x, y):
            wide = np.zeros((3 * len(x), 2 * x.shape[1]))
            wide[::3, ::2] = x
            return {0: (np.asfortranarray(x), y), 1: (wide[::3, ::2], y), 2: (x[::-1, ::-1], y[::-1])}

        plain = gbv.value(reference, sources)
        for number in range(2):
            self.assertEqual(gbv.value(twisted(*reference)[number],
                                       {name: twisted(*each)[number] for name, each in sources.items()}).to_json(),
                             plain.to_json())
        backwards = [twisted(*reference)[2], {name: twisted(*each)[2] for name, each in sources.items()}]
        copied = [tuple(part.copy() for part in backwards[0]),
                  {name: tuple(part.copy() for part in each) for name, each in backwards[1].items()}]
        self.assertEqual(gbv.value(*backwards).to_json(), gbv.value(*copied).to_json())

    def test_images_are_flattened(self):
        reference, sources = people(columns=12, dtype="u1")
        flat = gbv.value(reference, sources)
        images = {name: (x.reshape(-1, 3, 4), y) for name, (x, y) in sources.items()}
        self.assertEqual(gbv.value((reference[0].reshape(-1, 3, 4), reference[1]), images).to_json(), flat.to_json())
        self.assert_fails(gbv.InputError, "images of 6 x 2 pixels", gbv.value,
                          (reference[0].reshape(-1, 2, 6), reference[1]), images)

    def test_measures_models_and_options(self):
        reference, sources = people()
        for arguments, options in [
            (["--measure", "logme", "--variant", "code", "--model", "mlp", "--hidden", "9", "--epochs", "3"],
             {"measure": "logme", "variant": "code", "model": "mlp", "hidden": 9, "epochs": 3}),
            (["--model", "mlp", "--epochs", "2", "--batch", "16", "--learning-rate", "0.01", "--seed", "5"],
             {"model": "mlp", "epochs": 2, "batch": 16, "learning_rate": 0.01, "seed": 5}),
            (["--tau", "0.25", "--tau-curve", "--l2", "0.5"], {"tau": 0.25, "tau_curve": True, "l2": 0.5}),
            (["--tau", "code", "--prior", "rows", "--threads", "1"], {"tau": "code", "prior": "rows", "threads": 1}),
            (["--measure", "mmd", "--fast", "--undefined", "zero"],
             {"measure": "mmd", "fast": True, "undefined": "zero"}),
            (["--measure", "nce,logme,leep"], {"measure": ["nce", "logme", "leep"]}),
            (["--measure", "nce,logme"], {"measure": "nce,logme"}),
            (["--measure", "all"], {"measure": "all"}),
            (["--measure", "accuracy,all"], {"measure": ("accuracy", "all")}),
        ]:
            with self.subTest(arguments):
                self.check(reference, sources, arguments, **options)

    def test_items_are_no_features(self):
        reference, sources = people()
        for name, (x, y) in {"reference": reference, **sources}.items():
            np.savez(f"{name}.npz", x=x, y=y, photo=[f"{i}.jpg" for i in range(len(x))])
        paths = {name: f"{name}.npz" for name in sources}
        arguments = [part for name, path in paths.items() for part in ("--source", f"{name}={path}")]
        expected = program("value", "--reference", "reference.npz", *arguments, "--item-column", "photo", "--format",
                           "json").decode()
        self.assertEqual(gbv.value("reference.npz", paths, item_column="photo").to_json(), expected)
        self.assert_fails(gbv.InputError, "file", gbv.value, "reference.npz", paths, item_column="file")

    def test_a_prior_by_name_in_order_or_from_a_file(self):
        reference, sources = people()
        with open("prior.csv", "w", encoding="utf-8") as file:
            file.write("source,prior\n" + "".join(f"annotator {i},{i + 1}\n" for i in (2, 0, 1)))
        for prior in ({f"annotator {i}": i + 1 for i in (1, 2, 0)}, [1, 2, 3], np.array([1.0, 2.0, 3.0]), "prior.csv"):
            result = self.check(reference, sources, ["--prior", "prior.csv"], prior=prior)
        self.assertEqual(list(result.prior.values()), [1 / 6, 1 / 3, 1 / 2])

    def test_paths_give_the_same_bytes(self):
        given = self.write_people(*people())
        paths = {f"annotator {i}": f"source-{i}.npz" for i in range(3)}
        for form in ("json", "csv", "table"):
            expected = program("value", *given, "--format", form).decode()
            result = gbv.value("reference.npz", paths)
            self.assertEqual({"json": result.to_json(), "csv": result.to_csv(), "table": repr(result) + "\n"}[form],
                             expected)
            result.save(f"saved.{form.replace('table', 'txt')}")
            with open(f"saved.{form.replace('table', 'txt')}", encoding="utf-8") as file:
                self.assertEqual(file.read(), expected)
        self.assertEqual(sorted(os.listdir()), sorted(["reference.npz", "saved.csv", "saved.json", "saved.txt",
                                                       *paths.values()]))

    def test_a_folder_and_two_files_for_one_dataset(self):
        reference, sources = people()
        np.save("x.npy", reference[0])
        np.save("y.npy", reference[1])
        os.mkdir("people")
        for name, dataset in sources.items():
            self.write_npz(f"people/{name}.npz", dataset)
        expected = program("value", "--reference", "x.npy,y.npy", "--sources", "people", "--format", "json").decode()
        self.assertEqual(gbv.value("x.npy,y.npy", "people").to_json(), expected)

    def test_mixtures_of_arrays_and_paths(self):
        reference, sources = people()
        given = self.write_people(reference, sources)
        mixed = {"annotator 0": sources["annotator 0"], "annotator 1": "source-1.npz",
                 "annotator 2": dict(zip("xy", sources["annotator 2"]))}
        self.assert_same_numbers(gbv.value(np.load("reference.npz"), mixed),
                                 program("value", *given, "--format", "json"))

    def test_one_table_of_everybodys_rows(self):
        reference, sources = people()
        rng = np.random.default_rng(2)
        order = rng.permutation(3 * 120)
        x, y = (np.concatenate([each[part] for each in sources.values()])[order] for part in (0, 1))
        source = np.repeat(list(sources), 120)[order]
        self.write_npz("reference.npz", reference)
        np.savez("table.npz", x=x, y=y, who=source)
        arguments = ["--sources", "table.npz", "--source-column", "who", "--reference", "reference.npz"]
        expected = program("value", *arguments, "--format", "json")
        result = gbv.value(reference, (x, y, source))
        self.assert_same_numbers(result, expected)
        self.assertEqual(result.record["problem"], "annotator")
        by_path = gbv.value("reference.npz", "table.npz", source_column="who")
        self.assertEqual(by_path.to_json(), expected.decode())
        by_path.save("result.json")
        program("weights", "result.json", "-o", "weights.npy")
        for each in (result, by_path):
            np.testing.assert_array_equal(each.sample_weight(), np.load("weights.npy"))
        for name, weights in result.weights().items():
            np.testing.assert_array_equal(weights, np.load("weights.npy")[source == name])

    def test_sources_that_are_numbers(self):
        reference, sources = people()
        x, y = (np.concatenate([each[part] for each in sources.values()]) for part in (0, 1))
        result = gbv.value(reference, (x, y, np.repeat([7, -2, 30], 120)))
        self.assertEqual(result.sources, ["7", "-2", "30"])


class Results(FolderTest):
    def test_what_a_result_offers(self):
        result = gbv.value(*people())
        self.assertEqual(result.sources, ["annotator 0", "annotator 1", "annotator 2"])
        self.assertAlmostEqual(sum(result.posterior.values()), 1)
        self.assertGreater(result.scores["annotator 0"], result.scores["annotator 2"])
        self.assertGreater(result.agreement["annotator 0"], 0.5)
        confusion = result.confusion["annotator 0"]
        self.assertEqual(confusion.shape, (len(result.classes), len(result.classes) + 1))
        self.assertAlmostEqual(np.trace(confusion) / confusion.sum(), result.agreement["annotator 0"])
        self.assertAlmostEqual(result.effective_sources, 1 / sum(p * p for p in result.posterior.values()))
        self.assertAlmostEqual(result.tau, 1 / np.log2(3))
        self.assertGreater(result.effective_rows, 100)
        page = result._repr_html_()
        self.assertIn("annotator 0", page)
        self.assertIn("annotator 0", repr(result))

    def test_several_measures(self):
        result = gbv.value(*people(), measure=["nce", "accuracy"])
        self.assertEqual(list(result.measures), ["nce", "accuracy"])
        self.assertEqual(result.measures["nce"], result.scores)
        self.assertEqual(result.measures["accuracy"], result.agreement)
        alone = gbv.value(*people(), measure="accuracy")
        self.assertEqual(alone.measures, {"accuracy": result.agreement})
        self.assertEqual(list(gbv.value(*people(), measure="all").measures), [info.name for info in gbv.measures()])
        for measure in ([], 3, [3], {"nce": 1}):
            self.assert_fails(gbv.UsageError, "expected a name, or a list of names", gbv.value, *people(),
                              measure=measure)
        self.assert_fails(gbv.UsageError, 'there is no measure "leap"', gbv.value, *people(), measure=["nce", "leap"])

    def test_flags(self):
        reference, sources = people()
        sources["one class"] = sources["annotator 0"][0], np.zeros(120, int)
        result = gbv.value(reference, sources)
        self.assertEqual(result.flags["annotator 0"], [])
        self.assertIn("one_class", result.flags["one class"])
        self.assertIn("one_class", result._repr_html_())
        self.assertIs(result.ambiguous, False)
        self.assertIs(gbv.value(reference, {"a": sources["annotator 0"], "b": sources["annotator 0"]}).ambiguous, True)
        self.assertEqual(result.notes, [])

    def test_names_in_a_page_are_escaped(self):
        reference, sources = people()
        page = gbv.value(reference, {"<script>": sources["annotator 0"]})._repr_html_()
        self.assertNotIn("<script>", page)
        self.assertIn("&lt;script&gt;", page)

    def test_it_can_be_pickled_and_copied(self):
        result = gbv.value(*people())
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            self.assertEqual(again.to_json(), result.to_json())
            np.testing.assert_array_equal(again.sample_weight(), result.sample_weight())

    def test_weights_are_the_share_of_each_row(self):
        reference, sources = people()
        sources["annotator 1"] = tuple(part[:50] for part in sources["annotator 1"])
        result = gbv.value(reference, sources)
        weights = result.weights()
        self.assertEqual([len(each) for each in weights.values()], [120, 50, 120])
        for name, each in weights.items():
            self.assertTrue((each == result.posterior[name] / len(each)).all())
        np.testing.assert_array_equal(result.sample_weight(), np.concatenate(list(weights.values())))
        self.assertAlmostEqual(result.sample_weight().sum(), 1)

    def test_rows_that_were_not_used_weigh_nothing(self):
        reference, sources = people()
        sources["annotator 1"][0][[3, 77]] = np.nan
        self.write_people(reference, sources)
        paths = {f"annotator {i}": f"source-{i}.npz" for i in range(3)}
        self.assert_fails(gbv.InputError, "source-1.npz: row 4, column 1 holds nan", gbv.value, "reference.npz", paths)
        with self.assertWarnsRegex(UserWarning, "2 rows skipped: source-1.npz: row 4"):
            result = gbv.value("reference.npz", paths, skip_bad_rows=True)
        weights = result.weights()["annotator 1"]
        self.assertEqual(np.flatnonzero(weights == 0).tolist(), [3, 77])
        self.assertEqual(len(weights), 120)
        result.save("result.json")
        program("weights", "result.json", "-o", "weights.npy")
        np.testing.assert_array_equal(result.sample_weight(), np.load("weights.npy"))

    def test_a_class_map_leaves_rows_out(self):
        reference, sources = people(text=True)
        with open("map.csv", "w", encoding="utf-8") as file:
            file.write("label,class\nape,ape\nbee,-\ncät,cät\n")
        result = gbv.value(reference, sources, class_map="map.csv")
        labels = sources["annotator 1"][1]
        np.testing.assert_array_equal(result.weights()["annotator 1"] == 0, labels == "bee")
        x, y = (np.concatenate([each[part] for each in sources.values()]) for part in (0, 1))
        table = gbv.value(reference, (x, y, np.repeat(list(sources), 120)), class_map="map.csv")
        np.testing.assert_array_equal(table.sample_weight(), result.sample_weight())
        self.assert_fails(gbv.UsageError, "use sample_weight()", table.weights)

    def test_a_worst_score_and_an_undefined_one(self):
        x = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 5)
        y = np.array([0, 0, 1, 1] * 5)
        # The features of a model that knows one class are all the same: they explain nothing.
        result = gbv.value((x, y), {"anna": (x, y), "one class": (x, 0 * y)}, measure="logme")
        self.assertEqual(result.scores["one class"], -np.inf)
        self.assertEqual(result.posterior, {"anna": 1.0, "one class": 0.0})
        few = {"anna": (x, y), "one row": (x[:1], y[:1])}
        unbiased = {"measure": "mmd", "variant": "unbiased"}
        self.assert_fails(gbv.UndefinedError, "source 'one row': unbiased mmd needs at least two rows", gbv.value,
                          (x, y), few, **unbiased)
        result = gbv.value((x, y), few, undefined="zero", **unbiased)
        self.assertTrue(np.isnan(result.scores["one row"]))
        self.assertIsNone(result.record["sources"][1]["score"])
        self.assertEqual(result.posterior, {"anna": 1.0, "one row": 0.0})

    def test_save_leaves_the_old_file_when_it_fails(self):
        result = gbv.value(*people())
        with self.assertRaises(FileNotFoundError):
            result.save("nowhere/result.json")
        os.mkdir("folder.json")
        with self.assertRaises(OSError):
            result.save("folder.json")
        self.assertEqual(os.listdir(), ["folder.json"])


class Frames(FolderTest):
    def setUp(self):
        super().setUp()
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        self.pandas = pandas

    def frame(self, dataset, label="label"):
        frame = self.pandas.DataFrame(dataset[0], columns=[f"f{i}" for i in range(dataset[0].shape[1])])
        frame.insert(2, label, dataset[1])
        return frame

    def test_frames_are_read_as_csv_files_are(self):
        for text in (False, True):
            reference, sources = people(text=text)
            frames = {name: self.frame(each, "Target") for name, each in sources.items()}
            self.frame(reference).to_csv("reference.csv", index=False)
            arguments = ["--reference", "reference.csv"]
            for number, (name, frame) in enumerate(frames.items()):
                frame.to_csv(f"{number}.csv", index=False)
                arguments += ["--source", f"{name}={number}.csv"]
            self.assert_same_numbers(gbv.value(self.frame(reference), frames),
                                     program("value", *arguments, "--format", "json"))

    def test_a_frame_with_a_source_column(self):
        reference, sources = people()
        table = self.pandas.concat([self.frame(each, "verdict").assign(worker=name) for name, each in sources.items()])
        table = table.sample(frac=1, random_state=3)
        self.frame(reference, "verdict").to_csv("reference.csv", index=False)
        table.to_csv("table.csv", index=False)
        expected = program("value", "--reference", "reference.csv", "--sources", "table.csv", "--source-column",
                           "worker", "--label-column", "verdict", "--format", "json")
        result = gbv.value(self.frame(reference, "verdict"), table, source_column="worker", label_column="verdict")
        self.assert_same_numbers(result, expected)
        self.assertEqual(len(result.sample_weight()), len(table))
        for name, weights in result.weights().items():
            np.testing.assert_array_equal(result.sample_weight()[(table["worker"] == name).to_numpy()], weights)

    def test_items_and_flags(self):
        reference, sources = people()
        sources["one class"] = sources["annotator 0"][0], np.zeros(120, int)
        frames = {name: self.frame(each).assign(photo="a.jpg") for name, each in sources.items()}
        result = gbv.value(self.frame(reference).assign(photo="b.jpg"), frames, item_column="photo")
        plain = gbv.value(reference, sources)
        self.assertEqual(result.posterior, plain.posterior)
        frame = result.to_frame()
        self.assertEqual(frame.index.tolist(), result.sources)
        self.assertEqual(frame["flags"].tolist(), [" ".join(kinds) for kinds in result.flags.values()])
        self.assertEqual(frame["posterior"].to_dict(), result.posterior)

    def test_categories_truth_values_and_nullable_numbers(self):
        reference, sources = people(text=True)
        plain = {name: self.frame(each) for name, each in sources.items()}
        odd = {name: each.astype({"label": "category", "f1": "Float64"}).assign(extra=each["f0"] > 0)
               for name, each in plain.items()}
        plain = {name: each.assign(extra=(each["f0"] > 0).astype(float)) for name, each in plain.items()}
        trusted = self.frame(reference)
        trusted["extra"] = trusted["f0"] > 0
        self.assertEqual(gbv.value(trusted, odd).to_json(), gbv.value(trusted, plain).to_json())

    def test_to_frame(self):
        result = gbv.value(*people())
        frame = result.to_frame()
        self.assertEqual(frame.index.tolist(), result.sources)
        self.assertEqual(frame.index.name, "source")
        self.assertEqual(frame["posterior"].to_dict(), result.posterior)
        self.assertEqual(frame["score"].dtype, np.float64)

    def test_what_is_wrong_with_a_frame(self):
        reference, sources = people()
        good = self.frame(reference)
        cases = [
            (good.rename(columns={"label": "verdict"}), {}, "reference: has no column named label, labels, y"),
            (good.assign(y=1), {}, "several columns that may hold labels ('label', 'y')"),
            (good, {"label_column": "Label"}, "reference: has no column 'Label'"),
            (good.assign(city="Bern"), {}, "reference: column 'city' holds "),
            (good.assign(label=[None] + [1] * 119), {}, "reference: row 1 has no label (nan)"),
            (good.assign(f1=[1.0] * 119 + [np.nan]), {}, "reference: row 120, column 2 is not finite"),
            (good, {"item_column": "photo"}, "reference: has no column 'photo' that names each row's item"),
            (self.pandas.concat([good, good["f1"]], axis=1), {}, "reference: has two columns 'f1'"),
        ]
        for frame, options, sentence in cases:
            with self.subTest(sentence):
                self.assert_fails(gbv.InputError, sentence, gbv.value, frame, sources, **options)
        swapped = good[["f1", "f0", *good.columns[2:]]]
        order = "has the column 'f1' as feature 1, the reference (reference) has 'f0': features go together by their place"
        self.assert_fails(gbv.InputError, order, gbv.value, good, {"swapped": swapped})
        self.assert_fails(gbv.InputError, "bring the columns into the same order",
                          gbv.train({"good": good}, "pooled").predict, swapped.drop(columns="label"))
        self.assert_fails(gbv.UsageError, "say which column names the source with source_column", gbv.value, good, good)
        self.assert_fails(gbv.InputError, "sources: has no column 'who' that names each row's source", gbv.value, good,
                          good, source_column="who")
        self.assert_fails(gbv.InputError, "sources: row 2 has no source (nan)", gbv.value, good,
                          good.assign(who=["a", np.nan] + ["b"] * 118), source_column="who")


if __name__ == "__main__":
    warnings.simplefilter("error", ResourceWarning)
    unittest.main()
