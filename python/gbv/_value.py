"""gbv.value: what each source is worth."""
from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any, Callable, Optional, Sequence, Union

from ._errors import UsageError
from ._inputs import Dataset, Path, Reading
from ._library import CONSTANTS, Handle, call, library, watch
from ._options import choose, fill, set_tau
from ._result import Result
from ._sources import Probabilities, Sources, open_inputs, origins, set_prior


def value(reference: Optional[Dataset], sources: Sources = None, *, measure: Union[str, Sequence[str]] = "leep",
          variant: Optional[str] = None, probabilities: Probabilities = None, model: str = "linear",
          tau: Union[str, float] = "quick", prior: Any = "uniform", undefined: str = "error", tau_curve: bool = False,
          fast: bool = False, seed: Optional[int] = None, threads: int = 0, l2: Optional[float] = None,
          hidden: Optional[int] = None, epochs: Optional[int] = None, batch: Optional[int] = None,
          learning_rate: Optional[float] = None, label_column: Any = None, source_column: Any = None,
          item_column: Any = None, resize: Optional[int] = None, color: str = "auto", class_map: Optional[Path] = None,
          skip_bad_rows: bool = False, progress: Optional[Callable[[int, int], Any]] = None) -> Result:
    """Ranks and weights sources by how well a model of each serves the reference.

    reference: the trusted set: `(X, y)`, a DataFrame with a label column, `{"x": X, "y": y}`, or the path of a file
        ("FEATURES,LABELS" for two) or of a folder of images. Arrays are not copied. None with annotations that have
        gold labels.
    sources: a dictionary of name -> dataset (as the reference, each in any form); or everybody's rows as
        `(X, y, source)`; or a DataFrame or file with `source_column`; or a folder with a file or folder per source; or
        `gbv.Annotations`.
    measure, variant: the transferability measure, see `gbv.measures`. Several ("leep,logme", a list, or "all") are
        scored from the same models; the first decides the weights.
    probabilities: more sources, without rows of their own: name -> what a model of yours thinks of each row of the
        reference, as an array (rows x classes), `(array, class_names)`, a DataFrame with a column per class, or a path.
    model: "linear" or "mlp"; `l2`, and for the mlp `hidden`, `epochs`, `batch`, `learning_rate` and `seed`.
    tau: "quick" (1 / log2 of the number of sources), "code" or a number: small ones sharpen the weights.
    prior: "uniform", "rows", a dictionary of name -> number, numbers in the order of the sources, or a CSV file.
    undefined: "error", or "zero": a source whose score is undefined gets no weight.
    tau_curve: also the weights at a range of tau.
    fast: single precision where the measure offers it.
    threads: 0 for every core; the result does not depend on it.
    label_column: the column or array that holds the labels; by default label, labels, y, target, targets or class.
    item_column: a column that names each row's item and is no feature.
    resize, color: folders of images: to N x N pixels, the middle of what is longer; "gray", "rgb", or "auto": gray when
        all are.
    class_map: a file that says what the sources' labels mean (`gbv classes`).
    skip_bad_rows: leave out unusable rows of files, with a warning.
    progress: called as progress(done, total) about ten times a second; true stops the run.

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
    options = library.gbv_value_defaults()
    fill(options.model, model=model, l2=l2, hidden=hidden, epochs=epochs, batch=batch, learning_rate=learning_rate,
         seed=seed, threads=threads)
    fill(options, measure=_names(measure), variant=variant, tau_curve=tau_curve, fast=fast)
    set_tau(options, tau)
    options.undefined_as_zero = choose(undefined, "undefined", ("error", "zero")) == "zero"
    reading = Reading(label_column=label_column, source_column=source_column, item_column=item_column, resize=resize,
                      color=color, skip_bad_rows=skip_bad_rows)
    trusted, opened = open_inputs(reference, sources, reading, class_map, probabilities)
    set_prior(options, prior, opened)
    note = watch(options.model)
    result = Handle("gbv_result_free")
    call("gbv_value", trusted.pointer, opened.pointer, byref(options), byref(result.pointer), keep=(trusted, opened),
         note=note, progress=progress)
    return Result(_text(result, "JSON"), _text(result, "TABLE"), _text(result, "CSV"), origins(opened))


def _names(measure: Union[str, Sequence[str]]) -> str:
    if isinstance(measure, str):
        return measure
    if not isinstance(measure, (list, tuple)) or not measure or not all(isinstance(name, str) for name in measure):
        raise UsageError(f"measure is {measure!r}; expected the name of a measure, or a list of names")
    return ",".join(measure)


def _text(result: Handle, form: str) -> str:
    text = Handle("gbv_text_free")
    call("gbv_result_text", result.pointer, CONSTANTS["GBV_FORMAT_" + form], byref(text.pointer))
    return ctypes.string_at(text.pointer).decode()
