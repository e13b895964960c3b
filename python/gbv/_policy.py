"""gbv.augment: what augmentors of images are worth; gbv.Policy: how often each is drawn."""
from __future__ import annotations

import json
import math
import os
import tempfile
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from ._arrays import Array, encode
from ._errors import InputError, UsageError
from ._inputs import Dataset, Path, Reading, open_dataset, path_bytes
from ._library import CONSTANTS, Handle, Progress, Watch, call, library
from ._options import choose, count, fill, number, set_intervals, set_tau
from ._report import number as plain, page_options, score
from ._training import cache_folder

_MASK = (1 << 64) - 1
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, by which networks normalise


@dataclass(frozen=True)
class Augmentor:
    """An operator ("rotate") with a magnitude (45.0), and what a policy says of it."""

    op: str
    magnitude: float
    coin: bool = False
    """The sign of the magnitude is drawn for each image."""
    probability: float = math.nan
    """P(s): how often it is drawn."""
    prior: float = math.nan
    score: float = math.nan
    """T, where it was scored."""


class Policy:
    """How often training should change an image by which augmentor: what `gbv.augment` finds and `gbv.read_policy`
    reads. `save` writes the file that `gbv.train(policy=...)` takes, `export` what other libraries read.

    >>> import gbv, numpy as np
    >>> with open("policy.json", "w") as file:
    ...     _ = file.write('{"kind": "policy", "schema": 1, "augmentors": ['
    ...                    '{"op": "invert", "magnitude": 0, "probability": 0.75},'
    ...                    '{"op": "rotate", "magnitude": 45, "sign": "coin", "probability": 0.25}]}')
    >>> policy = gbv.read_policy("policy.json")
    >>> policy.augmentors[1].op, policy.augmentors[1].coin
    ('rotate', True)
    >>> drawn = policy.draw(seed=1, row=0, visit=0)
    >>> image = np.zeros((32, 32, 3), np.uint8)
    >>> policy.apply(image, seed=1, row=0, visit=0).shape
    (32, 32, 3)
    >>> policy.export("torchvision", "policy.py")
    []
    """

    def __init__(self, found: Handle) -> None:
        self._handle: Optional[Handle] = found
        self._json, self._table, self._csv = (_text(found, form) for form in ("JSON", "TABLE", "CSV"))
        self.record: dict[str, Any] = json.loads(self._json)
        """Everything, as docs/formats.md describes it."""

    @property
    def augmentors(self) -> list[Augmentor]:
        """Every augmentor, those that are never drawn included."""
        return [Augmentor(entry["op"], float(entry["magnitude"]), entry["sign"] == "coin", entry["probability"],
                          plain(entry["prior"]), score(entry)) for entry in self.record["augmentors"]]

    @property
    def warnings(self) -> list[str]:
        """What is odd about it: one sentence each."""
        return list(self.record["warnings"])

    def to_json(self) -> str:
        """As the program writes it with `--format json`, byte for byte."""
        return self._json

    def to_csv(self) -> str:
        """As the program writes it with `--format csv`."""
        return self._csv

    def save(self, path: Path) -> None:
        """Writes a file, whole or not at all: JSON, which explains itself and which `gbv train --policy` reads, or by
        the ending CSV (.csv) or the table (.txt)."""
        ending = os.path.splitext(os.fspath(path))[1].lower()
        form = {".csv": "CSV", ".txt": "TABLE"}.get(ending, "JSON")
        call("gbv_policy_report", self._policy(), CONSTANTS["GBV_FORMAT_" + form], path_bytes(path), keep=self)

    def report(self, path: Path) -> None:
        """Writes one HTML file that needs nothing else: which operators and magnitudes are worth how much."""
        call("gbv_policy_page", self._policy(), byref(page_options(False)), path_bytes(path), keep=self)

    def draw(self, seed: int, row: int, visit: int) -> Augmentor:
        """What a training with this seed does to an image in one of its visits: the sign is decided."""
        drawn = library.gbv_policy_draw(self._policy(), count(seed, "seed"), count(row, "row"), count(visit, "visit"))
        return Augmentor(drawn.op.contents.name.decode(), drawn.magnitude)

    def apply(self, image: Any, seed: int, row: int, visit: int) -> Array:
        """The image (bytes, height x width or height x width x 3) as `draw` changes it. The same numbers always give
        the same image. Noise that belongs after normalisation ("code") is rounded to bytes here."""
        drawn = self.draw(seed, row, visit)
        key = _mix(_mix(_mix(seed) ^ row) ^ visit)
        if drawn.op == "gaussian_noise" and self.record["noise"] == "code":
            return _noise_of_code(_pixels(image), drawn.magnitude, key)
        return apply(drawn.op, drawn.magnitude, image, seed=key)

    def export(self, library_name: str, path: Path) -> list[str]:
        """Writes what another library reads: "torchvision" (a Python file), "albumentations" (JSON). Returns what that
        library cannot do just as gbv does, a sentence each."""
        name = encode(library_name, "library_name")
        call("gbv_policy_export", self._policy(), name, path_bytes(path), keep=self)
        notes: list[str] = []
        while (note := library.gbv_policy_export_note(self._policy(), name, len(notes))) is not None:
            notes.append(note.decode())
        return notes

    def _policy(self) -> c_void_p:
        if self._handle is None:
            with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8", newline="") as file:
                file.write(self._json)
                file.flush()
                self._handle = _read(file.name)
        return self._handle.pointer

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_handle": None}  # a copy reads its own from the text

    def __repr__(self) -> str:
        return self._table.rstrip("\n")


def _text(found: Handle, form: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "policy")
        call("gbv_policy_report", found.pointer, CONSTANTS["GBV_FORMAT_" + form], path_bytes(path), keep=found)
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()


def read_policy(path: Path) -> Policy:
    """Reads a policy that `gbv.augment` or `gbv augment` wrote, or a person."""
    return Policy(_read(path))


def _read(path: Path) -> Handle:
    handle = Handle("gbv_policy_free")
    call("gbv_policy_read", path_bytes(path), byref(handle.pointer), keep=handle)
    return handle


def augment(images: Dataset, *, pretrained: Path, model: Optional[str] = None, measure: Optional[str] = None,
            variant: Optional[str] = None, tau: Union[str, float, None] = None, grid: str = "paper",
            noise: Optional[str] = None, prior: str = "uniform", top_k: Optional[int] = None,
            subset: Optional[int] = None, intervals: Union[int, str, None] = None, continuous: bool = False,
            check_density: bool = False, seed: Optional[int] = None, cache: Optional[Path] = "auto",
            cache_size: Optional[int] = None, memory: Optional[int] = None, backend: Optional[str] = None,
            threads: int = 0, label_column: Any = None, resize: Optional[int] = None,
            preprocess: Optional[str] = None, image_cache: Optional[int] = None, color: str = "auto",
            skip_bad_rows: bool = False, progress: Progress = None) -> Policy:
    """Scores augmentors of images by a universal pretrained model and weighs them: a policy to train with.

    images: the training images with their labels: a folder CLASS/IMAGE, another path, or `(X, y)` with bytes, rows x
        height x width, and 3 channels first or last.
    pretrained: the weights of the universal model, a safetensors file; with its head where the measure needs
        probabilities, as leep does.
    model: what the file must hold ("resnet50", ...); by default whatever it does.
    measure, variant: by which augmentors are scored; leep by default.
    tau: "quick" (1 / log2 of the number of augmentors), "code" or a number.
    grid, noise: magnitudes and Gaussian noise as in the "paper" or as in its authors' program ("code"); noise None is
        the grid's own.
    prior: "uniform" over augmentors, or "operator": every operator one share.
    top_k: only so many of the best magnitudes of each operator are weighed.
    subset: so many images, classes in proportion, stand for all; `intervals` resamplings (200, or "off") say what that
        costs in certainty.
    continuous: a density over magnitudes, too; `check_density` also finds it in other ways.
    cache: where scores are kept, so that a run that was stopped goes on ("auto", a folder, or None).
    The rest is as for `gbv.value`.

    >>> import gbv, numpy as np
    >>> X = np.random.default_rng(0).integers(0, 255, (24, 32, 32, 3), np.uint8)
    >>> y = np.arange(24) % 2
    >>> gbv.train({"all": (X, y)}, "equal", model="cnn", epochs=1).save("universal.safetensors")
    >>> policy = gbv.augment((X, y), pretrained="universal.safetensors", cache=None)
    >>> len(policy.augmentors), round(sum(a.probability for a in policy.augmentors), 12)
    (68, 1.0)
    """
    options = library.gbv_augment_defaults()
    fill(options, model=model, measure=measure, variant=variant, top_k=top_k, subset=subset, continuous=continuous,
         check_density=check_density, seed=seed, cache_bytes=cache_size, memory=memory, backend=backend,
         threads=threads)
    options.pretrained, options.cache = path_bytes(pretrained), cache_folder(cache)
    options.grid = CONSTANTS["GBV_GRID_" + choose(grid, "grid", ("paper", "code")).upper()]
    if noise is not None:
        options.noise = CONSTANTS["GBV_NOISE_" + choose(noise, "noise", ("paper", "code")).upper()]
    each = {"uniform": "AUGMENTOR", "operator": "OPERATOR"}
    options.prior = CONSTANTS["GBV_PRIOR_EACH_" + each[choose(prior, "prior", tuple(each))]]
    set_tau(options, tau)
    set_intervals(options, intervals)
    universal = Handle("gbv_model_free")
    call("gbv_model_read_pretrained", options.pretrained, options.model, byref(universal.pointer), keep=universal)
    reading = Reading(model=library.gbv_model_kind(universal.pointer).decode(), trained=universal, threads=threads,
                      label_column=label_column, resize=resize, preprocess=preprocess, image_cache=image_cache,
                      color=color, skip_bad_rows=skip_bad_rows)
    dataset, found, watch = open_dataset(images, "images", reading), Handle("gbv_policy_free"), Watch(progress)
    options.progress, options.context = watch.callback, watch.context
    call("gbv_augment", dataset.pointer, byref(options), byref(found.pointer), keep=(dataset, found, options),
         watch=watch)
    return Policy(found)


def apply(op: str, magnitude: Optional[float], image: Any, *, seed: int = 0) -> Array:
    """The image (bytes, height x width or height x width x 3) as one operator changes it; `gbv list operators` names
    them all. The magnitude of one without is None or 0. `seed` decides the noise of gaussian_noise.

    >>> import gbv, numpy as np
    >>> gbv.apply("invert", None, np.full((2, 2), 100, np.uint8))
    array([[155, 155],
           [155, 155]], dtype=uint8)
    """
    pixels, known = _pixels(image), library.gbv_operator_find(encode(op, "op"))
    if magnitude is None and known and known.contents.has_magnitude:
        raise UsageError(f"{op} needs a magnitude; None is for operators without")
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    planes = np.ascontiguousarray(np.moveaxis(pixels.reshape(*pixels.shape[:2], channels), 2, 0))
    changed = np.empty_like(planes)
    call("gbv_augment_apply", encode(op, "op"), 0.0 if magnitude is None else number(magnitude, "magnitude"),
         _seed(seed), channels, *pixels.shape[:2], planes.ctypes.data_as(c_void_p), changed.ctypes.data_as(c_void_p),
         keep=(planes, changed))
    return np.ascontiguousarray(np.moveaxis(changed, 0, 2)).reshape(pixels.shape)


def _pixels(image: Any) -> Array:
    pixels = np.asarray(image)
    if pixels.dtype != np.uint8 or pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in (1, 3)):
        raise InputError(f"image: is {pixels.dtype} of {' x '.join(map(str, pixels.shape)) or 'no axes'}; expected "
                         f"uint8 of height x width, or height x width x 3")
    return pixels


def _seed(seed: int) -> int:
    return seed if 0 <= seed <= _MASK else count(seed, "seed")


def _mix(value: int) -> int:
    """One number from 0 to 2^64 for each, unlike its neighbours' (the finaliser of SplitMix64)."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31


def _noise_of_code(pixels: Array, deviation: float, key: int) -> Array:
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    shape = (channels,) if pixels.ndim == 3 else ()
    mean, scale = (np.reshape(each[:channels], shape) for each in (_MEAN, _DEVIATION))
    normal = np.random.Generator(np.random.Philox(key=key)).normal(0, deviation, pixels.shape)
    noisy = np.clip((pixels / 255 - mean) / scale + normal, 0, 1) * scale + mean
    return np.asarray(np.rint(noisy * 255).astype(np.uint8))
