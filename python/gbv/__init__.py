"""What each of your data sources is worth for the task you care about: Generalized Bayes Valuation.

    result = gbv.value((X_trusted, y_trusted), {"anna": (X_anna, y_anna), "ben": (X_ben, y_ben)})
    print(result)                                # the ranking
    model = gbv.train(sources, result)           # or: your_model.fit(X, y, sample_weight=result.sample_weight())

`gbv.value` ranks and weights sources, `gbv.train` trains on them accordingly, `gbv.Ledger` follows them from batch to
batch, `gbv.compare` values by several methods side by side, `gbv.augment` finds how often training should change images
by which augmentor, `gbv.features` turns images into what a pretrained network sees in them, `gbv.measure` scores
arrays, and `gbv.GBV` is the valuation in scikit-learn's manner. Failures are `gbv.Error`s with one sentence that says
what to do.
"""
# The library is loaded before NumPy: see _library._open.
from ._library import Epoch, __version__ as __version__
from ._annotations import Annotations
from ._comparison import Comparison, compare
from ._errors import Error, InputError, InterruptedRun, UndefinedError, UsageError
from ._estimator import GBV
from ._inputs import NO_REFERENCE
from ._ledger import History, Ledger, Verified
from ._measure import MeasureInfo, measure, measures
from ._policy import Augmentor, Policy, apply, augment, read_policy
from ._result import Result
from ._train import Model, features, load_model, train
from ._training import Training
from ._value import value

# In messages they are known by where people find them.
for _public in (Error, InputError, InterruptedRun, UndefinedError, UsageError, Annotations, Augmentor, Comparison, Epoch,
                GBV, History, Ledger, MeasureInfo, Model, Policy, Result, Training, Verified):
    _public.__module__ = __name__

__all__ = ["Annotations", "Augmentor", "Comparison", "Epoch", "Error", "GBV", "History", "InputError", "InterruptedRun",
           "Ledger", "MeasureInfo", "Model", "NO_REFERENCE", "Policy", "Result", "Training", "UndefinedError",
           "UsageError", "Verified", "apply", "augment", "compare", "features", "load_model", "measure", "measures",
           "read_policy", "train", "value"]
