"""gbv.Ledger: what sources are worth over time, in one file that holds no rows of theirs."""
from __future__ import annotations

import ctypes
import html
import inspect
import math
import operator
import os
from ctypes import byref, c_double
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence, Union

from ._arrays import encode
from ._errors import UsageError
from ._inputs import Dataset, Path, is_path, path_bytes
from ._library import CONSTANTS, Handle, Watch, call, gbv_history_options, gbv_ledger_summary, gbv_update_options, \
    library, texts
from ._options import fill, names
from ._report import Report, number, page_options, score
from ._result import Result
from ._sources import Sources, origins
from ._value import prepare, reading_of, value

_VALUE = inspect.signature(value)


class History(Report):
    """What a ledger knows, batch by batch: what `Ledger.history` returns. Numbers by source are dictionaries in the
    order in which the sources entered; lists have an entry for each batch, oldest first, nan where there is none."""

    def __init__(self, found: Handle) -> None:
        super().__init__("gbv_history_text", found)

    @property
    def batches(self) -> list[str]:
        """The names of the batches, oldest first; `record["batches"]` has all about them."""
        return [batch["name"] for batch in self.record["batches"]]

    @property
    def warnings(self) -> list[str]:
        """What was odd about each batch: one sentence each."""
        return [text for batch in self.record["batches"] for text in batch["warnings"]]

    def _points(self, key: str) -> dict[str, list[float]]:
        return {source["name"]: [number(point[key]) for point in source["points"]] for source in self.record["sources"]}

    @property
    def posterior(self) -> dict[str, list[float]]:
        """P_t(s), the accumulated weights."""
        return self._points("posterior")

    @property
    def batch_posterior(self) -> dict[str, list[float]]:
        """The weights by each batch alone."""
        return self._points("batch_posterior")

    @property
    def scores(self) -> dict[str, list[float]]:
        """T_{s,t}: -inf where it is the worst possible, nan where it is undefined or the source was absent."""
        return {source["name"]: [score(point) for point in source["points"]] for source in self.record["sources"]}

    @property
    def alarms(self) -> dict[str, list[str]]:
        """"worse" or "better" where the scores of a source left their past behind, else "none"."""
        return {source["name"]: [point["alarm"] for point in source["points"]] for source in self.record["sources"]}

    @property
    def flags(self) -> dict[str, list[Optional[str]]]:
        """What is wrong with each delivery, such as "no_better_than_chance"; None where nothing is."""
        return {source["name"]: [point["flag"] for point in source["points"]] for source in self.record["sources"]}

    @property
    def strategies(self) -> dict[str, dict[str, list[float]]]:
        """What else one could do with the same scores: the weights by strategy and source."""
        return {each["name"]: {name: [number(weights[index]) for weights in each["posterior"]]
                               for index, name in enumerate(self.sources)}
                for each in self.record.get("strategies", ())}

    @property
    def weights(self) -> dict[str, float]:
        """P_t(s) of the last batch, for all sources that are in."""
        return {name: shares[-1] for name, shares in self.posterior.items() if shares and not math.isnan(shares[-1])}

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each source in each batch, and a column for each strategy."""
        import pandas

        rows, strategies = [], self.strategies
        for index, batch in enumerate(self.record["batches"]):
            for source in self.record["sources"]:
                point = dict(source["points"][index])
                low, high = point.pop("posterior_interval")
                row = {"batch": batch["name"], "time": batch["time"], "source": source["name"], **point,
                       "score": score(point), "posterior_low": low, "posterior_high": high,
                       **{name: shares[source["name"]][index] for name, shares in strategies.items()}}
                rows.append({key: math.nan if value is None else value for key, value in row.items()})
        return pandas.DataFrame(rows or {"batch": [], "source": []}).set_index(["batch", "source"])

    def _repr_html_(self) -> str:
        ranked = sorted(self.weights.items(), key=lambda item: -item[1])
        past, batch, alarms, flags = self.posterior, self.batch_posterior, self.alarms, self.flags
        rows = "".join(
            f"<tr><td style='text-align:left'>{html.escape(name)}</td><td>{weight:.4f}</td>"
            f"<td>{batch[name][-1]:.4f}</td><td>{_line(past[name])}</td>"
            f"<td style='text-align:left'>{_words(alarms[name][-1], flags[name][-1])}</td></tr>"
            for name, weight in ranked)
        heads = "".join(f"<th>{head}</th>" for head in ("source", "weight", "this batch", "past", ""))
        caption = f"batch {self.batches[-1]}, {len(self.batches)} in all" if self.batches else "no batches"
        return (f"<table><caption>{html.escape(caption)}</caption><thead><tr>{heads}</tr></thead>"
                f"<tbody>{rows}</tbody></table>")


def _words(alarm: str, flag: Optional[str]) -> str:
    return flag or "" if alarm == "none" else "got " + alarm


def _line(shares: list[float]) -> str:
    """A small line of the past, from 0 to 1."""
    known = [(index, share) for index, share in enumerate(shares) if not math.isnan(share)]
    step = 100 / max(1, len(shares) - 1)
    points = " ".join(f"{2 + index * step:.1f},{18 - 16 * share:.1f}" for index, share in known)
    return ("<svg width='104' height='20' role='img' aria-label='weights over the batches'>"
            f"<polyline points='{points}' fill='none' stroke='#4c9aa8' stroke-width='1.5'/></svg>")


@dataclass(frozen=True)
class Verified:
    """What `Ledger.verify` found in order."""

    records: int
    """Batches and undoings."""
    batches: int
    """Batches that stand."""
    sources: int
    """Sources that were ever there."""
    head: str
    """The hash of the last record: noted elsewhere, it proves that nothing up to it was changed."""
    last: str
    """The name of the last batch; "" when there is none."""


class Ledger:
    """What sources are worth over time: each batch of their samples is scored by itself and folded into the weights of
    before, so that the samples need not be kept. One SQLite file, which the first `update` makes; it holds scores,
    weights, options, hashes and times, and is what `gbv update` and `gbv history` work on, too.

    >>> import gbv, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = np.where(X[:, 0] > 0, "shirt", "shoe")
    >>> guessed = rng.permutation(y)
    >>> ledger = gbv.Ledger("doctest.db")
    >>> for batch, rows in ("2026-11", slice(100, 200)), ("2026-12", slice(200, 300)):
    ...     sources = {"anna": (X[rows], y[rows]), "ben": (X[rows], guessed[rows])}
    ...     result = ledger.update(batch, (X[:100], y[:100]), sources)
    >>> ledger.weights["anna"] > result.posterior["ben"]
    True
    >>> ledger.history().batches
    ['2026-11', '2026-12']
    >>> ledger.undo()
    '2026-12'
    """

    path: str  #: of the file

    def __init__(self, path: Path) -> None:
        if not is_path(path):
            raise UsageError(f"path is {path!r}; expected the path of a ledger, such as 'vendors.db'")
        self.path = os.fspath(path)

    def __repr__(self) -> str:
        return f"gbv.Ledger({self.path!r})"

    def _open(self, mode: str) -> Handle:
        """Held for one call only: others may work on the file in between."""
        ledger = Handle("gbv_ledger_close")
        call("gbv_ledger_open", path_bytes(self.path), CONSTANTS["GBV_LEDGER_" + mode], byref(ledger.pointer))
        return ledger

    def update(self, batch: str, reference: Optional[Dataset], sources: Sources = None, *,
               forgetting: Optional[float] = None, leave: Iterable[str] = (),
               allow_change: Union[str, Sequence[str], None] = None, alarm_batches: Optional[float] = None,
               time: Optional[int] = None, batch_size: Optional[int] = None, **options: Any) -> Result:
        """Scores a batch of the sources as `gbv.value` does and folds it in; returns the result of this batch, whose
        prior is the ledger's. Sources that are not given keep their share; new ones enter with their prior.

        batch: its name, once in a ledger: "2026-11".
        reference, sources, options: as for `gbv.value`. Tau, measure, model, seed and reference are those of the first
            batch for all that follow: leave them away, or give the same.
        forgetting: in (0, 1]: a batch counts so many times less with each that follows; by default the ledger's, at
            first 1: nothing is forgotten.
        leave: sources that will not deliver again: their share goes to the others.
        allow_change: what may differ from the batch before, which is recorded: "reference", "measure", "model", "tau",
            "forgetting", "alarms", "seed", "intervals", or several of them.
        alarm_batches: one false alarm in so many batches, over all sources; by default the ledger's, at first 12.
        time: of the record, in seconds since 1970; by default now.
        batch_size: rows a step in training, which is `batch` of `gbv.value`.

        What is refused changes nothing: a batch that is there already, a change that is not allowed, another update
        that came first.
        """
        bound = _VALUE.bind(reference, sources, batch=batch_size, **options)
        bound.apply_defaults()
        given = bound.arguments
        scoring = library.gbv_value_defaults()
        fill(scoring, method=names(given["method"], "method"), variant=given["variant"], tau_curve=given["tau_curve"])
        trusted, opened = prepare(scoring, reading_of(given), given)
        leaving = [encode(name, "leave") for name in ([leave] if isinstance(leave, str) else leave)]
        chosen = gbv_update_options(leavers=texts(leaving), leaver_count=len(leaving), time=_seconds(time))
        fill(chosen, batch=batch, forgetting=forgetting, alarm_batches=alarm_batches,
             allow=names(allow_change, "allow_change"))
        ledger, result = self._open("UPDATE"), Handle("gbv_result_free")
        call("gbv_ledger_update", ledger.pointer, trusted.pointer, opened.pointer, byref(scoring), byref(chosen),
             byref(result.pointer), keep=(ledger, trusted, opened, leaving),
             watch=Watch(given["progress"], given["on_epoch"]).over(scoring.model))
        return Result(result, origins(opened))

    def history(self, source: Optional[str] = None, last: Optional[int] = None,
                strategies: Union[str, Sequence[str], None] = None) -> History:
        """All batches that stand, or the `last` ones, of all sources or one; with `strategies` ("all", or names of `gbv
        list strategies`) also what else one could do with the same scores."""
        return History(self._history(source, last, strategies))

    def _history(self, source: Optional[str] = None, last: Optional[int] = None,
                 strategies: Union[str, Sequence[str], None] = None) -> Handle:
        wanted = gbv_history_options()
        fill(wanted, source=source, last=last, strategies=names(strategies, "strategies"))
        ledger, history = self._open("READ"), Handle("gbv_history_free")
        call("gbv_ledger_history", ledger.pointer, byref(wanted), byref(history.pointer), keep=ledger)
        return history

    @property
    def weights(self) -> dict[str, float]:
        """P_t(s): the accumulated weights of all sources that are in, as `gbv.train` takes them."""
        return self.history(last=1).weights

    @property
    def tau(self) -> float:
        """The temperature that the first batch fixed."""
        return self._prior([])[1]

    def prior(self, sources: Iterable[str]) -> dict[str, float]:
        """What these sources, newcomers included, may begin with elsewhere: P_t(s), as `prior=` of `gbv.value` takes
        it (which takes the ledger itself, too)."""
        wanted = [sources] if isinstance(sources, str) else list(sources)
        return dict(zip(wanted, self._prior(wanted)[0]))

    def _prior(self, sources: list[str]) -> tuple[list[float], float]:
        shares, tau = (c_double * len(sources))(), c_double()
        wanted = texts([encode(name, "sources") for name in sources])
        ledger = self._open("READ")
        call("gbv_ledger_prior", ledger.pointer, wanted, len(sources), shares, byref(tau), keep=(ledger, wanted))
        return list(shares), tau.value

    def verify(self, head: Optional[str] = None) -> Verified:
        """Checks the chain of hashes and computes every weight again from the recorded scores; `head` is a hash noted
        before, which must be one of the chain's. Raises `gbv.InputError`, naming the first batch that is changed,
        missing or does not follow from the one before."""
        ledger, found = self._open("READ"), gbv_ledger_summary()
        noted = None if head is None else encode(head, "head")
        call("gbv_ledger_verify", ledger.pointer, noted, byref(found), keep=ledger)
        return Verified(found.records, found.batches, found.sources, found.head.decode(),
                        found.last.decode(errors="replace"))

    def undo(self, *, time: Optional[int] = None) -> str:
        """Takes the last batch back and returns its name, which may be used again; both stay on record."""
        ledger, batch = self._open("UPDATE"), Handle("gbv_text_free")
        call("gbv_ledger_undo", ledger.pointer, _seconds(time), byref(batch.pointer), keep=ledger)
        return ctypes.string_at(batch.pointer).decode()

    def report(self, path: Path, *, redact: Union[bool, str, Iterable[str]] = False) -> None:
        """Writes a page about the ledger; see `Result.report`."""
        history, options = self._history(strategies="all"), page_options(redact)
        call("gbv_history_page", history.pointer, None, byref(options), path_bytes(path), keep=(history, options))


def _seconds(time: Optional[int]) -> int:
    """0 stands for now."""
    if time is None:
        return 0
    try:
        seconds = operator.index(time)
    except TypeError:
        seconds = 0
    if seconds <= 0:
        raise UsageError(f"time is {time!r}; expected the seconds since 1970, a whole number such as int(time.time())")
    return seconds
