"""What people hand in as sources becomes the library's collection of them."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_double, c_void_p
from dataclasses import dataclass, replace
from typing import Any, Mapping, Optional

import numpy as np

from ._annotations import Annotated, Annotations
from ._arrays import Array, as_array, as_codes, encode, is_frame, view
from ._errors import Error, InputError, UsageError
from ._inputs import NO_REFERENCE, Dataset, Path, Reader, Reading, create_dataset, is_path, open_dataset, path_bytes
from ._inputs import split_frame
from ._library import CONSTANTS, Handle, call, gbv_value_options, library, texts
from ._options import number

#: name -> dataset, (X, y, source), a DataFrame or table with source_column, a folder, or Annotations
Sources = Any
#: name -> P, (P, class names), a DataFrame with a column per class, or a path
Probabilities = Optional[Mapping[str, Any]]


class SourcesHandle(Handle):
    """An empty collection of sources."""

    def __init__(self) -> None:
        super().__init__("gbv_sources_free")
        self.annotated = False
        self.pointer.value = library.gbv_sources_create()
        if not self.pointer:
            raise Error("not enough memory for the sources")


def _add_dataset(sources: Handle, name: str, value: Dataset, reading: Reading) -> None:
    encoded = encode(name, "the name of a source")
    if is_path(value):
        reader = Reader(reading)
        reader.call("gbv_sources_add_file", sources.pointer, encoded, path_bytes(value), byref(reader.options))
        return
    dataset = open_dataset(value, str(name), reading)
    sources.keep.append(dataset.keep)
    dataset.give_up()
    call("gbv_sources_add_dataset", sources.pointer, encoded, dataset.pointer)


def _add_grouped(sources: Handle, features: Any, labels: Any, source: Any, reading: Reading) -> None:
    name = "sources"
    dataset = create_dataset(features, labels, name, reading)
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
    reader = Reader(reading, table=table)
    reader.call("gbv_sources_add_table" if table else "gbv_sources_add_folder", sources.pointer, path_bytes(path),
                byref(reader.options))


def _class_names(classes: Any, name: str, columns: int) -> Any:
    if len(classes) != columns:
        raise InputError(f"{name}: has {len(classes)} class names for {columns} columns of probabilities: one a column "
                         f"is needed")
    codes, names = as_codes(classes, name, columns, "class name")
    return texts([encode(code if names is None else names[code], name) for code in codes])


def _add_probabilities(sources: Handle, name: str, value: Any, reading: Reading) -> None:
    encoded = encode(name, "the name of a source")
    if is_path(value):
        reader = Reader(reading)
        reader.call("gbv_sources_add_probabilities_file", sources.pointer, encoded, path_bytes(value),
                    byref(reader.options))
        return
    if is_frame(value):
        value = value, value.columns
    matrix, classes = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    array = as_array(matrix, str(name))
    names = None if classes is None else _class_names(classes, str(name), array.shape[1])
    sources.keep.append(array)
    call("gbv_sources_add_probabilities", sources.pointer, encoded, view(array), names, keep=(sources, names))


def _add_all(sources: SourcesHandle, value: Sources, reading: Reading) -> None:
    """Sources that are not named one by one."""
    if isinstance(value, Annotated):
        value.add_to(sources)
        sources.annotated = True
    elif is_path(value):
        _add_path(sources, value, reading)
    elif is_frame(value):
        if reading.source_column is None:
            raise UsageError("sources is one DataFrame; say which column names the source with source_column")
        _add_grouped(sources, *split_frame(value, "sources", reading, reading.source_column), reading)
    elif isinstance(value, (tuple, list)) and len(value) == 3:
        features, labels, source = value
        _add_grouped(sources, features, labels, source, reading)
    else:
        raise UsageError(f"sources is a {type(value).__name__}; expected a dict of name -> dataset, (X, y, source), a "
                         f"DataFrame or file with source_column, a folder, or gbv.Annotations")


def open_sources(value: Sources, reading: Reading, class_map: Optional[Path] = None,
                 probabilities: Probabilities = None) -> SourcesHandle:
    """The sources from whatever holds them, in the order of the command-line program: those named one by one, those
    given as probabilities, all others."""
    sources = SourcesHandle()
    if reading.source_column is not None and not (is_path(value) or is_frame(value)):
        raise UsageError("source_column goes with one table of everybody's rows: a DataFrame or a path")
    if probabilities is not None and not isinstance(probabilities, Mapping):
        raise UsageError(f"probabilities is a {type(probabilities).__name__}; expected a dict of name -> "
                         f"probabilities of the reference's rows")
    if isinstance(value, Annotations):
        value = Annotated(value, reading)
    if value is None and probabilities:
        value = {}
    if isinstance(value, Mapping):
        for name, dataset in value.items():
            _add_dataset(sources, name, dataset, reading)
    for name, given in (probabilities or {}).items():
        _add_probabilities(sources, name, given, reading)
    if not isinstance(value, Mapping):
        _add_all(sources, value, reading)
    if class_map is not None:
        call("gbv_sources_map_classes", sources.pointer, path_bytes(class_map))
    return sources


def open_inputs(reference: Optional[Dataset], sources: Sources, reading: Reading, class_map: Optional[Path] = None,
                probabilities: Probabilities = None, unlabelled: bool = False) -> tuple[Handle, SourcesHandle]:
    """The trusted set, which of annotations the gold items are and which is NULL where there is none, and the
    sources."""
    if unlabelled and (reference is None or reference is NO_REFERENCE):
        raise UsageError("unlabelled says that the reference has no labels, and no reference was given: give its X")
    if isinstance(sources, Annotations):
        sources = Annotated(sources, reading)
        if reference is None:
            return sources.reference(), open_sources(sources, reading, class_map, probabilities)
        sources.refuse_reference()
    elif reference is None:
        raise UsageError("no reference was given; None goes with gbv.Annotations(..., gold=FILE), whose gold items are "
                         "the reference; gbv.NO_REFERENCE has the sources judged by each other")
    if unlabelled and isinstance(reference, tuple):
        raise UsageError("reference is a tuple, and unlabelled says that it has no labels: give X alone")
    trusted = Handle("gbv_dataset_free") if reference is NO_REFERENCE else \
        open_dataset(reference, "reference", replace(reading, features_only=unlabelled))
    return trusted, open_sources(sources, reading, class_map, probabilities)


def source_names(sources: Handle) -> list[str]:
    count = library.gbv_sources_count(sources.pointer)
    return [library.gbv_sources_name(sources.pointer, index).decode() for index in range(count)]


@dataclass
class Origin:
    """Where the rows of a source come from: which of the datasets, how many rows that has, which of them it uses."""

    dataset: int
    dataset_rows: int
    rows: int  # 0: given as probabilities, it has none
    index: Optional[Array]  # None: all of them in order
    annotated: bool  # items, which other annotators may have, too


def origins(sources: SourcesHandle) -> list[Origin]:
    numbers: dict[int, int] = {}
    found = []
    for index in range(library.gbv_sources_count(sources.pointer)):
        dataset = library.gbv_sources_dataset(sources.pointer, index)
        rows = library.gbv_sources_rows(sources.pointer, index)
        which = library.gbv_sources_row_index(sources.pointer, index)
        found.append(Origin(numbers.setdefault(dataset, len(numbers)),
                            library.gbv_dataset_features(dataset).contents.rows, rows,
                            np.ctypeslib.as_array(which, (rows,)).copy() if which else None,
                            sources.annotated and rows > 0))
    return found


def source_numbers(given: Any, sources: Handle, what: str) -> ctypes.Array[c_double]:
    """One number per source from a mapping by name, a sequence in the order of the sources, or a CSV file."""
    names = source_names(sources)
    numbers = (c_double * len(names))()
    if is_path(given):
        call("gbv_sources_read_numbers", sources.pointer, path_bytes(given), numbers)
        return numbers
    if hasattr(given, "items"):  # a dict or a Series
        given = {str(name): value for name, value in given.items()}
        missing = [name for name in names if name not in given]
        extra = [name for name in given if name not in names]
        if missing or extra:
            raise InputError(f"{what} has no number for source '{missing[0]}'" if missing else
                             f"{what} has a number for '{extra[0]}', which is no source")
        given = [given[name] for name in names]
    values = np.asarray(given, dtype=object).ravel()
    if len(values) != len(names):
        raise InputError(f"{what} has {len(values)} numbers for {len(names)} sources")
    for index, value in enumerate(values):
        numbers[index] = number(value, f"{what} of source '{names[index]}'")
    return numbers


def set_prior(options: gbv_value_options, prior: Any, sources: Handle) -> None:
    if isinstance(prior, str) and prior in ("uniform", "rows"):
        options.prior_mode = CONSTANTS["GBV_PRIOR_" + prior.upper()]
        return
    options.prior_mode = CONSTANTS["GBV_PRIOR_GIVEN"]
    options.prior = source_numbers(prior, sources, "prior")
