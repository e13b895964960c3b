"""What people hand in as a reference or as sources becomes the library's datasets.

A new kind of input is a branch of `open_dataset` (one set of rows) or of `open_sources` (several), and, where it takes
a setting, a field of `Reading`.
"""
from __future__ import annotations

import ctypes
import os
import warnings
from ctypes import byref, c_char_p, c_void_p
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._arrays import Array, as_array, as_codes, encode, is_frame, view
from ._errors import Error, InputError, UsageError
from ._library import Handle, call, gbv_read_options, library, texts

Dataset = Any  #: (X, y), a DataFrame with a label column, {"x": X, "y": y}, or a path
Sources = Any  #: name -> dataset, (X, y, source), a DataFrame or table with source_column, or a folder
Path = Union[str, "os.PathLike[str]"]

# The names that files go by, too (docs/formats.md).
_FEATURE_NAMES = ("x", "features", "data")
_LABEL_NAMES = ("label", "labels", "y", "target", "targets", "class")

_BAD_ROW = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
_SENTENCES_SHOWN = 5


@dataclass
class Reading:
    """How the inputs of one call are read."""

    label_column: Any = None
    source_column: Any = None
    skip_bad_rows: bool = False
    features_only: bool = False


class _Reader:
    """gbv_read_options for files, and what was heard of their bad rows."""

    def __init__(self, reading: Reading, table: bool = False) -> None:
        self.skipped = 0
        self.sentences: list[str] = []
        self._hear = _BAD_ROW(self._bad_row)
        self.options = gbv_read_options(skip_bad_rows=reading.skip_bad_rows, features_only=reading.features_only,
                                        on_bad_row=ctypes.cast(self._hear, c_void_p))
        if reading.label_column is not None:
            self.options.label_column = encode(reading.label_column, "label_column")
        if table:
            self.options.source_column = encode(reading.source_column, "source_column")

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
    dataset, reader = Handle("gbv_dataset_free"), _Reader(reading)
    reader.call("gbv_dataset_read", path_bytes(path), byref(reader.options), byref(dataset.pointer))
    return dataset


def _create_dataset(features: Any, labels: Any, name: str) -> Handle:
    dataset = Handle("gbv_dataset_free")
    array = as_array(features, name)
    codes = names = None
    if labels is not None:
        codes, names = as_codes(labels, name, len(array))
    name_array = texts([encode(text, name) for text in names]) if names is not None else None
    dataset.keep += [array, codes]
    call("gbv_dataset_create", encode(name, "the name of a dataset"), view(array),
         None if codes is None else codes.ctypes.data_as(c_void_p), name_array, len(names or ()),
         byref(dataset.pointer), keep=dataset.keep)
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


def _split_frame(frame: Any, name: str, reading: Reading, source_column: Any = None) -> tuple[Any, Any, Any]:
    """Features, labels and the source of each row."""
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(f"{name}: has two columns {twice!r}: rename one")
    if source_column is not None and source_column not in frame.columns:
        raise InputError(f"{name}: has no column {source_column!r} that names each row's source; it has "
                         f"{_listed(frame.columns)}")
    taken = [] if source_column is None else [source_column]
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
        features, labels, _ = _split_frame(value, name, reading)
        return _create_dataset(features, labels, name)
    if isinstance(value, Mapping):
        features = _pick(value, _FEATURE_NAMES, name, "features")
        label_names = _LABEL_NAMES if reading.label_column is None else (str(reading.label_column).lower(),)
        labels = None if reading.features_only else _pick(value, label_names, name, "labels")
        return _create_dataset(features, labels, name)
    if reading.features_only:
        return _create_dataset(value, None, name)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return _create_dataset(value[0], value[1], name)
    raise UsageError(f"{name}: is a {type(value).__name__}; expected (X, y), a DataFrame with a label column, "
                     f"{{'x': X, 'y': y}} or a path")


def _add_dataset(sources: Handle, name: str, value: Dataset, reading: Reading) -> None:
    encoded = encode(name, "the name of a source")
    if is_path(value):
        reader = _Reader(reading)
        reader.call("gbv_sources_add_file", sources.pointer, encoded, path_bytes(value), byref(reader.options))
        return
    dataset = open_dataset(value, str(name), reading)
    sources.keep.append(dataset.keep)
    dataset.give_up()
    call("gbv_sources_add_dataset", sources.pointer, encoded, dataset.pointer)


def _add_grouped(sources: Handle, features: Any, labels: Any, source: Any, name: str) -> None:
    dataset = _create_dataset(features, labels, name)
    groups = as_codes(source, name, library.gbv_dataset_features(dataset.pointer).contents.rows, "source")
    if groups.names is None:  # numbers: their text is the name
        numbers, places = np.unique(groups.codes, return_inverse=True)
        codes, names = places.astype(np.int32), [str(number) for number in numbers]
    else:
        codes, names = groups.codes, groups.names
    sources.keep.append(dataset.keep)
    dataset.give_up()
    call("gbv_sources_add_grouped", sources.pointer, dataset.pointer, codes.ctypes.data_as(c_void_p),
         texts([encode(text, name) for text in names]), len(names), keep=codes)


def _add_path(sources: Handle, path: Path, reading: Reading) -> None:
    folder, table = os.path.isdir(path), reading.source_column is not None
    if folder and table:
        raise UsageError(f"sources is the folder '{path}', whose files are sources; source_column goes with one table")
    if not folder and not table and os.path.exists(path):
        raise UsageError(f"sources is the file '{path}'; say which column names the source with source_column")
    reader = _Reader(reading, table=table)
    reader.call("gbv_sources_add_table" if table else "gbv_sources_add_folder", sources.pointer, path_bytes(path),
                byref(reader.options))


def open_sources(value: Sources, reading: Reading, class_map: Optional[Path] = None) -> Handle:
    """Several named datasets from whatever holds them."""
    sources = Handle("gbv_sources_free")
    sources.pointer.value = library.gbv_sources_create()
    if not sources.pointer:
        raise Error("not enough memory for the sources")
    if reading.source_column is not None and not (is_path(value) or is_frame(value)):
        raise UsageError("source_column goes with one table of everybody's rows: a DataFrame or a path")
    if is_path(value):
        _add_path(sources, value, reading)
    elif is_frame(value):
        if reading.source_column is None:
            raise UsageError("sources is one DataFrame; say which column names the source with source_column")
        _add_grouped(sources, *_split_frame(value, "sources", reading, reading.source_column), "sources")
    elif isinstance(value, Mapping):
        for name, dataset in value.items():
            _add_dataset(sources, name, dataset, reading)
    elif isinstance(value, (tuple, list)) and len(value) == 3:
        features, labels, source = value
        _add_grouped(sources, features, labels, source, "sources")
    else:
        raise UsageError(f"sources is a {type(value).__name__}; expected a dict of name -> dataset, (X, y, source), a "
                         f"DataFrame or file with source_column, or a folder")
    if class_map is not None:
        call("gbv_sources_map_classes", sources.pointer, path_bytes(class_map))
    return sources


def source_names(sources: Handle) -> list[str]:
    count = library.gbv_sources_count(sources.pointer)
    return [library.gbv_sources_name(sources.pointer, index).decode() for index in range(count)]


@dataclass
class Origin:
    """Where the rows of a source come from: which of the datasets, how many rows that has, which of them it uses."""

    dataset: int
    dataset_rows: int
    rows: int
    index: Optional[Array]  # None: all of them in order


def origins(sources: Handle) -> list[Origin]:
    numbers: dict[int, int] = {}
    found = []
    for index in range(library.gbv_sources_count(sources.pointer)):
        dataset = library.gbv_sources_dataset(sources.pointer, index)
        rows = library.gbv_sources_rows(sources.pointer, index)
        which = library.gbv_sources_row_index(sources.pointer, index)
        found.append(Origin(numbers.setdefault(dataset, len(numbers)),
                            library.gbv_dataset_features(dataset).contents.rows, rows,
                            np.ctypeslib.as_array(which, (rows,)).copy() if which else None))
    return found


__all__ = ["Dataset", "Origin", "Path", "Reading", "Sources", "is_path", "open_dataset", "open_sources", "origins",
           "path_bytes", "source_names"]
