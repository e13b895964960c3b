"""gbv.Annotations: who gave which label to which item, from the files that labelling tools export."""
from __future__ import annotations

import os
from ctypes import byref
from dataclasses import replace
from typing import Any, Optional

from ._errors import UsageError
from ._inputs import Path, Reading, is_path, open_dataset, path_bytes
from ._library import Handle, call, gbv_annotation_options, library
from ._options import choose, fill


class Annotations:
    """Annotations of items, as `sources` of `gbv.value` and `gbv.train`: each annotator is a source.

    path: long tables (task, worker, label), wide tables (a column per annotator), exports of Label Studio and Argilla;
        content decides (docs/formats.md).
    items: the features of the items: a path, whose items have names, or an array or a DataFrame, whose items are known
        by their row, counted from 0.
    gold: a file with trusted labels of some items. They are the reference (`gbv.value(None, ...)`) and kept out of the
        annotators' rows; with allow_overlap they stay in.
    control: which of several controls (Label Studio) or questions (Argilla) is read.
    join: "id" (by the items' names), "file" (by file names), "row", or "auto".
    show_emails: name annotators by their e-mail addresses.
    item_column: the column of `items` that names each item; by default id, item, task, file, ...

    >>> import gbv, numpy as np
    >>> X = np.arange(80.0).reshape(40, 2) % 7
    >>> right = np.where(X[:, 0] > 3, "cat", "dog")
    >>> with open("crowd.csv", "w") as file:
    ...     print("task,worker,label", *(f"{i},anna,{right[i]}" for i in range(40)),
    ...           *(f"{i},ben,{right[i - 1]}" for i in range(0, 40, 3)), sep="\\n", file=file)
    >>> with open("gold.csv", "w") as file:
    ...     print("task,label", *(f"{i},{right[i]}" for i in range(0, 40, 2)), sep="\\n", file=file)
    >>> result = gbv.value(None, gbv.Annotations("crowd.csv", X, gold="gold.csv"), measure="accuracy")
    >>> result.ranking
    ['anna', 'ben']
    >>> (result.weights()["ben"] > 0).sum()  # the items that ben labelled, less the gold ones
    7
    """

    def __init__(self, path: Path, items: Any, *, gold: Optional[Path] = None, control: Optional[str] = None,
                 join: Optional[str] = None, show_emails: bool = False, allow_overlap: bool = False,
                 item_column: Optional[str] = None) -> None:
        self.path = path
        self.items = items
        self.gold = gold
        self.control = control
        self.join = join
        self.show_emails = show_emails
        self.allow_overlap = allow_overlap
        self.item_column = item_column

    def __repr__(self) -> str:
        items = repr(self.items) if is_path(self.items) else f"<{type(self.items).__name__}>"
        given = "".join(f", {name}={value!r}" for name, value in list(vars(self).items())[2:]
                        if value is not None and value is not False)
        return f"Annotations({self.path!r}, {items}{given})"


class Annotated:
    """The same as the library has it."""

    def __init__(self, given: Annotations, reading: Reading) -> None:
        if not is_path(given.path) or not (given.gold is None or is_path(given.gold)):
            raise UsageError("Annotations: path and gold are the paths of files; labels that you have as arrays are "
                             "sources as (X, y, source)")
        if given.allow_overlap and given.gold is None:
            raise UsageError("Annotations: allow_overlap goes with gold")
        if given.item_column is not None and not is_path(given.items):
            raise UsageError("Annotations: item_column goes with items from a file; items in memory are known by "
                             "their row, counted from 0")
        if given.join is not None:
            choose(given.join, "join", ("auto", "id", "file", "row"))
        self._path = given.path
        self._options = gbv_annotation_options()
        fill(self._options, control=given.control, join=given.join, show_emails=given.show_emails,
             allow_overlap=given.allow_overlap)
        self._items = open_dataset(given.items, "items", replace(reading, features_only=True, wants_items=True,
                                                                 source_column=None, item_column=given.item_column))
        self._labels = self._read(given.path)
        self._gold: Optional[Handle] = None
        if given.gold is not None:
            same = os.fspath(given.gold) == os.fspath(given.path)
            self._gold = self._labels if same else self._read(given.gold)

    def _read(self, path: Path) -> Handle:
        annotations = Handle("gbv_annotations_free")
        call("gbv_annotations_read", path_bytes(path), byref(self._options), byref(annotations.pointer), keep=self)
        return annotations

    def reference(self) -> Handle:
        """The gold items."""
        if self._gold is None:
            marked = library.gbv_annotations_gold_count(self._labels.pointer)
            raise UsageError("no reference was given; " + (
                f"{self._path} marks {marked} annotation{'s' * (marked > 1)} as ground truth: use them with "
                f"gold={str(self._path)!r}" if marked else
                "give the trusted set, or trusted labels of some items with gold"))
        reference = Handle("gbv_dataset_free")
        reference.keep.append(self._items.keep)
        call("gbv_dataset_from_gold", self._items.pointer, self._gold.pointer, self._labels.pointer,
             byref(self._options), byref(reference.pointer), keep=(self, reference))
        return reference

    def refuse_reference(self) -> None:
        """For callers who were given a reference."""
        if self._gold is not None:
            raise UsageError("gold makes the reference of gold items: give None as reference, or leave out gold")

    def add_to(self, sources: Handle) -> None:
        sources.keep.append(self._items.keep)
        call("gbv_sources_add_annotations", sources.pointer, self._labels.pointer, self._items.pointer,
             None if self._gold is None else self._gold.pointer, byref(self._options), keep=(self, sources))
