"""gbv.train: the final model, trained on the sources by their weights."""
from __future__ import annotations

import warnings
from ctypes import byref, c_void_p
from typing import Any, Optional, Union

import numpy as np

from ._arrays import Array, encode
from ._comparison import Comparison
from ._errors import InputError, UsageError
from ._inputs import Path, Reading, open_dataset, path_bytes
from ._library import Handle, OnEpoch, Progress, Watch, call, library
from ._options import count
from ._result import Result
from ._sources import Sources, open_sources, source_names, source_numbers
from ._training import Training, set_model
from ._value import reading_of


class Model:
    """A trained model. `gbv.train` makes one, `gbv.load_model` reads one.

    X is an array, a DataFrame or a path. The images of a folder are made what a network was trained on, unless `resize`
    or `preprocess` says otherwise (see `gbv.value`); for other models give `resize` and `color` as in the training.
    """

    def __init__(self, handle: Handle, backend: Optional[str] = None, threads: int = 0) -> None:
        self._handle, self._threads = handle, count(threads, "threads")
        call("gbv_model_run_with", handle.pointer, None if backend is None else encode(backend, "backend"), threads,
             keep=handle)
        self.kind: str = library.gbv_model_kind(handle.pointer).decode()
        self.n_features_in_ = int(library.gbv_model_inputs(handle.pointer))
        names = [library.gbv_model_class_name(handle.pointer, index).decode()
                 for index in range(library.gbv_model_class_count(handle.pointer))]
        self.classes_: Array = np.array(_numbers(names) or names)
        """The classes, one per column of `predict_proba`: whole numbers if all are, else text."""
        note = library.gbv_model_note(handle.pointer)
        self.note: Optional[str] = None if note is None else note.decode(errors="replace")
        """What is worth knowing of how its training began, such as that the head of the pretrained weights was
        replaced."""

    def _open(self, X: Any, **reading: Any) -> Handle:
        return open_dataset(X, "X", Reading(model=self.kind, trained=self._handle, threads=self._threads, **reading))

    def predict_proba(self, X: Any, *, resize: Optional[int] = None, preprocess: Optional[str] = None,
                      image_cache: Optional[int] = None, color: str = "auto") -> Array:
        """The probability of each class for each row: rows x classes."""
        dataset = self._open(X, features_only=True, resize=resize, preprocess=preprocess, image_cache=image_cache,
                             color=color)
        rows = library.gbv_dataset_rows(dataset.pointer)
        probabilities = np.empty((rows, len(self.classes_)))
        call("gbv_predict", self._handle.pointer, dataset.pointer, probabilities.ctypes.data_as(c_void_p),
             keep=(self._handle, dataset, probabilities))
        return probabilities

    def predict(self, X: Any, *, resize: Optional[int] = None, preprocess: Optional[str] = None,
                image_cache: Optional[int] = None, color: str = "auto") -> Array:
        """The most probable class of each row."""
        probabilities = self.predict_proba(X, resize=resize, preprocess=preprocess, image_cache=image_cache,
                                           color=color)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])

    def features(self, X: Any, *, labels: bool = False, label_column: Any = None, resize: Optional[int] = None,
                 preprocess: Optional[str] = None, image_cache: Optional[int] = None, color: str = "auto",
                 skip_bad_rows: bool = False, progress: Progress = None) -> Any:
        """What the model sees in each row before it decides: rows x features of single precision. With `labels`, X is a
        dataset that has some, and `(features, labels)` are returned: a dataset, too."""
        dataset = self._open(X, features_only=not labels, label_column=label_column, resize=resize,
                             preprocess=preprocess, image_cache=image_cache, color=color, skip_bad_rows=skip_bad_rows)
        seen = np.empty((library.gbv_dataset_rows(dataset.pointer),
                         library.gbv_model_feature_count(self._handle.pointer)), np.float32)
        watch = Watch(progress)
        call("gbv_features", self._handle.pointer, dataset.pointer, seen.ctypes.data_as(c_void_p), watch.callback,
             watch.context, keep=(self._handle, dataset, seen), watch=watch)
        return (seen, _labels(dataset)) if labels else seen

    def score(self, X: Any, y: Any) -> float:
        """The share of rows whose most probable class is y."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def save(self, path: Path) -> None:
        """Writes a safetensors file, which the command-line program reads, too."""
        call("gbv_model_write", self._handle.pointer, path_bytes(path), keep=self._handle)

    def __repr__(self) -> str:
        return f"<gbv.Model {self.kind}: {self.n_features_in_} features, {len(self.classes_)} classes>"


def _labels(dataset: Handle) -> Array:
    rows = library.gbv_dataset_rows(dataset.pointer)
    names = [library.gbv_dataset_class_name(dataset.pointer, index).decode()
             for index in range(library.gbv_dataset_class_count(dataset.pointer))]
    codes = np.ctypeslib.as_array(library.gbv_dataset_labels(dataset.pointer), (rows,))
    return np.asarray(np.array(_numbers(names) or names)[codes])


def _numbers(names: list[str]) -> Optional[list[int]]:
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return None
    return numbers if [str(number) for number in numbers] == names else None


def load_model(path: Path, *, backend: Optional[str] = None, threads: int = 0) -> Model:
    """Reads a model that `Model.save` or `gbv train` wrote, or a pretrained ResNet of torchvision, timm or Hugging Face
    (safetensors). One without a head is good for `gbv.features` alone. `backend` and `threads` say how a network is
    run: "auto", "cpu" or "reference"; 0 for every core."""
    handle = Handle("gbv_model_free")
    call("gbv_model_read", path_bytes(path), byref(handle.pointer), keep=handle)
    return Model(handle, backend, threads)


def features(dataset: Any, *, pretrained: Path, model: Optional[str] = None, labels: bool = False,
             backend: Optional[str] = None, threads: int = 0, label_column: Any = None, resize: Optional[int] = None,
             preprocess: Optional[str] = None, image_cache: Optional[int] = None, color: str = "auto",
             skip_bad_rows: bool = False, progress: Progress = None) -> Any:
    """What a network sees in each image: rows x features of single precision, to value sources by with a linear model.

    dataset: images: an array of bytes (rows x height x width, with 3 channels first or last), or a path; a folder of
        images is prepared as the network wants it.
    pretrained: its weights, a safetensors file: a ResNet of torchvision, timm or Hugging Face, with or without a head,
        or a network that `Model.save` wrote.
    model: what the file must hold ("resnet18", ...); by default whatever it does.
    labels: the dataset has labels, `(X, y)` or a path, and `(features, labels)` are returned: a dataset, too.
    The rest is as for `gbv.value` and `gbv.load_model`.

    >>> import gbv, numpy as np
    >>> images = np.random.default_rng(0).integers(0, 255, (20, 8, 8), np.uint8)
    >>> y = np.arange(20) % 2
    >>> gbv.train({"anna": (images, y)}, "equal", model="cnn", epochs=1).save("cnn.safetensors")
    >>> gbv.features(images, pretrained="cnn.safetensors").shape
    (20, 64)
    >>> features, labels = gbv.features((images, y), pretrained="cnn.safetensors", labels=True)
    >>> labels[:4]
    array([0, 1, 0, 1])
    """
    handle = Handle("gbv_model_free")
    call("gbv_model_read_pretrained", path_bytes(pretrained), None if model is None else encode(model, "model"),
         byref(handle.pointer), keep=handle)
    return Model(handle, backend, threads).features(
        dataset, labels=labels, label_column=label_column, resize=resize, preprocess=preprocess,
        image_cache=image_cache, color=color, skip_bad_rows=skip_bad_rows, progress=progress)


def train(sources: Sources, weights: Any, *, model: str = "linear", seed: Optional[int] = None, threads: int = 0,
          l2: Optional[float] = None, hidden: Optional[int] = None, epochs: Optional[int] = None,
          batch: Optional[int] = None, learning_rate: Optional[float] = None, training: Optional[Training] = None,
          pretrained: Optional[Path] = None, policy: Optional[Path] = None, policy_variant: Optional[str] = None,
          checkpoint: Optional[Path] = None, resume: bool = False,
          label_column: Any = None, source_column: Any = None, item_column: Any = None, resize: Optional[int] = None,
          preprocess: Optional[str] = None, image_cache: Optional[int] = None, color: str = "auto",
          class_map: Optional[Path] = None, skip_bad_rows: bool = False, progress: Progress = None,
          on_epoch: OnEpoch = None) -> Model:
    """Trains the final model: sum over sources of weight times mean loss of the source's rows.

    sources: as for `gbv.value`; of annotations, items with a gold label are kept out here, too.
    weights: the result of `gbv.value`; or "equal" (every source alike) or "pooled" (every row alike); or a dictionary
        of name -> number, numbers in the order of the sources, or a CSV file.
    policy: networks of images: what is done to an image at every visit: the file of a `gbv.Policy`, or
        "trivialaugment", "randaugment", "autoaugment", "entaugment" or "sra"; policy_variant "code" draws as the
        program of the paper's authors does, "paper" as the policy's own authors do.
    checkpoint: networks: a file that keeps the state of the training after each epoch. With resume, training goes on
        from there where it exists, and ends with the same weights, bit for bit.
    The rest is as for `gbv.value`.

    >>> import gbv, numpy as np
    >>> X = np.arange(40.0).reshape(20, 2) % 7
    >>> y = (X[:, 0] > 3).astype(int)
    >>> sources = {"right": (X, y), "swapped": (X, 1 - y)}
    >>> result = gbv.value((X, y), sources, measure="accuracy", tau=0.1)
    >>> gbv.train(sources, result).score(X, y)
    1.0
    """
    given = locals()
    options = library.gbv_model_defaults()
    set_model(options, given)
    opened = open_sources(sources, reading_of(given), class_map)
    numbers = _weights(weights, opened)
    handle, watch = Handle("gbv_model_free"), Watch(progress, on_epoch).over(options)
    call("gbv_train", opened.pointer, numbers, byref(options), byref(handle.pointer), keep=(opened, handle),
         watch=watch)
    return Model(handle, None if training is None else training.backend, threads)


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
