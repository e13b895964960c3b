"""Writes the arrays of this folder with NumPy; see README.md."""
import numpy as np

numbers = np.arange(12).reshape(4, 3)
types = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
for name in types:
    np.save(f"{name}_c_little.npy", numbers.astype("<" + name))
    np.save(f"{name}_fortran_big.npy", np.asfortranarray(numbers.astype(">" + name)))
np.save("bool.npy", numbers % 2 == 1)
np.save("three_dimensions_c.npy", np.arange(24, dtype="f4").reshape(4, 3, 2))
np.save("three_dimensions_fortran.npy", np.asfortranarray(np.arange(24, dtype="f4").reshape(4, 3, 2)))
np.save("vector.npy", np.arange(4.0))
for version in [(1, 0), (2, 0), (3, 0)]:
    with open(f"version_{version[0]}.npy", "wb") as file:
        np.lib.format.write_array(file, numbers.astype("<f8"), version=version)

np.save("labels_integer.npy", np.array([7, -2, 7, 10]))
np.save("labels_integral_float.npy", np.array([7.0, -2.0, 7.0, 10.0]))
np.save("labels_column.npy", np.array([[7], [-2], [7], [10]]))
np.save("labels_unicode.npy", np.array(["né", "dog", "né", "猫"]))
np.save("labels_unicode_big.npy", np.array(["né", "dog", "né", "猫"]).astype(">U3"))
np.save("labels_bytes.npy", np.array([b"cat", b"dog", b"cat", b"emu"]))
np.save("labels_one_hot.npy", np.eye(4))

np.save("object.npy", np.array([1, "a", None, 2.5], dtype=object), allow_pickle=True)
np.save("structured.npy", np.zeros(4, dtype=[("a", "f4"), ("b", "i4")]))
np.save("complex.npy", numbers.astype("c8"))
np.save("datetime.npy", np.array(["2020-01-01"] * 4, dtype="M8[D]"))
np.save("long_double.npy", numbers.astype("g"))
np.save("scalar.npy", np.array(3.0))
np.save("no_rows.npy", np.zeros((0, 3)))
np.save("no_columns.npy", np.zeros((4, 0)))

labels = np.array([1, 0, 1, 2])
np.savez("stored.npz", x=numbers.astype("f4"), y=labels)
np.savez_compressed("deflated.npz", features=numbers.astype("f4"), labels=np.array(["b", "a", "b", "c"]))
np.savez("sources.npz", X=numbers.astype("f8"), targets=labels, who=np.array(["p", "q", "p", "r"]))
np.savez("two_candidates.npz", x=numbers, data=numbers, y=labels)
np.savez("no_candidates.npz", numbers, labels)
