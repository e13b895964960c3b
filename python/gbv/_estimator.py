"""GBV: the valuation in scikit-learn's manner, without depending on scikit-learn."""
from __future__ import annotations

import inspect
import math
from typing import Any, Optional, Sequence, Union

import numpy as np

from ._inputs import Dataset, Path
from ._training import Training
from ._value import value


class GBV:
    """Values the sources of the rows of X; the arguments are those of `gbv.value`.

    After `fit`: `sources_` (names, in the order met), `posterior_` and `scores_` (an entry per source),
    `sample_weight_` (an entry per row of X) and `result_` (everything).

    >>> import gbv, numpy as np
    >>> X = np.arange(80.0).reshape(40, 2) % 7
    >>> y = (X[:, 0] > 3).astype(int)
    >>> source = np.repeat(["anna", "ben"], 20)
    >>> labels = np.where(source == "ben", 1 - y, y)
    >>> valuation = gbv.GBV(measure="accuracy", tau=0.5).fit(X, labels, source=source, reference=(X, y))
    >>> valuation.sources_
    array(['anna', 'ben'], dtype='<U4')
    >>> valuation.posterior_.round(2)
    array([0.88, 0.12])
    >>> valuation.sample_weight_.shape
    (40,)
    """

    def __init__(self, measure: Union[str, Sequence[str], None] = None, *, method: Union[str, Sequence[str]] = "gbv",
                 variant: Optional[str] = None, unlabelled: bool = False, model: str = "linear",
                 tau: Union[str, float, None] = None, prior: Any = "uniform", undefined: str = "error",
                 intervals: Union[int, str] = 200, refits: Optional[int] = None, memory: Optional[int] = None,
                 fast: bool = False, seed: Optional[int] = None, threads: int = 0, l2: Optional[float] = None,
                 hidden: Optional[int] = None, epochs: Optional[int] = None, batch: Optional[int] = None,
                 learning_rate: Optional[float] = None, training: Optional[Training] = None,
                 pretrained: Optional[Path] = None, cache: Optional[Path] = "auto",
                 cache_size: Optional[int] = None, class_map: Optional[Path] = None) -> None:
        self.measure = measure
        self.method = method
        self.variant = variant
        self.unlabelled = unlabelled
        self.model = model
        self.tau = tau
        self.prior = prior
        self.undefined = undefined
        self.intervals = intervals
        self.refits = refits
        self.memory = memory
        self.fast = fast
        self.seed = seed
        self.threads = threads
        self.l2 = l2
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.training = training
        self.pretrained = pretrained
        self.cache = cache
        self.cache_size = cache_size
        self.class_map = class_map

    def fit(self, X: Any, y: Any, *, source: Any, reference: Dataset) -> GBV:
        """X, y: everybody's rows and labels; source: who labelled or sold each row; reference: the trusted set, as for
        `gbv.value`."""
        self.result_ = value(reference, (X, y, source), **self.get_params())
        self.sources_ = np.array(self.result_.sources)
        self.posterior_ = np.array(list(self.result_.posterior.values()))
        self.scores_ = np.array(list(self.result_.scores.values()))
        self.sample_weight_ = self.result_.sample_weight()
        self.n_features_in_ = math.prod(np.shape(X)[1:])
        return self

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> GBV:
        """Changes arguments by name."""
        for name, argument in params.items():
            if name not in self._names():
                raise ValueError(f"GBV has no parameter {name!r}; it has {', '.join(self._names())}")
            setattr(self, name, argument)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [f"{name}={argument!r}" for name, argument in self.get_params().items()
                   if argument is not defaults[name].default]
        return f"GBV({', '.join(changed)})"
