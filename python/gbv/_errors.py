"""What can go wrong, as exceptions that carry the library's sentence."""
from __future__ import annotations


class Error(Exception):
    """Something failed; the text is one sentence that names the thing, the place and the remedy.

    `status` is the exit code that the command-line program would have ended with.
    """

    status = 1


class UsageError(Error, ValueError):
    """An argument is wrong, or two do not go together."""

    status = 2


class InputError(Error, ValueError):
    """An input is missing, unreadable or malformed."""

    status = 3


class UndefinedError(Error, ArithmeticError):
    """No score is defined, for example because every label is the same."""

    status = 4


class InterruptedRun(Error):
    """The progress callback asked to stop."""

    status = 130


_CLASSES = {kind.status: kind for kind in (UsageError, InputError, UndefinedError, InterruptedRun)}


def error_of(status: int, sentence: str) -> Error:
    """The exception for a gbv_status and the sentence that came with it."""
    return _CLASSES.get(status, Error)(sentence or "not enough memory")
