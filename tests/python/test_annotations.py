"""gbv.Annotations gives what the command-line program gives from the same files, and weights by item."""
import json
import unittest

from support import FolderTest, gbv, np, program

CLASSES = np.array(["ape", "bee", "cat"])
WORKERS = {"anna": 0.0, "ben": 0.3, "cleo": 0.8}


class Annotated(FolderTest):
    """Sixty items; everybody labels about two in three of them."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(6)
        self.y = rng.integers(0, 3, 60)
        self.X = 2 * rng.normal(size=(3, 5))[self.y] + rng.normal(size=(60, 5))
        self.labels = {(task, worker): CLASSES[rng.integers(0, 3) if rng.random() < wrong else self.y[task]]
                       for worker, wrong in WORKERS.items() for task in range(60) if rng.random() < 0.66}
        self.gold = range(0, 60, 4)
        np.savez("items.npz", x=self.X, id=[f"t{task}" for task in range(60)])
        self.write_labels("named.csv", "gold.csv", "t")
        self.write_labels("numbered.csv", "numbered-gold.csv", "")
        np.save("x.npy", self.X)

    def write_labels(self, name, gold, prefix):
        with open(name, "w", encoding="utf-8") as file:
            print("task,worker,label", *(f"{prefix}{task},{worker},{label}"
                                         for (task, worker), label in self.labels.items()), sep="\n", file=file)
        with open(gold, "w", encoding="utf-8") as file:
            print("task,label", *(f"{prefix}{task},{CLASSES[self.y[task]]}" for task in self.gold), sep="\n", file=file)

    def write_export(self):
        """The same as Label Studio exports it, with one person's answers marked as ground truth."""
        def annotation(number, who, label, gold=False):
            return {"id": number, "completed_by": {"id": who, "email": f"{who}@example.org"}, "ground_truth": gold,
                    "result": [{"from_name": "kind", "type": "choices", "value": {"choices": [str(label)]}}]}

        tasks = []
        for task in range(60):
            given = [annotation(10 * task + 1 + i, i + 1, self.labels[task, worker])
                     for i, worker in enumerate(WORKERS) if (task, worker) in self.labels]
            if task in self.gold:
                given.append(annotation(10 * task, 9, CLASSES[self.y[task]], gold=True))
            tasks.append({"id": f"t{task}", "data": {"text": "what?"}, "annotations": given})
        with open("export.json", "w", encoding="utf-8") as file:
            json.dump(tasks, file)


class SameAsTheProgram(Annotated):
    def check(self, annotations, arguments, **options):
        expected = program("value", "--annotations", annotations.path, "--items", annotations.items, *arguments,
                           "--format", "json").decode()
        reference = None if annotations.gold else ("x.npy,y.npy")
        result = gbv.value(reference, annotations, **options)
        self.assertEqual(result.to_json(), expected)
        return result

    def test_gold_items_are_the_reference(self):
        result = self.check(gbv.Annotations("named.csv", "items.npz", gold="gold.csv"), ["--gold", "gold.csv"])
        self.assertEqual(result.ranking, ["anna", "ben", "cleo"])
        self.assertEqual(result.record["reference_rows"], 15)
        self.assertEqual(result.record["problem"], "annotator")
        told = " ".join(result.warnings + result.notes)
        self.assertIn("60 of 60 tasks were joined to items by id", told)

    def test_a_reference_of_its_own(self):
        np.save("y.npy", CLASSES[self.y])
        self.check(gbv.Annotations("named.csv", "items.npz"), ["--reference", "x.npy,y.npy"])

    def test_every_setting(self):
        self.write_export()
        np.savez("other.npz", x=self.X, number=[f"t{task}" for task in range(60)])
        for annotations, arguments in [
            (gbv.Annotations("named.csv", "items.npz", gold="gold.csv", join="id", allow_overlap=True),
             ["--gold", "gold.csv", "--join", "id", "--allow-overlap"]),
            (gbv.Annotations("named.csv", "other.npz", gold="gold.csv", item_column="number"),
             ["--gold", "gold.csv", "--item-column", "number"]),
            (gbv.Annotations("numbered.csv", "items.npz", gold="numbered-gold.csv", join="row"),
             ["--gold", "numbered-gold.csv", "--join", "row"]),
            (gbv.Annotations("export.json", "items.npz", gold="export.json", control="kind"),
             ["--gold", "export.json", "--control", "kind"]),
            (gbv.Annotations("export.json", "items.npz", gold="export.json", show_emails=True),
             ["--gold", "export.json", "--show-emails"]),
        ]:
            with self.subTest(annotations):
                result = self.check(annotations, arguments)
        self.assertEqual(sorted(result.sources), ["1@example.org", "2@example.org", "3@example.org"])

    def test_items_in_memory_are_known_by_their_row(self):
        expected = program("value", "--annotations", "numbered.csv", "--items", "x.npy", "--gold", "numbered-gold.csv",
                           "--format", "json")
        for items in (self.X, np.asfortranarray(self.X), {"x": self.X}, self.frame()):
            if items is not None:
                # Nobody else holds the copy: the reference and the sources must.
                items = items.copy()
                result = gbv.value(None, gbv.Annotations("numbered.csv", items, gold="numbered-gold.csv"))
                del items
                self.assert_same_numbers(result, expected)

    def frame(self):
        try:
            import pandas
        except ImportError:
            return None
        return pandas.DataFrame(self.X).assign(label="not wanted")

    def test_training(self):
        annotations = gbv.Annotations("named.csv", "items.npz", gold="gold.csv")
        result = gbv.value(None, annotations)
        result.save("result.json")
        program("train", "--annotations", "named.csv", "--items", "items.npz", "--gold", "gold.csv", "--result",
                "result.json", "-o", "program.safetensors")
        gbv.train(annotations, result).save("mine.safetensors")
        with open("program.safetensors", "rb") as theirs, open("mine.safetensors", "rb") as mine:
            self.assertEqual(mine.read(), theirs.read())

    def test_with_a_class_map_and_probabilities(self):
        with open("map.csv", "w", encoding="utf-8") as file:
            file.write("label,class\nape,ape\nbee,-\ncat,cat\n")
        np.save("p.npy", np.full((60, 3), 1 / 3))
        result = self.check(gbv.Annotations("named.csv", "items.npz", gold="gold.csv"),
                            ["--gold", "gold.csv", "--class-map", "map.csv", "--probabilities", "mine=p.npy"],
                            class_map="map.csv", probabilities={"mine": "p.npy"})
        self.assertEqual(result.sources[0], "mine")


class Weights(Annotated):
    def test_an_array_over_the_items_for_each_annotator(self):
        result = gbv.value(None, gbv.Annotations("named.csv", "items.npz", gold="gold.csv"))
        weights = result.weights()
        result.save("result.json")
        lines = [line.split(",") for line in program("weights", "result.json").decode().splitlines()[1:]]
        expected = {worker: np.zeros(60) for worker in WORKERS}
        for worker, row, weight in lines:
            expected[worker][int(row)] = float(weight)
        self.assertEqual(list(weights), result.sources)
        for worker in WORKERS:
            np.testing.assert_array_equal(weights[worker], expected[worker])
            labelled = [task for task in range(60) if (task, worker) in self.labels and task not in self.gold]
            self.assertEqual(np.flatnonzero(weights[worker]).tolist(), labelled)
            self.assertAlmostEqual(weights[worker].sum(), result.posterior[worker])
        self.assert_fails(gbv.UsageError, "annotators share their items", result.sample_weight)


class Refusals(Annotated):
    def test_what_does_not_go_together(self):
        named = {"path": "named.csv", "items": "items.npz"}
        reference = self.X, CLASSES[self.y]
        for trusted, arguments, sentence in [
            (None, named, "no reference was given; give the trusted set, or trusted labels of some items with gold"),
            (reference, {**named, "gold": "gold.csv"}, "gold makes the reference of gold items: give None"),
            (reference, {**named, "allow_overlap": True}, "allow_overlap goes with gold"),
            (reference, {**named, "join": "name"}, "join is 'name'; expected auto, id, file or row"),
            (reference, {**named, "items": self.X, "item_column": "id"}, "item_column goes with items from a file"),
            (reference, {**named, "path": ["ape"]}, "path and gold are the paths of files"),
        ]:
            with self.subTest(sentence):
                self.assert_fails(gbv.UsageError, sentence, gbv.value, trusted, gbv.Annotations(**arguments))
        self.assert_fails(gbv.UsageError, "None goes with gbv.Annotations(..., gold=FILE)", gbv.value, None,
                          {"anna": reference})
        self.assert_fails(gbv.UsageError, "source_column goes with one table", gbv.value, reference,
                          gbv.Annotations(**named), source_column="worker")

    def test_marked_ground_truth_is_offered(self):
        self.write_export()
        self.assert_fails(gbv.UsageError, "export.json marks 15 annotations as ground truth: use them with "
                          "gold='export.json'", gbv.value, None, gbv.Annotations("export.json", "items.npz"))

    def test_bad_files(self):
        self.assert_fails(gbv.InputError, "nowhere.csv", gbv.value, None,
                          gbv.Annotations("nowhere.csv", "items.npz", gold="gold.csv"))
        self.assert_fails(gbv.InputError, "named.csv", gbv.value, None,
                          gbv.Annotations("named.csv", self.X, gold="numbered-gold.csv"))

    def test_it_shows_what_it_was_given(self):
        self.assertEqual(repr(gbv.Annotations("a.csv", self.X, gold="g.csv", allow_overlap=True)),
                         "Annotations('a.csv', <ndarray>, gold='g.csv', allow_overlap=True)")


if __name__ == "__main__":
    unittest.main()
