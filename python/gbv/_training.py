"""gbv.Training: how models are trained by steps; and what else the options of a model are made of."""
from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Mapping, Optional

from ._errors import UsageError
from ._inputs import is_path, path_bytes
from ._library import CONSTANTS, gbv_model_options, library
from ._options import choose, count, fill


@dataclass(frozen=True)
class Training:
    """How a model is trained by steps, for `training=` of `gbv.value`, `gbv.compare`, `gbv.train` and `gbv.GBV`. None
    is the model's own default, which `gbv train --help` tells.

    optimizer: "sgd", "adam" or "adamw"; a linear model is fitted to its minimum unless one is named.
    schedule: of the learning rate: "constant", "linear" (to zero), "step" (a tenth every 10 epochs), "paper" (a tenth
        at epoch 20 and every 10 after), "paper-late" (the same from epoch 30) or "cosine".
    momentum, nesterov: of sgd.
    weight_decay: networks of images: decay of every weight.
    label_smoothing: the share of the target that is spread over all classes.
    dropout: networks of images: the share of numbers left out after each stage.
    held_out: the share of the training rows that is kept out and chooses the epoch instead; 0: none, the last epoch.
    patience: epochs without a better loss on held-out rows after which training stops; 0: never.
    use: of the sources' weights in a final network: "weighting" of the rows' losses, or "sampling" of rows.
    normalise: networks of images: the range of pixels: "imagenet", "half" or "none".
    backend: what networks run on: "auto", "cpu" or "reference".
    threads_per_model: of one network, whose last bits depend on it.

    >>> import gbv
    >>> gbv.Training(optimizer="sgd", schedule="cosine", nesterov=True)
    Training(optimizer='sgd', schedule='cosine', nesterov=True)
    """

    optimizer: Optional[str] = None
    schedule: Optional[str] = None
    momentum: Optional[float] = None
    nesterov: bool = False
    weight_decay: Optional[float] = None
    label_smoothing: Optional[float] = None
    dropout: Optional[float] = None
    held_out: Optional[float] = None
    patience: Optional[int] = None
    use: str = "weighting"
    normalise: Optional[str] = None
    backend: Optional[str] = None
    threads_per_model: Optional[int] = None

    def __repr__(self) -> str:
        changed = [f"{name}={value!r}" for name, value in asdict(self).items() if value != getattr(Training, name)]
        return f"Training({', '.join(changed)})"


_SAME_NAMES = ("model", "l2", "hidden", "epochs", "batch", "learning_rate", "seed", "threads", "resume")


def set_model(options: gbv_model_options, given: Mapping[str, Any]) -> None:
    """Sets what was given among the arguments of a function."""
    fill(options, **{name: given.get(name) for name in _SAME_NAMES})
    training = Training() if given["training"] is None else given["training"]
    if not isinstance(training, Training):
        raise UsageError(f"training is a {type(training).__name__}; expected gbv.Training(optimizer=..., ...)")
    chosen = asdict(training)
    options.use = CONSTANTS["GBV_" + choose(chosen.pop("use"), "use", ("weighting", "sampling")).upper()]
    fill(options, **chosen)
    fill(options, policy_variant=given.get("policy_variant"))
    for name in ("pretrained", "checkpoint", "policy"):
        path = given.get(name)
        if path is not None:
            setattr(options, name, _path(path, name))
    options.cache = cache_folder(given.get("cache"))
    options.cache_bytes = count(given.get("cache_size") or 0, "cache_size")


def _path(given: Any, name: str) -> bytes:
    if not is_path(given):
        if hasattr(given, "save"):
            raise UsageError(f"{name} is a {type(given).__name__}; expected a path: save it and give its file")
        raise UsageError(f"{name} is {given!r}; expected a path")
    return path_bytes(given)


def cache_folder(given: Any) -> Optional[bytes]:
    """The folder that `cache=` names; None: no cache."""
    if isinstance(given, str) and given == "auto":
        folder: Optional[bytes] = library.gbv_cache_folder()
        return folder
    return None if given is None else _path(given, "cache")
