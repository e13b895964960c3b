"""gbv.measure and gbv.measures: transferability scores of arrays."""
from __future__ import annotations

from ctypes import byref, c_double, c_void_p
from dataclasses import dataclass
from typing import Any, Optional

from ._arrays import as_array, as_codes, encode, view
from ._errors import InputError, UsageError
from ._library import CONSTANTS, call, gbv_measure_input, library
from ._options import fill


@dataclass(frozen=True)
class MeasureInfo:
    """What `gbv list measures` says of a measure."""

    name: str
    summary: str
    variants: tuple[str, ...]  #: the first is the default; empty when there is one form only
    needs: tuple[str, ...]  #: which arguments of `gbv.measure` the default variant needs
    cost: str  #: the leading terms of its work
    blind_to: str  #: what the measure cannot see
    joint: tuple[str, ...]  #: the variants whose scores depend on the sources compared
    resampled: str  #: how intervals redraw the reference: "row weights" or "half samples"


_NEEDS = ("labels", "probabilities", "features", "source_features")


def measures() -> list[MeasureInfo]:
    """The measures there are.

    >>> import gbv
    >>> [info.name for info in gbv.measures()][:2]
    ['leep', 'nce']
    >>> gbv.measures()[0].needs
    ('labels', 'probabilities')
    """
    found: list[MeasureInfo] = []
    while info := library.gbv_measure_at(len(found)):
        record = info.contents
        needs = tuple(need for need in _NEEDS if record.needs & CONSTANTS["GBV_NEEDS_" + need.upper()])
        found.append(MeasureInfo(record.name.decode(), record.summary.decode(), _split(record.variants), needs,
                                 record.cost.decode(), record.blind_to.decode(), _split(record.joint),
                                 record.resampled.decode()))
    return found


def _split(names: Optional[bytes]) -> tuple[str, ...]:
    return tuple(names.decode().split("|")) if names else ()


def measure(name: str, *, labels: Any = None, probabilities: Any = None, features: Any = None,
            source_features: Any = None, targets: Any = None, variant: Optional[str] = None, fast: bool = False,
            class_count: int = 0, threads: int = 0) -> float:
    """One transferability score; larger is better. -inf is the worst possible; an undefined score is an error.

    labels: the class of each reference row. Numbers are the columns of the probabilities they speak of; texts are
        numbered in their order.
    probabilities: rows x classes, what the model says of each reference row.
    features: rows x features, what the model sees in it.
    source_features: the same for the source's rows (mmd, cmmd).
    targets: real targets instead of labels (logme).
    class_count: how many classes there are; 0 for one more than the largest label.

    >>> import gbv
    >>> gbv.measure("accuracy", labels=[0, 1, 1], probabilities=[[.9, .1], [.2, .8], [.6, .4]])
    0.6666666666666666
    >>> gbv.measure("leep", labels=["cat", "dog"], probabilities=[[1, 0], [0, 1]])
    0.0
    """
    given = gbv_measure_input()
    matrices = {"probabilities": probabilities, "features": features, "source_features": source_features,
                "targets": targets}
    keep = {what: as_array(matrix, what) for what, matrix in matrices.items() if matrix is not None}
    for what, array in keep.items():
        setattr(given, what, view(array))
    if probabilities is None and features is None:
        raise UsageError("give probabilities or features; gbv.measures() says which a measure needs")
    rows = len(keep["features" if probabilities is None else "probabilities"])
    for what in ("features", "targets"):
        if what in keep and len(keep[what]) != rows:
            raise InputError(f"{what} has {len(keep[what])} rows, probabilities {rows}: one a reference row is needed"
                             if what == "features" else
                             f"targets has {len(keep[what])} rows for {rows} reference rows: one each is needed")
    codes = None if labels is None else as_codes(labels, "labels", rows).codes
    if codes is not None:
        given.labels = codes.ctypes.data_as(c_void_p)
    given.rows = rows
    fill(given, fast=fast, class_count=class_count, threads=threads)
    score = c_double()
    call("gbv_measure", encode(name, "the name of a measure"), None if variant is None else encode(variant, "variant"),
         byref(given), byref(score), None, keep=(keep, codes))
    return score.value
