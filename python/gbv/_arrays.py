"""NumPy arrays as the library sees them: views of features, labels as numbers or text."""
from __future__ import annotations

import math
import numbers
import sys
from typing import Any, NamedTuple, Optional

import numpy as np

from ._errors import InputError
from ._library import CONSTANTS, gbv_image_shape, gbv_matrix

_TYPES = {"u1": "GBV_U8", "i1": "GBV_I8", "u2": "GBV_U16", "i2": "GBV_I16", "u4": "GBV_U32", "i4": "GBV_I32",
          "u8": "GBV_U64", "i8": "GBV_I64", "f2": "GBV_F16", "f4": "GBV_F32", "f8": "GBV_F64"}

Array = np.ndarray[Any, np.dtype[Any]]

_MOST_SCALED = 10  # beyond this, floats are no pixels that were scaled to 0 to 1 or normalised


def encode(text: Any, what: str) -> bytes:
    """The text as C has it."""
    try:
        encoded = str(text).encode()
    except UnicodeEncodeError:
        raise InputError(f"{what}: {text!r} is not valid Unicode: correct it") from None
    if b"\0" in encoded:
        raise InputError(f"{what}: {text!r} holds a zero character, which no name may: correct it")
    return encoded


def is_frame(value: Any) -> bool:
    """Whether it is a DataFrame. Whoever has one has imported pandas already."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, getattr(pandas, "DataFrame", ()))


def _numbers_of_frame(frame: Any, name: str) -> Array:
    for column, dtype in zip(frame.columns, frame.dtypes):
        if getattr(dtype, "kind", "O") not in "buif":
            raise InputError(f"{name}: column {column!r} holds {dtype}, not numbers: leave it out, turn it into "
                             f"numbers, or say with label_column or source_column what it is")
    values = frame.to_numpy()
    # Mixtures of truth values and numbers, and columns that can hold pandas.NA.
    return np.asarray(values if values.dtype.kind in "buif" else frame.to_numpy(dtype="float64", na_value=np.nan))


def _numbers_of_objects(values: Array, name: str) -> Array:
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{name}: holds objects that are not numbers ({problem}): features must be numbers") from None


def as_numbers(values: Any, name: str) -> Array:
    """Numbers of at least two axes, without a copy wherever the library can read them as they are."""
    if hasattr(values, "toarray"):
        raise InputError(f"{name}: is a sparse {type(values).__name__}; give a dense array: .toarray()")
    array = _numbers_of_frame(values, name) if is_frame(values) else np.asanyarray(values)
    mask = array.mask if isinstance(array, np.ma.MaskedArray) else np.False_
    if np.any(mask):
        row = int(np.argwhere(mask)[0][0])
        raise InputError(f"{name}: row {row + 1} holds a masked value; features must all be there: leave the row out")
    array = np.asarray(array)
    if array.dtype.kind == "O":
        array = _numbers_of_objects(array, name)
    elif array.dtype.kind == "b":
        array = array.view(np.uint8)
    elif array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    if array.dtype.kind not in "uif":
        raise InputError(f"{name}: holds {array.dtype}, not numbers: features must be numbers")
    if array.ndim < 2:
        raise InputError(f"{name}: has {array.ndim} axis; features are rows x columns: use reshape(-1, 1) for one "
                         f"column" if array.ndim else f"{name}: is a single number; features are rows x columns")
    return array


def as_rows(array: Array) -> Array:
    return array.reshape(array.shape[0], math.prod(array.shape[1:])) if array.ndim > 2 else array


def as_array(values: Any, name: str) -> Array:
    """The same as rows x columns."""
    return as_rows(as_numbers(values, name))


def as_pixels(array: Array, name: str) -> Array:
    """Numbers of images as networks take them: bytes from 0 to 255, floats from 0 to 1."""
    if array.size == 0 or array.dtype.str[1:] == "u1":
        return array
    low, high = array.min(), array.max()
    if array.dtype.kind != "f" and 0 <= low and high <= 255:
        return array.astype(np.uint8)
    if array.dtype.kind != "f" or low < -_MOST_SCALED or high > _MOST_SCALED:
        raise InputError(f"{name}: its pixels lie between {low:.6g} and {high:.6g}; networks take whole numbers from 0 "
                         f"to 255, or floats from 0 to 1: use astype('uint8'), or divide by 255")
    return array


def image_shape(array: Array) -> Optional[gbv_image_shape]:
    """The images that the rows are, by the rule for NPY files (docs/formats.md)."""
    if array.ndim == 3:
        return gbv_image_shape(array.shape[1], array.shape[2], 1, False)
    if array.ndim == 4 and array.shape[3] in (1, 3):
        return gbv_image_shape(*array.shape[1:], array.shape[3] > 1)
    if array.ndim == 4 and array.shape[1] in (1, 3):
        return gbv_image_shape(array.shape[2], array.shape[3], array.shape[1], False)
    return None


def view(array: Array) -> gbv_matrix:
    """A matrix over the memory of a two-dimensional array, which must be kept alive."""
    return gbv_matrix(array.ctypes.data, array.shape[0], array.shape[1], array.strides[0], array.strides[1],
                      CONSTANTS[_TYPES[array.dtype.str[1:]]], not array.dtype.isnative)


class Codes(NamedTuple):
    """Labels or sources of rows: the numbers themselves (`names` None), or places in a sorted list of names."""

    codes: np.ndarray[Any, np.dtype[np.int32]]
    names: Optional[list[str]]


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA answers neither yes nor no
        return True


def _codes_of_integers(array: Array, name: str, what: str) -> Codes:
    limits = np.iinfo(np.int32)
    wrong = (array < limits.min) | (array > limits.max)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"{name}: row {row + 1} has the {what} {array[row]}; numbers must fit 32 bits: number them "
                         f"from 0, or give them as text")
    return Codes(np.ascontiguousarray(array, dtype=np.int32), None)


def _codes_of_floats(array: Array, name: str, what: str) -> Codes:
    array = array.astype(np.float64)
    wrong = ~(np.isfinite(array) & (array == np.floor(array)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"{name}: row {row + 1} has the {what} {array[row]}; a {what} must be a whole number or text")
    return _codes_of_integers(array, name, what)


def _codes_of_texts(values: list[Any], name: str, what: str) -> Codes:
    places: dict[str, int] = {}
    met = np.fromiter((places.setdefault(value, len(places)) for value in values), np.int32, len(values))
    if "" in places:
        row = int(np.argmax(met == places[""]))
        raise InputError(f"{name}: row {row + 1} has an empty {what}")
    names = sorted(places)
    order = np.empty(len(names), np.int32)
    order[[places[text] for text in names]] = np.arange(len(names), dtype=np.int32)
    return Codes(order[met] if len(names) else met, names)


def _codes_of_objects(values: list[Any], name: str, what: str) -> Codes:
    kinds: dict[bool, int] = {}
    for row, value in enumerate(values):
        text = isinstance(value, str)
        if not text and _is_missing(value):
            raise InputError(f"{name}: row {row + 1} has no {what} ({value}): leave the row out or fill it in")
        if not text and not isinstance(value, (numbers.Real, np.bool_)):
            raise InputError(f"{name}: row {row + 1} has the {what} {value!r}, a {type(value).__name__}; a {what} must "
                             f"be a whole number or text")
        kinds.setdefault(text, row)
    if len(kinds) > 1:
        raise InputError(f"{name}: row {kinds[True] + 1} has the text {values[kinds[True]]!r} as {what}, row "
                         f"{kinds[False] + 1} the number {values[kinds[False]]!r}: make them all text or all numbers")
    if True in kinds:
        return _codes_of_texts(values, name, what)
    return _codes_of_floats(np.asarray(values, np.float64), name, what)


def as_codes(values: Any, name: str, rows: int, what: str = "label") -> Codes:
    """One label (or source) a row: whole numbers stay numbers, text becomes places in the sorted list of texts."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{name}: the {what}s have the shape {array.shape}; one {what} a row is needed")
    if len(array) != rows:
        raise InputError(f"{name}: has {len(array)} {what}s for {rows} rows: one {what} a row is needed")
    kind = array.dtype.kind
    if kind in "iub":
        return _codes_of_integers(array, name, what)
    if kind == "f":
        missing = np.isnan(array)
        if missing.any():
            raise InputError(f"{name}: row {int(np.argmax(missing)) + 1} has no {what} (nan): leave the row out or "
                             f"fill it in")
        return _codes_of_floats(array, name, what)
    if kind == "S":
        try:
            return _codes_of_texts([text.decode() for text in array.tolist()], name, what)
        except UnicodeDecodeError as problem:
            raise InputError(f"{name}: the {what} {problem.object!r} is not valid UTF-8: decode it yourself") from None
    if kind == "U":
        return _codes_of_texts(array.tolist(), name, what)
    if kind == "O":
        return _codes_of_objects(array.tolist(), name, what)
    raise InputError(f"{name}: the {what}s are {array.dtype}; a {what} must be a whole number or text")
