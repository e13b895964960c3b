"""gbv.train: the final model, trained on the sources by their weights."""
from __future__ import annotations

import warnings
from ctypes import byref, c_void_p
from typing import Any, Callable, Optional, Union

import numpy as np

from ._arrays import Array
from ._comparison import Comparison
from ._errors import InputError, UsageError
from ._inputs import Path, Reading, open_dataset, path_bytes
from ._library import Handle, call, library, watch
from ._options import fill
from ._result import Result
from ._sources import Sources, open_sources, source_names, source_numbers


class Model:
    """A trained model. `gbv.train` makes one, `gbv.load_model` reads one."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.kind: str = library.gbv_model_kind(handle.pointer).decode()
        self.n_features_in_ = int(library.gbv_model_inputs(handle.pointer))
        count = library.gbv_model_class_count(handle.pointer)
        names = [library.gbv_model_class_name(handle.pointer, index).decode() for index in range(count)]
        self.classes_: Array = np.array(_numbers(names) or names)
        """The classes, one per column of `predict_proba`: whole numbers if all are, else text."""

    def predict_proba(self, X: Any, *, resize: Optional[int] = None, color: str = "auto") -> Array:
        """The probability of each class for each row: rows x classes. X is an array, a DataFrame or a path; of a folder
        of images, resize and color as in the training."""
        dataset = open_dataset(X, "X", Reading(features_only=True, resize=resize, color=color))
        rows = library.gbv_dataset_rows(dataset.pointer)
        probabilities = np.empty((rows, len(self.classes_)))
        call("gbv_predict", self._handle.pointer, dataset.pointer, probabilities.ctypes.data_as(c_void_p),
             keep=(self._handle, dataset, probabilities))
        return probabilities

    def predict(self, X: Any, *, resize: Optional[int] = None, color: str = "auto") -> Array:
        """The most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X, resize=resize, color=color).argmax(axis=1)])

    def score(self, X: Any, y: Any) -> float:
        """The share of rows whose most probable class is y."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def save(self, path: Path) -> None:
        """Writes a safetensors file, which the command-line program reads, too."""
        call("gbv_model_write", self._handle.pointer, path_bytes(path), keep=self._handle)

    def __repr__(self) -> str:
        return f"<gbv.Model {self.kind}: {self.n_features_in_} features, {len(self.classes_)} classes>"


def _numbers(names: list[str]) -> Optional[list[int]]:
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return None
    return numbers if [str(number) for number in numbers] == names else None


def load_model(path: Path) -> Model:
    """Reads a model that `Model.save` or `gbv train` wrote."""
    handle = Handle("gbv_model_free")
    call("gbv_model_read", path_bytes(path), byref(handle.pointer))
    return Model(handle)


def train(sources: Sources, weights: Any, *, model: str = "linear", seed: Optional[int] = None, threads: int = 0,
          l2: Optional[float] = None, hidden: Optional[int] = None, epochs: Optional[int] = None,
          batch: Optional[int] = None, learning_rate: Optional[float] = None, label_column: Any = None,
          source_column: Any = None, item_column: Any = None, resize: Optional[int] = None, color: str = "auto",
          class_map: Optional[Path] = None, skip_bad_rows: bool = False,
          progress: Optional[Callable[[int, int], Any]] = None) -> Model:
    """Trains the final model: sum over sources of weight times mean loss of the source's rows.

    sources: as for `gbv.value`; of annotations, items with a gold label are kept out here, too.
    weights: the result of `gbv.value`; or "equal" (every source alike) or "pooled" (every row alike); or a dictionary
        of name -> number, numbers in the order of the sources, or a CSV file.
    The rest is as for `gbv.value`.

    >>> import gbv, numpy as np
    >>> X = np.arange(40.0).reshape(20, 2) % 7
    >>> y = (X[:, 0] > 3).astype(int)
    >>> sources = {"right": (X, y), "swapped": (X, 1 - y)}
    >>> result = gbv.value((X, y), sources, measure="accuracy", tau=0.1)
    >>> gbv.train(sources, result).score(X, y)
    1.0
    """
    options = library.gbv_model_defaults()
    fill(options, model=model, l2=l2, hidden=hidden, epochs=epochs, batch=batch, learning_rate=learning_rate, seed=seed,
         threads=threads)
    reading = Reading(label_column=label_column, source_column=source_column, item_column=item_column, resize=resize,
                      color=color, skip_bad_rows=skip_bad_rows)
    opened = open_sources(sources, reading, class_map)
    numbers = _weights(weights, opened)
    handle, note = Handle("gbv_model_free"), watch(options)
    call("gbv_train", opened.pointer, numbers, byref(options), byref(handle.pointer), keep=opened, note=note,
         progress=progress)
    return Model(handle)


def _weights(weights: Union[Result, Any], sources: Handle) -> Any:
    names = source_names(sources)
    if isinstance(weights, str) and weights == "pooled":
        return None
    if isinstance(weights, str) and weights == "equal":
        return source_numbers([1] * len(names), sources, "weights")
    if isinstance(weights, Comparison):
        raise UsageError("a comparison has the weights of several methods; give those of one: "
                         "comparison.posterior[LABEL]")
    if not isinstance(weights, Result):
        return source_numbers(weights, sources, "weights")
    posterior = weights.posterior
    strangers = [name for name in names if name not in posterior]
    if strangers:
        raise InputError(f"the result has no weight for source '{strangers[0]}'; value it first, or leave it out")
    used = [posterior[name] for name in names]
    if sum(used) < 1 - 1e-9:
        warnings.warn(f"sources with {1 - sum(used):.4f} of the weight of the result are not given; the others share "
                      f"it", stacklevel=3)
    return source_numbers(used, sources, "weights")
