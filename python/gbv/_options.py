"""Arguments become the library's options: None leaves the library's default, wrong ones are refused by name."""
from __future__ import annotations

import ctypes
import math
import operator
from ctypes import c_double
from typing import Any, Optional, Sequence, Union

from ._arrays import encode
from ._errors import UsageError
from ._library import CONSTANTS, gbv_augment_options, gbv_value_options

_MOST = (1 << 63) - 1  # JSON readers keep what is below 2^63
_MOST_REPLICATES = 1000000


def fill(options: ctypes.Structure, **given: Any) -> None:
    """Sets the fields that were given, each checked by its type in C."""
    types = dict((field[0], field[1]) for field in options._fields_)
    for name, value in given.items():
        if value is None:
            continue
        kind = types[name]
        if kind is ctypes.c_char_p:
            value = encode(value, name)
        elif kind is ctypes.c_bool:
            value = bool(value)
        elif kind is c_double:
            value = number(value, name)
        else:
            value = count(value, name)
        setattr(options, name, value)


def is_network(model: str) -> bool:
    """Whether a model takes images, not rows."""
    return model not in ("linear", "mlp")


def count(value: Any, name: str) -> int:
    try:
        whole = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; expected a whole number") from None
    if not 0 <= whole <= _MOST:
        raise UsageError(f"{name} is {whole}; expected a whole number from 0 to {_MOST}")
    return whole


def number(value: Any, name: str) -> float:
    try:
        real = float(value)
    except (TypeError, ValueError):
        real = math.nan
    if not math.isfinite(real):
        raise UsageError(f"{name} is {value!r}; expected a finite number")
    return real


def choose(value: Any, name: str, choices: Sequence[str]) -> str:
    if value not in choices:
        raise UsageError(f"{name} is {value!r}; expected {', '.join(choices[:-1])} or {choices[-1]}")
    return str(value)


def names(value: Union[str, Sequence[str], None], name: str) -> Optional[str]:
    """One name or several as the library lists them."""
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{name} is {value!r}; expected a name, or a list of names")
    return ",".join(value)


def set_tau(options: Union[gbv_value_options, gbv_augment_options], tau: Union[str, float, None]) -> None:
    if tau is None:
        return
    if isinstance(tau, str) and tau in ("quick", "auto", "code"):
        options.tau_mode = CONSTANTS["GBV_TAU_" + tau.upper()]
        return
    if isinstance(tau, str) or not number(tau, "tau") > 0:
        raise UsageError(f"tau is {tau!r}; expected quick, auto, code or a number above zero")
    options.tau_mode, options.tau = CONSTANTS["GBV_TAU_FIXED"], float(tau)


def set_intervals(options: Union[gbv_value_options, gbv_augment_options],
                  intervals: Union[int, str, None]) -> None:
    if intervals is None:
        return
    given: Any = 0 if isinstance(intervals, str) and intervals == "off" else intervals
    try:
        replicates = operator.index(given)
    except TypeError:
        replicates = -1
    if replicates != 0 and not 2 <= replicates <= _MOST_REPLICATES:
        raise UsageError(f"intervals is {intervals!r}; expected 'off', or a number of resamplings from 2 to "
                         f"{_MOST_REPLICATES} (200 serve most uses)")
    options.replicates = replicates
