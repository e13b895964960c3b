"""Arrays reach the library without copies, and what cannot be used is refused with a sentence."""
import ctypes
import unittest

from support import FolderTest, gbv, np, people

from gbv._arrays import as_array, as_codes, view
from gbv._library import gbv_matrix, library

element = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(gbv_matrix), ctypes.c_size_t, ctypes.c_size_t)(
    ("gbv_matrix_get", library))


class Views(unittest.TestCase):
    def test_numbers_are_seen_where_they_lie(self):
        numbers = np.arange(24).reshape(4, 6)
        for dtype in ("u1", "i1", "<u2", ">u2", "<i2", ">i2", "<u4", ">i4", "<u8", ">i8", "<f2", ">f2", "<f4", ">f4",
                      "<f8", ">f8"):
            plain = numbers.astype(dtype)
            for array in (plain, np.asfortranarray(plain), plain[::2, ::3], plain[::-1, ::-1], plain.T,
                          np.broadcast_to(plain[:1], (9, 6))):
                seen = as_array(array, "x")
                self.assertTrue(np.shares_memory(seen, array))
                matrix = view(seen)
                self.assertEqual(matrix.data, array.__array_interface__["data"][0])
                for row in range(len(array)):
                    for column in range(array.shape[1]):
                        self.assertEqual(element(ctypes.byref(matrix), row, column), float(array[row, column]),
                                         (dtype, array.strides))

    def test_truth_values_and_packed_records(self):
        truth = np.arange(12).reshape(3, 4) % 2 == 0
        self.assertTrue(np.shares_memory(as_array(truth, "x"), truth))
        packed = np.zeros(5, dtype=[("tag", "u1"), ("x", "<f4", 3)])
        packed["x"] = np.arange(15).reshape(5, 3)
        seen = as_array(packed["x"], "x")
        self.assertTrue(np.shares_memory(seen, packed))
        self.assertEqual(view(seen).row_stride, 13)

    def test_what_has_to_be_converted(self):
        for values in ([[1, 2.5], [3, 4]], np.array([[1, 2.5], [3, 4]], dtype=object),
                       np.array([[1, 2.5], [3, 4]], dtype=np.longdouble)):
            np.testing.assert_array_equal(as_array(values, "x"), [[1, 2.5], [3, 4]])


class Labels(unittest.TestCase):
    def test_whole_numbers_stay_numbers(self):
        for values in ([3, -1, 3], np.array([3, -1, 3], ">i8"), np.array([3.0, -1, 3], "f2"), np.array([3, -1, 3], "O"),
                       np.array([[3], [-1], [3]], "i1")):
            codes, names = as_codes(values, "d", 3)
            self.assertEqual((codes.tolist(), names, codes.dtype), ([3, -1, 3], None, np.int32))
        self.assertEqual(as_codes(np.array([True, False]), "d", 2).codes.tolist(), [1, 0])

    def test_texts_are_numbered_in_their_order(self):
        for values in (["é", "cat", "é"], np.array(["é", "cat", "é"], "O"), [b"\xc3\xa9", b"cat", b"\xc3\xa9"],
                       np.array(["é", "cat", "é"], ">U4")):
            codes, names = as_codes(values, "d", 3)
            self.assertEqual((codes.tolist(), names), ([1, 0, 1], ["cat", "é"]))


class Refusals(FolderTest):
    def setUp(self):
        super().setUp()
        (self.x, self.y), self.sources = people()

    def refuse(self, sentence, reference=None, sources=None, kind=gbv.InputError, **options):
        with self.subTest(sentence):
            self.assert_fails(kind, sentence, gbv.value, (self.x, self.y) if reference is None else reference,
                              self.sources if sources is None else sources, **options)

    def test_features(self):
        spoilt = self.x.copy()
        spoilt[16, 2] = np.inf
        self.refuse("reference: row 17, column 3 is not finite", (spoilt, self.y))
        self.refuse("ben: row 17, column 3 is not finite", sources={"ben": (spoilt, self.y)})
        self.refuse("reference: has 1 axis; features are rows x columns: use reshape(-1, 1)", (self.x[:, 0], self.y))
        self.refuse("reference: is a single number", (1.0, self.y))
        self.refuse("reference: holds <U", (self.x.astype(str), self.y))
        self.refuse("reference: holds complex128, not numbers", (self.x.astype(complex), self.y))
        self.refuse("reference: holds objects that are not numbers", (np.array([["a", 1]] * 120, "O"), self.y))
        self.refuse("reference: row 3 holds a masked value", (np.ma.masked_equal(self.x, self.x[2, 0]), self.y))
        self.refuse("reference: is 0 x ", (self.x[:0], self.y[:0]))
        self.refuse("ben: is 0 x ", sources={"ben": (np.zeros((0, 6)), [])})
        self.refuse("source 'ben'", sources={"ben": (self.x[:, :4], self.y)})

    def test_labels(self):
        self.refuse("reference: has 119 labels for 120 rows", (self.x, self.y[1:]))
        self.refuse("reference: the labels have the shape (120, 2)", (self.x, np.zeros((120, 2))))
        self.refuse("reference: row 5 has no label (nan)", (self.x, np.where(np.arange(120) == 4, np.nan, 1)))
        self.refuse("reference: row 1 has the label 0.5; a label must be a whole number or text",
                    (self.x, np.full(120, 0.5)))
        self.refuse("reference: row 1 has the label inf", (self.x, np.full(120, np.inf)))
        self.refuse("reference: row 120 has the label 3000000000; numbers must fit 32 bits",
                    (self.x, np.append(np.zeros(119, np.int64), 3 * 10**9)))
        self.refuse("reference: row 2 has no label (None)", (self.x, np.array(["a", None] * 60, "O")))
        self.refuse("reference: row 2 has the text 'b' as label, row 1 the number 1",
                    (self.x, np.array([1, "b"] * 60, "O")))
        self.refuse("reference: row 1 has the label (1, 2), a tuple", (self.x, _objects([(1, 2)] * 120)))
        self.refuse("reference: row 2 has an empty label", (self.x, ["a", ""] * 60))
        self.refuse("holds a zero character", (self.x, ["a", "b\0c"] * 60))
        self.refuse("is not valid Unicode", (self.x, ["a", "\udc80"] * 60))
        self.refuse("not valid UTF-8", (self.x, np.array([b"a", b"\xff"] * 60)))
        self.refuse("the labels are datetime64[s]", (self.x, np.zeros(120, "M8[s]")))
        # What does not match the reference is for the library to say.
        self.refuse("source 'ben'", sources={"ben": (self.x, np.array(["a", "b"] * 60))})

    def test_forms(self):
        self.refuse("reference: is a int; expected (X, y), a DataFrame", 7, kind=gbv.UsageError)
        self.refuse("ben: is a ndarray; expected (X, y)", sources={"ben": self.x}, kind=gbv.UsageError)
        self.refuse("sources is a ndarray; expected a dict", sources=self.x, kind=gbv.UsageError)
        self.refuse("reference: has no features under any of x, features, data", {"z": self.x})
        self.refuse("reference: has no labels under any of label", {"x": self.x})
        self.refuse("missing.npz", "missing.npz")
        self.refuse("there is no file no.npy", "no.npy,none.npy")
        self.refuse("nowhere: cannot be read as a folder", sources="nowhere")
        self.refuse("holds a zero character", "a\0b", kind=gbv.UsageError)
        self.refuse("source_column goes with one table", source_column="who", kind=gbv.UsageError)
        self.refuse("sources is the folder '.'", sources=".", source_column="who", kind=gbv.UsageError)
        self.write_npz("table.npz", (self.x, self.y))
        self.refuse("sources is the file 'table.npz'; say which column", sources="table.npz", kind=gbv.UsageError)
        self.refuse('table.npz: has no array "who"', sources="table.npz", source_column="who")

    def test_sources(self):
        self.refuse("there are no sources", sources={}, kind=gbv.UsageError)
        self.refuse("empty name", sources={"": (self.x, self.y)})
        self.refuse("two sources are named", sources={1: (self.x, self.y), "1": (self.x, self.y)})
        self.refuse("sources: has 2 sources for 120 rows", sources=(self.x, self.y, ["a", "b"]))
        self.refuse("sources: row 1 has the source 0.5", sources=(self.x, self.y, np.full(120, 0.5)))

    def test_options(self):
        for options, sentence in [
            ({"measure": "leap"}, 'there is no measure "leap"; the nearest is leep'),
            ({"measure": "logme", "variant": "codes"}, "code"),
            ({"model": "tree"}, "tree"),
            ({"method": "lva"}, 'there is no method "lva"; the nearest is lava'),
            ({"method": "cmmd:exakt"}, "exakt"),
            ({"method": "uniform:even"}, "the method uniform has one form only"),
            ({"method": []}, "method is []; expected a name, or a list of names"),
            ({"method": ["gbv", None]}, "method is ['gbv', None]; expected a name, or a list of names"),
            ({"method": "gbv,cmmd", "variant": "exact"}, "goes with one method"),
            ({"tau": 0}, "tau is 0; expected quick, auto, code or a number above zero"),
            ({"tau": "aut"}, "tau is 'aut'; expected quick, auto, code or a number above zero"),
            ({"intervals": 1}, "intervals is 1; expected 'off', or a number of resamplings from 2 to 1000000"),
            ({"intervals": -1}, "intervals is -1; expected 'off'"),
            ({"intervals": 10**9}, "intervals is 1000000000; expected 'off'"),
            ({"intervals": 2.5}, "intervals is 2.5; expected 'off'"),
            ({"intervals": "of"}, "intervals is 'of'; expected 'off'"),
            ({"refits": -1}, "refits is -1; expected a whole number from 0"),
            ({"memory": "4G"}, "memory is '4G'; expected a whole number"),
            ({"tau": float("nan")}, "tau is nan; expected a finite number"),
            ({"threads": -1}, "threads is -1; expected a whole number from 0"),
            ({"hidden": 1.5}, "hidden is 1.5; expected a whole number"),
            ({"seed": 2**63}, "seed is 9223372036854775808"),
            ({"l2": "much"}, "l2 is 'much'; expected a finite number"),
            ({"undefined": "ignore"}, "undefined is 'ignore'; expected error or zero"),
        ]:
            self.refuse(sentence, kind=gbv.UsageError, **options)
        self.refuse("prior has no number for source 'annotator 1'", prior={"annotator 0": 1})
        self.refuse("prior has a number for 'x', which is no source", prior={**dict.fromkeys(self.sources, 1), "x": 1})
        self.refuse("prior has 2 numbers for 3 sources", prior=[1, 2])
        self.refuse("prior of source 'annotator 2' is nan", prior=[1, 2, np.nan], kind=gbv.UsageError)

    def test_errors_carry_the_exit_code(self):
        for kind, status in ((gbv.Error, 1), (gbv.UsageError, 2), (gbv.InputError, 3), (gbv.UndefinedError, 4)):
            self.assertEqual(kind("x").status, status)
        self.assertTrue(issubclass(gbv.InputError, ValueError) and issubclass(gbv.UsageError, ValueError))


def _objects(items):
    array = np.empty(len(items), "O")
    array[:] = items
    return array


if __name__ == "__main__":
    unittest.main()
