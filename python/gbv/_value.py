"""gbv.value: what each source is worth."""
from __future__ import annotations

from ctypes import byref
from typing import Any, Optional, Sequence, Union

from ._inputs import Dataset, Path, Reading
from ._library import CONSTANTS, Handle, OnEpoch, Progress, Watch, call, gbv_value_options, library
from ._options import choose, fill, names, set_intervals, set_tau
from ._result import Result
from ._sources import Probabilities, Sources, SourcesHandle, open_inputs, origins, set_prior, source_names
from ._training import Training, set_model


_READING = ("label_column", "source_column", "item_column", "resize", "preprocess", "image_cache", "color",
            "skip_bad_rows", "threads", "model")


def prepare(options: gbv_value_options, reading: Reading, given: dict[str, Any]) -> tuple[Handle, SourcesHandle]:
    """What `value` and `compare` have in common: sets the options and opens reference and sources by the arguments that
    were given."""
    set_model(options.model, given)
    fill(options, measure=names(given["measure"], "measure"), unlabelled=given["unlabelled"], fast=given["fast"],
         refits=given["refits"], memory=given["memory"])
    set_tau(options, given["tau"])
    set_intervals(options, given["intervals"])
    options.undefined_as_zero = choose(given["undefined"], "undefined", ("error", "zero")) == "zero"
    trusted, opened = open_inputs(given["reference"], given["sources"], reading, given["class_map"],
                                  given["probabilities"], given["unlabelled"])
    prior = given["prior"]
    if callable(getattr(prior, "prior", None)):  # a gbv.Ledger, which is made of this file
        if given["tau"] is None:
            set_tau(options, prior.tau)
        set_prior(options, prior.prior(source_names(opened)), opened)
        options.prior_mode = CONSTANTS["GBV_PRIOR_LEDGER"]
    else:
        set_prior(options, prior, opened)
    return trusted, opened


def reading_of(given: dict[str, Any]) -> Reading:
    return Reading(**{name: given[name] for name in _READING})


def value(reference: Optional[Dataset], sources: Sources = None, *, method: Union[str, Sequence[str]] = "gbv",
          measure: Union[str, Sequence[str], None] = None, variant: Optional[str] = None,
          probabilities: Probabilities = None, unlabelled: bool = False, model: str = "linear",
          tau: Union[str, float, None] = None, prior: Any = "uniform", undefined: str = "error",
          intervals: Union[int, str] = 200, refits: Optional[int] = None, tau_curve: bool = False,
          memory: Optional[int] = None, fast: bool = False, seed: Optional[int] = None, threads: int = 0,
          l2: Optional[float] = None, hidden: Optional[int] = None, epochs: Optional[int] = None,
          batch: Optional[int] = None, learning_rate: Optional[float] = None, training: Optional[Training] = None,
          pretrained: Optional[Path] = None, cache: Optional[Path] = "auto", cache_size: Optional[int] = None,
          label_column: Any = None, source_column: Any = None, item_column: Any = None, resize: Optional[int] = None,
          preprocess: Optional[str] = None, image_cache: Optional[int] = None, color: str = "auto",
          class_map: Optional[Path] = None, skip_bad_rows: bool = False, progress: Progress = None,
          on_epoch: OnEpoch = None) -> Result:
    """Ranks and weights sources by how well a model of each serves the reference.

    reference: the trusted set: `(X, y)`, a DataFrame with a label column, `{"x": X, "y": y}`, or the path of a file
        ("FEATURES,LABELS" for two) or of a folder of images. Arrays are not copied. None with annotations that have
        gold labels; `gbv.NO_REFERENCE` where there is nothing trusted: the sources are then judged by each other.
    sources: a dictionary of name -> dataset (as the reference, each in any form); or everybody's rows as
        `(X, y, source)`; or a DataFrame or file with `source_column`; or a folder with a file or folder per source; or
        `gbv.Annotations`.
    method: "gbv", or another way of valuing ("cmmd", "lava", "knn-shapley", ...; `gbv list methods`), or several, of
        which the first decides the weights. "NAME:FORM" chooses a form: "cmmd:exact", and of gbv the measure.
    measure, variant: the transferability measure by which gbv scores, see `gbv.measures`; by default leep, or
        etran-energy where the reference has no labels. Several ("leep,logme", a list, or "all") are scored from the
        same models; the first decides the weights.
    probabilities: more sources, without rows of their own: name -> what a model of yours thinks of each row of the
        reference, as an array (rows x classes), `(array, class_names)`, a DataFrame with a column per class, or a path.
    unlabelled: the reference has no labels, and is X alone: an array, a DataFrame or a path.
    model: "linear" or "mlp" for rows, "cnn", "resnet18", "resnet34" or "resnet50" for images; `l2` for the first two,
        `hidden` for the mlp, and for all but linear `epochs`, `batch`, `learning_rate`, `seed` and what else
        `training=gbv.Training(...)` says.
    pretrained: networks of images begin with the weights of this safetensors file, instead of random numbers.
    cache, cache_size: the folder where trained networks of sources are kept and found again ("auto": $GBV_CACHE, else
        ~/.cache/gbv/models; None: no cache), and the bytes that it may hold, 4 GiB unless said otherwise.
    tau: "quick" (1 / log2 of the number of sources), "auto" (by how the final model does on held-out rows of the
        reference), "code" or a number: small ones sharpen the weights. None: quick for gbv, 1 for other methods.
    prior: "uniform", "rows", a dictionary of name -> number, numbers in the order of the sources, a CSV file, or a
        `gbv.Ledger`: what its sources are worth by now, and its tau unless another is given.
    undefined: "error", or "zero": a source whose score is undefined gets no weight.
    intervals: resamplings of the reference's rows, which tell how sure the result is, or "off".
    refits: fits of each model on resampled rows of its source, for the same; by default 20, of networks of images 0.
    tau_curve: also the weights at a range of tau.
    memory: bytes that lava's cost matrix may take; by default a quarter of the machine's.
    fast: single precision where the measure offers it.
    threads: 0 for every core; the result does not depend on it.
    label_column: the column or array that holds the labels; by default label, labels, y, target, targets or class.
    item_column: a column that names each row's item and is no feature.
    resize, color: folders of images: to N x N pixels, the middle of what is longer; "gray", "rgb", or "auto": gray when
        all are.
    preprocess: the same as torchvision has it: "RESIZE/CROP", "imagenet" ("256/224", the default for ResNets), "none".
    image_cache: bytes of decoded images kept in memory; by default a quarter of the machine's.
    class_map: a file that says what the sources' labels mean (`gbv classes`).
    skip_bad_rows: leave out unusable rows of files, with a warning.
    progress: called as progress(done, total) about ten times a second; true stops the run.
    on_epoch: called with a `gbv.Epoch` after each epoch of a network; true stops the run.

    What is None is the library's default. Ctrl-C stops a run within a second.

    >>> import gbv, numpy as np
    >>> X = np.arange(40.0).reshape(20, 2) % 7
    >>> y = (X[:, 0] > 3).astype(int)
    >>> result = gbv.value((X, y), {"right": (X, y), "swapped": (X, 1 - y)}, measure="accuracy", tau=1)
    >>> result.ranking
    ['right', 'swapped']
    >>> P = [[0.9, 0.1] if label == 0 else [0.1, 0.9] for label in y]
    >>> result = gbv.value((X, y), {"right": (X, y)}, probabilities={"mine": P}, measure=["accuracy", "nll"])
    >>> result.measures["accuracy"]
    {'right': 1.0, 'mine': 1.0}
    >>> gbv.value((X, y), {"right": (X, y)}, measure="leap")
    Traceback (most recent call last):
        ...
    gbv.UsageError: there is no measure "leap"; the nearest is leep: `gbv list measures` names them all
    """
    given = locals()
    options = library.gbv_value_defaults()
    fill(options, method=names(method, "method"), variant=variant, tau_curve=tau_curve)
    trusted, opened = prepare(options, reading_of(given), given)
    watch = Watch(progress, on_epoch).over(options.model)
    result = Handle("gbv_result_free")
    call("gbv_value", trusted.pointer, opened.pointer, byref(options), byref(result.pointer), keep=(trusted, opened),
         watch=watch)
    return Result(result, origins(opened))
