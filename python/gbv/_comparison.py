"""gbv.compare: several ways of valuing the same sources, and whether buying by any of them pays."""
from __future__ import annotations

from ctypes import byref
from typing import Any, Optional, Sequence, Union

from ._inputs import Dataset, Path, open_dataset
from ._library import Handle, OnEpoch, Progress, Watch, call, library
from ._options import fill, names
from ._report import Paged, number, score
from ._sources import Probabilities, Sources
from ._training import Training
from ._value import prepare, reading_of

_NUMBERS = ("accuracy", "accuracy_standard_error", "pearson", "spearman", "kendall", "effective_sources")


class Comparison(Paged):
    """What `gbv.compare` returns. Methods go by their labels: "gbv leep", "cmmd exact", "uniform"."""

    _kind = "comparison"

    def __init__(self, found: Handle) -> None:
        super().__init__("gbv_comparison_text", found)

    @property
    def verdict(self) -> dict[str, Any]:
        """`kind` ("a valuation pays", "no valuation pays", "not judged") and a `sentence`; with a test set also the
        `best` valuation, the baseline `to_beat`, the `gain` in accuracy and its `gain_standard_error`."""
        return dict(self.record["verdict"])

    @property
    def methods(self) -> dict[str, dict[str, Any]]:
        """Everything about each method, as docs/formats.md describes it."""
        return {method["label"]: method for method in self.record["methods"]}

    @property
    def baselines(self) -> dict[str, dict[str, Any]]:
        """What one could do instead of valuing: everything about "reference-only", "pooled", ...; empty without a test
        set."""
        return {baseline["name"]: baseline for baseline in self.record["baselines"]}

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """The scores by method and source."""
        return {label: {source["name"]: score(source) for source in method["sources"]}
                for label, method in self.methods.items()}

    @property
    def posterior(self) -> dict[str, dict[str, float]]:
        """The weights by method and source, each as `gbv.train` takes them; nan for a method that cannot be used."""
        return {label: {source["name"]: number(source["posterior"]) for source in method["sources"]}
                for label, method in self.methods.items()}

    @property
    def test_accuracy(self) -> dict[str, float]:
        """The accuracy of each source's own model on the test set; nan where there is none."""
        return {source["name"]: number(source.get("test_accuracy")) for source in self.record["sources"]}

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each method, then for each baseline: `accuracy` of the final models,
        correlations of the weights with `test_accuracy`, and how many equal sources the weights amount to."""
        import pandas

        found = {**self.methods, **self.baselines}
        columns: dict[str, list[Any]] = {"kind": ["method"] * len(self.methods) + ["baseline"] * len(self.baselines)}
        columns |= {key: [number(each.get(key)) for each in found.values()] for key in _NUMBERS}
        return pandas.DataFrame(columns, list(found)).rename_axis("method")


def compare(reference: Optional[Dataset], sources: Sources = None, *,
            methods: Union[str, Sequence[str], None] = None, test: Optional[Dataset] = None, seeds: int = 5,
            measure: Union[str, Sequence[str], None] = None, probabilities: Probabilities = None,
            unlabelled: bool = False, model: str = "linear", tau: Union[str, float, None] = None,
            prior: Any = "uniform", undefined: str = "error", intervals: Union[int, str] = "off",
            refits: Optional[int] = None, memory: Optional[int] = None, fast: bool = False,
            seed: Optional[int] = None, threads: int = 0, l2: Optional[float] = None, hidden: Optional[int] = None,
            epochs: Optional[int] = None, batch: Optional[int] = None, learning_rate: Optional[float] = None,
            training: Optional[Training] = None, pretrained: Optional[Path] = None, cache: Optional[Path] = "auto",
            cache_size: Optional[int] = None, label_column: Any = None, source_column: Any = None,
            item_column: Any = None, resize: Optional[int] = None, preprocess: Optional[str] = None,
            image_cache: Optional[int] = None, color: str = "auto", class_map: Optional[Path] = None,
            skip_bad_rows: bool = False, progress: Progress = None, on_epoch: OnEpoch = None) -> Comparison:
    """Values the same sources by several methods, with one set of models.

    methods: as `method` of `gbv.value`; by default every one that applies. One that cannot be used is listed with its
        reason, but the first must be.
    test: labelled rows, in any form that a reference may have, that judge the final models which are trained by each
        method and by four baselines: on the reference alone, on all rows alike, ...
    seeds: how many final models by each, on rows of the sources drawn anew.
    intervals: as for `gbv.value`, of the first method; they must be asked for.
    The rest is as for `gbv.value`.

    >>> import gbv, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = np.where(X[:, 0] > 0, "shirt", "shoe")
    >>> guessed = rng.permutation(y)
    >>> sources = {"anna": (X[100:200], y[100:200]), "ben": (X[200:300], guessed[200:300])}
    >>> comparison = gbv.compare((X[:100], y[:100]), sources, methods=["gbv:leep", "cmmd", "uniform"],
    ...                          test=(X[300:], y[300:]))
    >>> list(comparison.methods)
    ['gbv leep', 'cmmd exact', 'uniform']
    >>> comparison.posterior["uniform"]
    {'anna': 0.5, 'ben': 0.5}
    >>> comparison.verdict["to_beat"] in ("reference-only", "pooled")
    True
    """
    given = locals()
    options = library.gbv_compare_defaults()
    fill(options, methods=names(methods, "methods"), seeds=seeds)
    reading = reading_of(given)
    trusted, opened = prepare(options.value, reading, given)
    judge = Handle("gbv_dataset_free") if test is None else open_dataset(test, "test", reading)
    options.test = judge.pointer
    watch = Watch(progress, on_epoch).over(options.value.model)
    comparison = Handle("gbv_comparison_free")
    call("gbv_compare", trusted.pointer, opened.pointer, byref(options), byref(comparison.pointer),
         keep=(trusted, opened, judge), watch=watch)
    return Comparison(comparison)
