"""What a run found, as the library writes it: the base of Result, Comparison and History."""
from __future__ import annotations

import ctypes
import json
import math
import os
import tempfile
from ctypes import byref
from typing import Any, Iterable, Optional, Union

from ._arrays import encode
from ._inputs import Path, path_bytes
from ._library import CONSTANTS, Handle, call, gbv_page_options, texts

_SCORE_WITHOUT_NUMBER = {"minus_infinity": -math.inf, "undefined": math.nan, "absent": math.nan}


class Report:
    """Plain Python data: it can be copied, pickled and kept after the arrays are gone."""

    record: dict[str, Any]  #: everything, as docs/formats.md describes it

    def __init__(self, writer: str, found: Handle) -> None:
        self._json, self._table, self._csv = (_text(writer, found, form) for form in ("JSON", "TABLE", "CSV"))
        self.record = json.loads(self._json)

    @property
    def sources(self) -> list[str]:
        """The names of the sources, in the order given."""
        return [source["name"] for source in self.record["sources"]]

    @property
    def warnings(self) -> list[str]:
        """What is odd about the run, then about each source: one sentence each."""
        return [*self.record["warnings"], *(text for source in self.record["sources"] for text in source["warnings"])]

    @property
    def notes(self) -> list[str]:
        """What was joined and left out of annotations: one sentence each."""
        return list(self.record.get("notes", ()))

    def to_json(self) -> str:
        """As the program writes it with `--format json`, byte for byte."""
        return self._json

    def to_csv(self) -> str:
        """As the program writes it with `--format csv`."""
        return self._csv

    def save(self, path: Path) -> None:
        """Writes a file, whole or not at all: JSON, or by the ending CSV (.csv) or the table (.txt).

        `gbv train --result` and `gbv weights` read the JSON of a result.
        """
        ending = os.path.splitext(os.fspath(path))[1].lower()
        text = {".csv": self._csv, ".txt": self._table}.get(ending, self._json)
        folder = os.path.dirname(os.path.abspath(path))
        with tempfile.NamedTemporaryFile("w", dir=folder, encoding="utf-8", newline="", delete=False) as file:
            try:
                file.write(text)
                file.close()
                mask = os.umask(0)
                os.umask(mask)
                os.chmod(file.name, 0o666 & ~mask)
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise

    def __repr__(self) -> str:
        return self._table.rstrip("\n")


class Paged(Report):
    """What also makes a page. It is made of the JSON text, so that a copy or one from a pickle has it, too."""

    _kind: str  # of the functions gbv_KIND_read, gbv_KIND_page and gbv_KIND_free

    def report(self, path: Path, *, redact: Union[bool, str, Iterable[str]] = False) -> None:
        """Writes one HTML file that needs nothing else, for screens and for print: what to do about each source and
        why, first of all.

        redact: only this source, or these, are named; True: none is. The others are numbered, and what is said of them
            in words is left out.
        """
        options, found = page_options(redact), self._read()
        call(f"gbv_{self._kind}_page", found.pointer, byref(options), path_bytes(path), keep=(found, options))

    def _read(self) -> Handle:
        found = Handle(f"gbv_{self._kind}_free")
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8", newline="") as file:
            file.write(self._json)
            file.flush()
            call(f"gbv_{self._kind}_read", path_bytes(file.name), byref(found.pointer))
        return found


def page_options(redact: Union[bool, str, Iterable[str]]) -> gbv_page_options:
    if isinstance(redact, bool):
        return gbv_page_options(redact=redact)
    kept = [encode(name, "redact") for name in ([redact] if isinstance(redact, str) else redact)]
    return gbv_page_options(redact=True, keep=texts(kept), keep_count=len(kept))


def _text(writer: str, found: Handle, form: str) -> str:
    text = Handle("gbv_text_free")
    call(writer, found.pointer, CONSTANTS["GBV_FORMAT_" + form], byref(text.pointer))
    return ctypes.string_at(text.pointer).decode()


def score(source: dict[str, Any]) -> float:
    return float(_SCORE_WITHOUT_NUMBER.get(source["score_status"], source["score"]))


def number(value: Optional[float]) -> float:
    return math.nan if value is None else float(value)
