"""What a valuation found, as plain Python data: it can be copied, pickled and kept after the arrays are gone."""
from __future__ import annotations

import html
import json
import math
import os
import tempfile
from typing import Any, Optional

import numpy as np

from ._arrays import Array
from ._errors import UsageError
from ._inputs import Path
from ._sources import Origin

_SCORE_WITHOUT_NUMBER = {"minus_infinity": -math.inf, "undefined": math.nan}


class Result:
    """The worth of each source: what `gbv.value` returns.

    Numbers by source are dictionaries in the order in which the sources were given.

    >>> import gbv, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = np.where(X[:, 0] > 0, "shirt", "shoe")
    >>> wrong = np.where(rng.random(300) < 0.5, "shirt", "shoe")
    >>> result = gbv.value((X[:100], y[:100]), {"anna": (X[100:200], y[100:200]), "ben": (X[200:], wrong[200:])})
    >>> result.ranking
    ['anna', 'ben']
    >>> result.posterior["anna"] > result.posterior["ben"]
    True
    >>> round(sum(result.posterior.values()), 12)
    1.0
    """

    def __init__(self, json_text: str, table: str, csv: str, origin: list[Origin]) -> None:
        self._json, self._table, self._csv, self._origin = json_text, table, csv, origin
        self.record: dict[str, Any] = json.loads(json_text)
        """The whole result as docs/formats.md describes it."""

    @property
    def sources(self) -> list[str]:
        """The names of the sources, in the order given."""
        return [source["name"] for source in self.record["sources"]]

    @property
    def ranking(self) -> list[str]:
        """The names of the sources, best first."""
        return [source["name"] for source in self._ranked()]

    def _ranked(self) -> list[dict[str, Any]]:
        return sorted(self.record["sources"], key=lambda source: int(source["rank"]))

    def _by_source(self, key: str) -> dict[str, Any]:
        return {source["name"]: source[key] for source in self.record["sources"]}

    @property
    def posterior(self) -> dict[str, float]:
        """P(s): the share of the training loss that each source should get."""
        return self._by_source("posterior")

    @property
    def prior(self) -> dict[str, float]:
        """p(s), summing to one."""
        return self._by_source("prior")

    @property
    def scores(self) -> dict[str, float]:
        """The measure T of each source: -inf where it is the worst possible, nan where it is undefined."""
        return {source["name"]: _score(source) for source in self.record["sources"]}

    @property
    def measures(self) -> dict[str, dict[str, float]]:
        """The scores by measure and source, the measure that decides first; `record["measures"]` has the rest."""
        found = {each["measure"]: {source["name"]: _score(source) for source in each["sources"]}
                 for each in self.record.get("measures", ())}
        return found or {self.record["measure"]: self.scores}

    @property
    def agreement(self) -> dict[str, float]:
        """The share of reference rows that each source's model labels as the reference does; nan where it knows none of
        the reference's classes."""
        return {name: _number(share) for name, share in self._by_source("agreement").items()}

    @property
    def flags(self) -> dict[str, list[str]]:
        """What is wrong with each source, by the kinds that docs/formats.md lists."""
        return {source["name"]: _flags(source) for source in self.record["sources"]}

    @property
    def ambiguous(self) -> bool:
        """Whether the scores differ no more than chance explains."""
        return bool(self.record["ambiguous"])

    @property
    def tau(self) -> float:
        """The temperature; inf with a single source."""
        value = self.record["tau"]["value"]
        return math.inf if value is None else float(value)

    @property
    def effective_sources(self) -> float:
        """How many equal sources the weights amount to: 1 / sum P^2."""
        return float(self.record["effective_sources"])

    @property
    def effective_rows(self) -> float:
        """How many equal rows the weights amount to; nan when a source without rows has weight."""
        return _number(self.record["effective_rows"])

    @property
    def warnings(self) -> list[str]:
        """What is odd about the run, then about each source: one sentence each."""
        return [*self.record["warnings"], *(text for source in self.record["sources"] for text in source["warnings"])]

    @property
    def notes(self) -> list[str]:
        """What was joined and left out of annotations: one sentence each."""
        return list(self.record.get("notes", ()))

    def _refuse_probabilities(self) -> None:
        for source, origin in zip(self.record["sources"], self._origin):
            if origin.rows == 0:
                raise UsageError(f"source '{source['name']}' was given as probabilities and has no rows to weigh: "
                                 f"value the other sources without it")

    def weights(self) -> dict[str, Array]:
        """The training weight of each row, P(s) / n, by source and in the order of the source's rows.

        Rows that were not used weigh 0. For the rows of one table in the table's order see `sample_weight`. Of
        annotations there is a weight for each item: 0 for those that the annotator did not label.
        """
        self._refuse_probabilities()
        shared = self._table_rows()
        unused = [origin.dataset for origin in self._origin
                  if origin.dataset in shared and shared[origin.dataset] < origin.dataset_rows]
        if unused:
            raise UsageError("some rows of the table were not used and belong to no source, so that the weights of a "
                             "source's rows cannot be lined up with the table: use sample_weight()")
        found = {}
        for source, origin in zip(self.record["sources"], self._origin):
            if origin.index is None or origin.dataset in shared:
                found[source["name"]] = np.full(origin.rows, source["row_weight"])
            else:
                found[source["name"]] = np.zeros(origin.dataset_rows)
                found[source["name"]][origin.index] = source["row_weight"]
        return found

    def _table_rows(self) -> dict[int, int]:
        """For each dataset that several sources share: how many of its rows they use."""
        rows: dict[int, list[int]] = {}
        for origin in self._origin:
            if not origin.annotated:
                rows.setdefault(origin.dataset, []).append(origin.rows)
        return {dataset: sum(counts) for dataset, counts in rows.items() if len(counts) > 1}

    def sample_weight(self) -> Array:
        """The training weight of every row that was handed in, in input order: a table's rows as they stand in it,
        other sources one after the other. Rows that were not used weigh 0.
        """
        self._refuse_probabilities()
        if any(origin.annotated for origin in self._origin):
            raise UsageError("annotators share their items, so that an item has a weight for each of them: weights() "
                             "has an array over the items for each annotator")
        parts: dict[int, Array] = {}
        for source, origin in zip(self.record["sources"], self._origin):
            part = parts.setdefault(origin.dataset, np.zeros(origin.dataset_rows))
            part[slice(None) if origin.index is None else origin.index] = source["row_weight"]
        return np.concatenate(list(parts.values())) if parts else np.zeros(0)

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per source, in the order given; `flags` holds the kinds with blanks between."""
        import pandas

        rows = [{key: value for key, value in source.items() if key not in ("input", "warnings")}
                for source in self.record["sources"]]
        for row in rows:
            row["score"] = _score(row)
            row["flags"] = " ".join(_flags(row))
        return pandas.DataFrame(rows).set_index("name").rename_axis("source")

    def to_json(self) -> str:
        """The result as `gbv value --format json` writes it, byte for byte."""
        return self._json

    def to_csv(self) -> str:
        """One line per source, as `gbv value --format csv` writes it."""
        return self._csv

    def save(self, path: Path) -> None:
        """Writes a file, whole or not at all: JSON, or by the ending CSV (.csv) or the table (.txt).

        `gbv train --result` and `gbv weights` read the JSON.
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

    def _repr_html_(self) -> str:
        largest = max([source["posterior"] for source in self.record["sources"]], default=0) or 1
        rows = "".join(
            f"<tr><td>{source['rank']}</td><td style='text-align:left'>{html.escape(source['name'])}</td>"
            f"<td>{source['rows']}</td><td>{_cell(source['agreement'], '.4f')}</td><td>{_score(source):.4f}</td>"
            f"<td>{source['posterior']:.4f}</td><td style='text-align:left'><div style='background:#4c9aa8;"
            f"height:0.8em;width:{120 * source['posterior'] / largest:.0f}px'></div></td>"
            f"<td>{_cell(source['row_weight'], '.3g')}</td><td style='text-align:left'>{', '.join(_flags(source))}</td>"
            f"</tr>"
            for source in self._ranked())
        heads = "".join(f"<th>{head}</th>" for head in ("rank", "source", "rows", "agreement", "score", "weight", "",
                                                       "weight per row", "flags"))
        notes = "".join(f"<li>{html.escape(text)}</li>" for text in self.warnings + self.notes)
        return (f"<table><caption>{html.escape(self._table.splitlines()[0])}</caption><thead><tr>{heads}</tr></thead>"
                f"<tbody>{rows}</tbody></table>" + (f"<ul>{notes}</ul>" if notes else ""))


def _score(source: dict[str, Any]) -> float:
    return float(_SCORE_WITHOUT_NUMBER.get(source["score_status"], source["score"]))


def _number(value: Optional[float]) -> float:
    return math.nan if value is None else float(value)


def _cell(value: Optional[float], form: str) -> str:
    return "–" if value is None else format(value, form)


def _flags(source: dict[str, Any]) -> list[str]:
    return [flag["kind"] for flag in source["flags"]]
