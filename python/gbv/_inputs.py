"""What people hand in as one set of rows becomes the library's dataset.

A new kind of input is a branch of `open_dataset` (or, for several sources at once, of `open_sources`) and, where it
takes a setting, a field of `Reading`.
"""
from __future__ import annotations

import ctypes
import enum
import os
import re
import warnings
from ctypes import byref, c_char_p, c_void_p
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._arrays import as_codes, as_numbers, as_pixels, as_rows, encode, image_shape, is_frame, view
from ._errors import InputError, UsageError
from ._library import CONSTANTS, Handle, call, gbv_read_options, library, texts
from ._options import choose, count, is_network


class Nothing(enum.Enum):
    """In place of a reference: there is none, and the sources are judged by each other."""

    NO_REFERENCE = "no reference"

    def __repr__(self) -> str:
        return "gbv.NO_REFERENCE"


NO_REFERENCE = Nothing.NO_REFERENCE

Dataset = Any  #: (X, y), a DataFrame with a label column, {"x": X, "y": y}, or a path
Path = Union[str, "os.PathLike[str]"]

# The names that files go by, too (docs/formats.md).
_FEATURE_NAMES = ("x", "features", "data")
_LABEL_NAMES = ("label", "labels", "y", "target", "targets", "class")

_SIZES = re.compile("([0-9]{1,9})/([0-9]{1,9})")
_IMAGENET = "256/224"

_BAD_ROW = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
_SENTENCES_SHOWN = 5


@dataclass
class Reading:
    """How the inputs of one call are read."""

    label_column: Any = None
    source_column: Any = None
    item_column: Any = None
    resize: Optional[int] = None
    preprocess: Optional[str] = None
    image_cache: Optional[int] = None
    color: str = "auto"
    skip_bad_rows: bool = False
    features_only: bool = False
    wants_items: bool = False
    threads: int = 0
    model: str = "linear"  # which the rows are for
    trained: Optional[Handle] = None  # the model itself, where it is there already

    def __post_init__(self) -> None:
        for name in ("resize", "image_cache", "threads"):
            count(getattr(self, name) or 0, name)
        choose(self.color, "color", ("auto", "gray", "rgb"))
        self.sizes()

    def sizes(self) -> tuple[int, int]:
        """To what the images of folders are resized, and how much of them is kept; 0: as they are, all."""
        how, resize = self.preprocess, self.resize or 0
        if how is not None and resize:
            raise UsageError("resize=N is short for preprocess='N/N': give one of them")
        if how is None and not resize and self.trained is None and str(self.model).startswith("resnet"):
            how = "imagenet"
        if how is None or how == "none":
            return resize, 0
        found = _SIZES.fullmatch(_IMAGENET if how == "imagenet" else str(how))
        resize, crop = (count(int(size), "preprocess") for size in found.groups()) if found else (0, 0)
        if not resize or not crop:
            raise UsageError(f"preprocess is {how!r}; expected none, imagenet, or RESIZE/CROP in pixels such as "
                             f"{_IMAGENET}")
        return resize, crop


class Reader:
    """gbv_read_options for files, and what was heard of their bad rows."""

    def __init__(self, reading: Reading, table: bool = False) -> None:
        self.skipped = 0
        self.sentences: list[str] = []
        self._hear = _BAD_ROW(self._bad_row)
        resize, crop = reading.sizes()
        self.options = gbv_read_options(skip_bad_rows=reading.skip_bad_rows, features_only=reading.features_only,
                                        wants_items=reading.wants_items, resize=resize, crop=crop,
                                        image_cache=reading.image_cache or 0, threads=reading.threads,
                                        color=CONSTANTS["GBV_COLOR_" + reading.color.upper()],
                                        on_bad_row=ctypes.cast(self._hear, c_void_p))
        if reading.trained is not None and reading.preprocess is None:
            library.gbv_model_prepare_images(reading.trained.pointer, byref(self.options))
        for name in ("label_column", "item_column", *(["source_column"] if table else [])):
            column = getattr(reading, name)
            if column is not None:
                setattr(self.options, name, encode(column, name))

    def _bad_row(self, context: Any, sentence: bytes) -> None:
        self.skipped += 1
        if self.skipped <= _SENTENCES_SHOWN:
            self.sentences.append(sentence.decode(errors="replace"))

    def call(self, name: str, *arguments: Any) -> None:
        """The arguments before the options; what comes after them is the error alone, or a pointer to fill."""
        call(name, *arguments, keep=self)
        if self.skipped:
            warnings.warn(f"{self.skipped} row{'s' * (self.skipped > 1)} skipped: " + "; ".join(self.sentences),
                          stacklevel=5)


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def path_bytes(path: Any) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise UsageError(f"the path {path!r} holds a zero character, which no file's name has")
    return encoded


def _read_dataset(path: Any, reading: Reading) -> Handle:
    dataset, reader = Handle("gbv_dataset_free"), Reader(reading)
    reader.call("gbv_dataset_read", path_bytes(path), byref(reader.options), byref(dataset.pointer))
    return dataset


def create_dataset(features: Any, labels: Any, name: str, reading: Reading) -> Handle:
    dataset = Handle("gbv_dataset_free")
    numbers = as_numbers(features, name)
    images = image_shape(numbers)
    if images is not None and is_network(reading.model):
        numbers = as_pixels(numbers, name)
    elif numbers.dtype != np.uint8:
        images = None  # three axes may be anything; bytes are known as images, as they are in files
    array = as_rows(numbers)
    codes = names = None
    if labels is not None:
        codes, names = as_codes(labels, name, len(array))
    name_array = texts([encode(text, name) for text in names]) if names is not None else None
    dataset.keep += [array, codes]
    call("gbv_dataset_create", encode(name, "the name of a dataset"), view(array),
         None if codes is None else codes.ctypes.data_as(c_void_p), name_array, len(names or ()),
         byref(dataset.pointer), keep=dataset.keep)
    if images is not None:
        call("gbv_dataset_set_images", dataset.pointer, images, keep=dataset)
    if is_frame(features) and all(isinstance(column, str) for column in features.columns):
        call("gbv_dataset_name_features", dataset.pointer, texts([encode(column, name) for column in features.columns]))
    return dataset


def _label_column(frame: Any, name: str, reading: Reading) -> Any:
    if reading.label_column is not None:
        if reading.label_column not in frame.columns:
            raise InputError(f"{name}: has no column {reading.label_column!r}; it has {_listed(frame.columns)}")
        return reading.label_column
    found = [column for column in frame.columns if str(column).lower() in _LABEL_NAMES]
    if len(found) == 1:
        return found[0]
    if not found and reading.features_only:
        return None
    problem = f"has several columns that may hold labels ({_listed(found)})" if found else \
        f"has no column named {', '.join(_LABEL_NAMES[:-1])} or {_LABEL_NAMES[-1]}, only {_listed(frame.columns)}"
    raise InputError(f"{name}: {problem}: say which holds the labels with label_column")


def _listed(names: Sequence[Any], most: int = 8) -> str:
    shown = ", ".join(repr(name) for name in list(names)[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def split_frame(frame: Any, name: str, reading: Reading, source_column: Any = None) -> tuple[Any, Any, Any]:
    """Features, labels and the source of each row."""
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(f"{name}: has two columns {twice!r}: rename one")
    taken = []
    for column, what in ((source_column, "source"), (reading.item_column, "item")):
        if column is not None and column not in frame.columns:
            raise InputError(f"{name}: has no column {column!r} that names each row's {what}; it has "
                             f"{_listed(frame.columns)}")
        taken += [] if column is None else [column]
    label_column = _label_column(frame.drop(columns=taken) if taken else frame, name, reading)
    taken += [] if label_column is None else [label_column]
    features = frame.drop(columns=taken)
    return (features, None if label_column is None else frame[label_column],
            None if source_column is None else frame[source_column])


def _pick(mapping: Mapping[str, Any], names: Sequence[str], name: str, what: str) -> Any:
    keys = {str(key).lower(): key for key in reversed(list(mapping))}
    for wanted in names:
        if wanted in keys:
            return mapping[keys[wanted]]
    raise InputError(f"{name}: has no {what} under any of {', '.join(names)}; its keys are {_listed(list(mapping))}")


def open_dataset(value: Dataset, name: str, reading: Reading) -> Handle:
    """A dataset from whatever holds one; `name` stands for it in messages and results."""
    if is_path(value):
        return _read_dataset(value, reading)
    if is_frame(value):
        features, labels, _ = split_frame(value, name, reading)
        return create_dataset(features, None if reading.features_only else labels, name, reading)
    if isinstance(value, Mapping):
        features = _pick(value, _FEATURE_NAMES, name, "features")
        label_names = _LABEL_NAMES if reading.label_column is None else (str(reading.label_column).lower(),)
        labels = None if reading.features_only else _pick(value, label_names, name, "labels")
        return create_dataset(features, labels, name, reading)
    if reading.features_only:
        return create_dataset(value, None, name, reading)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return create_dataset(value[0], value[1], name, reading)
    raise UsageError(f"{name}: is a {type(value).__name__}; expected (X, y), a DataFrame with a label column, "
                     f"{{'x': X, 'y': y}} or a path")
