"""What a valuation found."""
from __future__ import annotations

import html
import math
from typing import Any, Optional

import numpy as np

from ._arrays import Array, encode
from ._errors import UsageError
from ._inputs import Path, path_bytes
from ._library import Handle, call
from ._report import Paged, number, score
from ._sources import Origin

# Pairs of numbers by their keys, and what they are called as columns.
_INTERVALS = {"score_interval": ("score_low", "score_high"),
              "score_interval_model": ("score_model_low", "score_model_high"),
              "posterior_interval": ("posterior_low", "posterior_high"), "rank_interval": ("rank_best", "rank_worst")}


class Result(Paged):
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

    _kind = "result"

    def __init__(self, found: Handle, origin: list[Origin]) -> None:
        super().__init__("gbv_result_text", found)
        self._origin = origin

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
        return {source["name"]: score(source) for source in self.record["sources"]}

    def _ways(self) -> list[dict[str, Any]]:
        """Every way in which the sources were scored; a result with one is that way itself."""
        return self.record.get("measures") or [self.record]

    @property
    def measures(self) -> dict[str, dict[str, float]]:
        """The scores by gbv's measures and source, the measure that decides first; `record["measures"]` has the
        rest."""
        return {way["measure"]: _scores(way) for way in self._ways() if way["method"] == "gbv"}

    @property
    def methods(self) -> dict[str, dict[str, float]]:
        """The scores by method and source, the method that decides first, each as `method=` takes it: "gbv:leep",
        "cmmd:exact", "uniform"."""
        return {_form(way): _scores(way) for way in self._ways()}

    def _sure(self, key: str) -> dict[str, Any]:
        if "certainty" not in self.record:
            raise UsageError("how sure this result is was not asked: value the sources with intervals=200")
        return self._by_source(key)

    def _interval(self, key: str) -> dict[str, tuple[float, float]]:
        return {name: (number(low), number(high)) for name, (low, high) in self._sure(key).items()}

    @property
    def score_interval(self) -> dict[str, tuple[float, float]]:
        """Where the score of each source lies at 90 %, were other rows of it and of the reference drawn; nan where that
        is not known."""
        return self._interval("score_interval")

    @property
    def posterior_interval(self) -> dict[str, tuple[float, float]]:
        """Where the weight of each source lies, in the same way."""
        return self._interval("posterior_interval")

    @property
    def rank_interval(self) -> dict[str, Optional[tuple[int, int]]]:
        """The best and the worst rank that each source may have, for all of them at once at 90 %; None where that is
        not known."""
        return {name: (best, worst) if best else None for name, (best, worst) in self._sure("rank_interval").items()}

    @property
    def p_best(self) -> dict[str, float]:
        """The probability that each source is the best one, which the weight is not."""
        return {name: number(share) for name, share in self._sure("p_best").items()}

    @property
    def indistinguishable(self) -> list[tuple[str, str]]:
        """The pairs of sources that cannot be told apart, the better one first."""
        return list(self.rows_needed)

    @property
    def rows_needed(self) -> dict[tuple[str, str], float]:
        """About how many rows of the reference would tell each such pair apart: inf where no number would, more rows of
        the sources might; nan where that is not known."""
        self._sure("name")
        if "groups" in self.record:
            raise UsageError(f"pairs are not compared among {len(self.sources)} sources, more than 200: "
                             f"record['groups'] lists those that cannot be told from the best of their group")
        return {(pair["better"], pair["worse"]):
                math.inf if pair["rows_needed_status"] == "no_number_will_do" else number(pair["rows_needed"])
                for pair in self.record["separation"]}

    @property
    def tau_curve(self) -> list[dict[str, Any]]:
        """With `tau_curve=True` a record for each tau: `tau` (inf: the prior), `effective_sources`, `posterior` by
        source and, where it could be judged, `log_likelihood` of a held-out reference row under the final model, its
        `deficit` to that of the best tau and `deficit_error`, else nan."""
        numbers = ("effective_sources", "log_likelihood", "deficit", "deficit_error")
        return [{"tau": _tau(point["tau"]), **{key: number(point[key]) for key in numbers},
                 "posterior": dict(zip(self.sources, point["posterior"]))}
                for point in self.record.get("tau_curve", ())]

    @property
    def agreement(self) -> dict[str, float]:
        """The share of reference rows that each source's model labels as the reference does; nan where it knows none of
        the reference's classes."""
        return {name: number(share) for name, share in self._by_source("agreement").items()}

    @property
    def classes(self) -> list[str]:
        """The classes of the reference, or of all sources where it has no labels: what `confusion` counts."""
        return list(self.record.get("classes", ()))

    @property
    def confusion(self) -> dict[str, Array]:
        """What each source's model takes for what: reference rows by their class (a line for each of `classes`) and by
        the class that the model gives them (a column for each, and one for classes that the reference does not have).
        Sources whose model labels nothing are not in it."""
        return {source["name"]: np.array(source["confusion"]) for source in self.record["sources"]
                if "confusion" in source}

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
        return _tau(self.record["tau"]["value"])

    @property
    def effective_sources(self) -> float:
        """How many equal sources the weights amount to: 1 / sum P^2."""
        return float(self.record["effective_sources"])

    @property
    def effective_rows(self) -> float:
        """How many equal rows the weights amount to; nan when a source without rows has weight."""
        return number(self.record["effective_rows"])

    def _refuse_probabilities(self) -> None:
        for source, origin in zip(self.record["sources"], self._origin):
            if origin.rows == 0:
                raise UsageError(f"source '{source['name']}' was given as probabilities and has no rows to weigh: "
                                 f"value the other sources without it")

    def export(self, library_name: str, path: Path) -> None:
        """Writes the weights as another library reads them: "hf" (probabilities for interleave_datasets of Hugging
        Face), "mosaic" (proportions of streams), "torch" (weights of rows for WeightedRandomSampler)."""
        found = self._read()
        call("gbv_result_export", found.pointer, encode(library_name, "library_name"), path_bytes(path), keep=found)

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
        """A pandas DataFrame with a row per source, in the order given. Intervals are two columns each, `score_low` and
        `score_high`, ..., `rank_best` and `rank_worst`; `flags` holds the kinds with blanks between."""
        import pandas

        rows = [{key: math.nan if value is None else value for key, value in source.items()
                 if key not in ("input", "warnings")} for source in self.record["sources"]]
        for row in rows:
            row["score"] = score(row)
            row["flags"] = " ".join(_flags(row))
            for key, columns in _INTERVALS.items():
                unknown = 0 if key == "rank_interval" else None
                row.update(zip(columns, (math.nan if end == unknown else end for end in row.pop(key, ()))))
        return pandas.DataFrame(rows).set_index("name").rename_axis("source")

    def _repr_html_(self) -> str:
        largest = max([source["posterior"] for source in self.record["sources"]], default=0) or 1
        sure = "certainty" in self.record
        rows = "".join(
            f"<tr><td>{_rank(source)}</td><td style='text-align:left'>{html.escape(source['name'])}</td>"
            f"<td>{source['rows']}</td><td>{_cell(source['agreement'], '.4f')}</td><td>{score(source):.4f}</td>"
            f"<td>{source['posterior']:.4f}</td><td style='text-align:left'><div style='background:#4c9aa8;"
            f"height:0.8em;width:{120 * source['posterior'] / largest:.0f}px'></div></td>"
            f"<td>{_cell(source['row_weight'], '.3g')}</td>" + sure * f"<td>{_cell(source.get('p_best'), '.2f')}</td>" +
            f"<td style='text-align:left'>{', '.join(_flags(source))}</td></tr>"
            for source in self._ranked())
        heads = "".join(f"<th>{head}</th>" for head in ("rank", "source", "rows", "agreement", "score", "weight", "",
                                                       "weight per row", *sure * ["p best"], "flags"))
        notes = "".join(f"<li>{html.escape(text)}</li>" for text in self.warnings + self.notes)
        return (f"<table><caption>{html.escape(self._table.splitlines()[0])}</caption><thead><tr>{heads}</tr></thead>"
                f"<tbody>{rows}</tbody></table>" + (f"<ul>{notes}</ul>" if notes else ""))


def _form(way: dict[str, Any]) -> str:
    form = way["measure"] if way["method"] == "gbv" else way["variant"]
    return f"{way['method']}:{form}" if form else str(way["method"])


def _scores(way: dict[str, Any]) -> dict[str, float]:
    return {source["name"]: score(source) for source in way["sources"]}


def _tau(value: Optional[float]) -> float:
    return math.inf if value is None else float(value)


def _rank(source: dict[str, Any]) -> str:
    """The rank, and where others are possible the ranks it may have, as in the table."""
    best, worst = source.get("rank_interval", (0, 0))
    return str(source["rank"]) + (f" ({best}–{worst})" if best != worst else "")


def _cell(value: Optional[float], form: str) -> str:
    return "–" if value is None else format(value, form)


def _flags(source: dict[str, Any]) -> list[str]:
    return [flag["kind"] for flag in source["flags"]]
