"""The border to libgbv.so: its structures and functions as ctypes sees them, and the one thread that calls it.

Every structure that crosses the border is mirrored here and nowhere else; results cross as the library's JSON text
instead. tests/python/test_library.py compiles a program that compares each mirror with the C headers.
"""
from __future__ import annotations

import _ctypes
import ctypes
import os
import weakref
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_size_t, c_ssize_t, c_uint
from ctypes import c_int64, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ._errors import InterruptedRun, error_of

__version__ = "0.1.0"

# Enumerators, by their names in C.
CONSTANTS = {
    "GBV_U8": 0, "GBV_I8": 1, "GBV_U16": 2, "GBV_I16": 3, "GBV_U32": 4, "GBV_I32": 5, "GBV_U64": 6, "GBV_I64": 7,
    "GBV_F16": 8, "GBV_F32": 9, "GBV_F64": 10,
    "GBV_OK": 0, "GBV_FAILED": 1, "GBV_USAGE": 2, "GBV_BAD_INPUT": 3, "GBV_UNDEFINED": 4, "GBV_CONDITION": 5,
    "GBV_INTERRUPTED": 130,
    "GBV_TAU_QUICK": 0, "GBV_TAU_CODE": 1, "GBV_TAU_FIXED": 2, "GBV_TAU_AUTO": 3,
    "GBV_PRIOR_UNIFORM": 0, "GBV_PRIOR_ROWS": 1, "GBV_PRIOR_GIVEN": 2, "GBV_PRIOR_LEDGER": 3,
    "GBV_PRIOR_EACH_AUGMENTOR": 0, "GBV_PRIOR_EACH_OPERATOR": 1,
    "GBV_GRID_PAPER": 0, "GBV_GRID_CODE": 1, "GBV_NOISE_OWN": 0, "GBV_NOISE_PAPER": 1, "GBV_NOISE_CODE": 2,
    "GBV_COLOR_AUTO": 0, "GBV_COLOR_GRAY": 1, "GBV_COLOR_RGB": 2,
    "GBV_WEIGHTING": 0, "GBV_SAMPLING": 1,
    "GBV_LEDGER_READ": 0, "GBV_LEDGER_UPDATE": 1,
    "GBV_FORMAT_TABLE": 0, "GBV_FORMAT_JSON": 1, "GBV_FORMAT_CSV": 2,
    "GBV_NEEDS_LABELS": 1, "GBV_NEEDS_PROBABILITIES": 2, "GBV_NEEDS_FEATURES": 4, "GBV_NEEDS_SOURCE_FEATURES": 8,
    "GBV_NEEDS_CLASS_COLUMNS": 16,
}


class gbv_error(ctypes.Structure):
    _fields_ = [("status", c_int), ("message", c_char * 1024)]


class gbv_matrix(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("rows", c_size_t), ("columns", c_size_t), ("row_stride", c_ssize_t),
                ("column_stride", c_ssize_t), ("type", c_int), ("swapped", c_bool)]


class gbv_image_shape(ctypes.Structure):
    _fields_ = [("height", c_size_t), ("width", c_size_t), ("channels", c_size_t), ("channels_last", c_bool)]


class gbv_read_options(ctypes.Structure):
    _fields_ = [("label_column", c_char_p), ("source_column", c_char_p), ("item_column", c_char_p),
                ("wants_items", c_bool), ("resize", c_size_t), ("crop", c_size_t),
                ("image_cache", c_size_t), ("threads", c_size_t), ("color", c_int), ("skip_bad_rows", c_bool),
                ("features_only", c_bool), ("on_bad_row", c_void_p), ("on_bad_file", c_void_p), ("context", c_void_p)]


class gbv_annotation_options(ctypes.Structure):
    _fields_ = [("control", c_char_p), ("join", c_char_p), ("show_emails", c_bool), ("allow_overlap", c_bool)]


class gbv_progress(ctypes.Structure):
    _fields_ = [("done", c_size_t), ("total", c_size_t), ("stop", c_bool)]


class gbv_model_options(ctypes.Structure):
    _fields_ = [("model", c_char_p), ("l2", c_double), ("hidden", c_size_t), ("epochs", c_size_t), ("batch", c_size_t),
                ("learning_rate", c_double), ("optimizer", c_char_p), ("schedule", c_char_p), ("momentum", c_double),
                ("nesterov", c_bool), ("weight_decay", c_double), ("label_smoothing", c_double), ("dropout", c_double),
                ("held_out", c_double), ("patience", c_size_t), ("use", c_int), ("pretrained", c_char_p),
                ("normalise", c_char_p), ("policy", c_char_p), ("policy_variant", c_char_p), ("backend", c_char_p),
                ("cache", c_char_p), ("cache_bytes", c_size_t), ("checkpoint", c_char_p), ("resume", c_bool),
                ("seed", c_uint64), ("threads", c_size_t), ("threads_per_model", c_size_t), ("progress", c_void_p),
                ("on_epoch", c_void_p), ("context", c_void_p)]


class gbv_epoch(ctypes.Structure):
    _fields_ = [("subject", c_char_p), ("epoch", c_size_t), ("epochs", c_size_t), ("loss", c_double),
                ("held_out_loss", c_double), ("held_out_accuracy", c_double), ("best", c_bool),
                ("learning_rate", c_double), ("seconds", c_double), ("rows", c_size_t), ("model", c_void_p)]


class gbv_value_options(ctypes.Structure):
    _fields_ = [("method", c_char_p), ("measure", c_char_p), ("variant", c_char_p), ("unlabelled", c_bool),
                ("model", gbv_model_options), ("tau_mode", c_int), ("tau", c_double), ("prior_mode", c_int),
                ("prior", POINTER(c_double)), ("tau_curve", c_bool), ("undefined_as_zero", c_bool), ("fast", c_bool),
                ("replicates", c_size_t), ("refits", c_size_t), ("keep_resamples", c_bool), ("memory", c_size_t),
                ("shard", c_size_t), ("shards", c_size_t)]


class gbv_compare_options(ctypes.Structure):
    _fields_ = [("value", gbv_value_options), ("methods", c_char_p), ("test", c_void_p), ("seeds", c_size_t)]


class gbv_update_options(ctypes.Structure):
    _fields_ = [("batch", c_char_p), ("forgetting", c_double), ("alarm_batches", c_double),
                ("leavers", POINTER(c_char_p)), ("leaver_count", c_size_t), ("allow", c_char_p), ("time", c_int64)]


class gbv_ledger_summary(ctypes.Structure):
    _fields_ = [("records", c_size_t), ("batches", c_size_t), ("sources", c_size_t), ("head", c_char * 65),
                ("last", c_char * 128)]


class gbv_history_options(ctypes.Structure):
    _fields_ = [("source", c_char_p), ("last", c_size_t), ("strategies", c_char_p)]


class gbv_page_options(ctypes.Structure):
    _fields_ = [("command", c_char_p), ("redact", c_bool), ("keep", POINTER(c_char_p)), ("keep_count", c_size_t)]


class gbv_operator(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("has_magnitude", c_bool), ("is_signed", c_bool),
                ("of_side", c_bool), ("least", c_double), ("most", c_double)]


class gbv_augmentor(ctypes.Structure):
    _fields_ = [("op", POINTER(gbv_operator)), ("magnitude", c_double), ("coin", c_bool)]


class gbv_augment_options(ctypes.Structure):
    _fields_ = [("model", c_char_p), ("pretrained", c_char_p), ("measure", c_char_p), ("variant", c_char_p),
                ("grid", c_int), ("noise", c_int), ("tau_mode", c_int), ("tau", c_double), ("prior", c_int),
                ("top_k", c_size_t), ("subset", c_size_t), ("replicates", c_size_t), ("continuous", c_bool),
                ("check_density", c_bool), ("seed", c_uint64), ("backend", c_char_p), ("cache", c_char_p),
                ("cache_bytes", c_size_t), ("threads", c_size_t), ("memory", c_size_t), ("progress", c_void_p),
                ("context", c_void_p)]


class gbv_measure_input(ctypes.Structure):
    _fields_ = [("rows", c_size_t), ("labels", c_void_p), ("class_count", c_size_t), ("probabilities", gbv_matrix),
                ("column_class", c_void_p), ("features", gbv_matrix), ("source_features", gbv_matrix),
                ("targets", gbv_matrix), ("threads", c_size_t), ("fast", c_bool)]


class gbv_measure_info(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("variants", c_char_p), ("needs", c_uint),
                ("cost", c_char_p), ("blind_to", c_char_p), ("joint", c_char_p), ("resampled", c_char_p)]


MIRRORED = (gbv_error, gbv_matrix, gbv_image_shape, gbv_read_options, gbv_annotation_options, gbv_progress,
            gbv_model_options, gbv_epoch, gbv_value_options, gbv_compare_options, gbv_update_options,
            gbv_ledger_summary, gbv_history_options, gbv_page_options, gbv_operator, gbv_augmentor,
            gbv_augment_options, gbv_measure_input, gbv_measure_info)

_ERROR = POINTER(gbv_error)
_READ = POINTER(gbv_read_options)
_ANNOTATION = POINTER(gbv_annotation_options)
_OUT = POINTER(c_void_p)
_TEXTS = POINTER(c_char_p)
_PAGE = POINTER(gbv_page_options)
# Functions: what they return and take. Those that return c_int return a gbv_status and take a gbv_error last.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "gbv_version": (c_char_p, []),
    "gbv_blas_core": (c_char_p, []),
    "gbv_dataset_read": (c_int, [c_char_p, _READ, _OUT, _ERROR]),
    "gbv_dataset_create": (c_int, [c_char_p, gbv_matrix, c_void_p, _TEXTS, c_size_t, _OUT, _ERROR]),
    "gbv_dataset_name_features": (c_int, [c_void_p, _TEXTS, _ERROR]),
    "gbv_dataset_set_images": (c_int, [c_void_p, gbv_image_shape, _ERROR]),
    "gbv_dataset_free": (None, [c_void_p]),
    "gbv_dataset_features": (POINTER(gbv_matrix), [c_void_p]),
    "gbv_dataset_rows": (c_size_t, [c_void_p]),
    "gbv_dataset_class_count": (c_size_t, [c_void_p]),
    "gbv_dataset_class_name": (c_char_p, [c_void_p, c_size_t]),
    "gbv_dataset_labels": (POINTER(c_int32), [c_void_p]),
    "gbv_sources_create": (c_void_p, []),
    "gbv_sources_free": (None, [c_void_p]),
    "gbv_sources_add_file": (c_int, [c_void_p, c_char_p, c_char_p, _READ, _ERROR]),
    "gbv_sources_add_folder": (c_int, [c_void_p, c_char_p, _READ, _ERROR]),
    "gbv_sources_add_table": (c_int, [c_void_p, c_char_p, _READ, _ERROR]),
    "gbv_sources_add_dataset": (c_int, [c_void_p, c_char_p, c_void_p, _ERROR]),
    "gbv_sources_add_grouped": (c_int, [c_void_p, c_void_p, c_void_p, _TEXTS, c_size_t, _ERROR]),
    "gbv_sources_add_probabilities": (c_int, [c_void_p, c_char_p, gbv_matrix, _TEXTS, _ERROR]),
    "gbv_sources_add_probabilities_file": (c_int, [c_void_p, c_char_p, c_char_p, _READ, _ERROR]),
    "gbv_sources_add_annotations": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, _ANNOTATION, _ERROR]),
    "gbv_sources_count": (c_size_t, [c_void_p]),
    "gbv_sources_name": (c_char_p, [c_void_p, c_size_t]),
    "gbv_sources_rows": (c_size_t, [c_void_p, c_size_t]),
    "gbv_sources_dataset": (c_void_p, [c_void_p, c_size_t]),
    "gbv_sources_row_index": (POINTER(c_size_t), [c_void_p, c_size_t]),
    "gbv_sources_read_numbers": (c_int, [c_void_p, c_char_p, POINTER(c_double), _ERROR]),
    "gbv_sources_map_classes": (c_int, [c_void_p, c_char_p, _ERROR]),
    "gbv_annotations_read": (c_int, [c_char_p, _ANNOTATION, _OUT, _ERROR]),
    "gbv_annotations_free": (None, [c_void_p]),
    "gbv_annotations_gold_count": (c_size_t, [c_void_p]),
    "gbv_dataset_from_gold": (c_int, [c_void_p, c_void_p, c_void_p, _ANNOTATION, _OUT, _ERROR]),
    "gbv_progress_note": (c_bool, [c_void_p, c_char_p, c_size_t, c_size_t]),
    "gbv_value_defaults": (gbv_value_options, []),
    "gbv_value": (c_int, [c_void_p, c_void_p, POINTER(gbv_value_options), _OUT, _ERROR]),
    "gbv_result_text": (c_int, [c_void_p, c_int, _OUT, _ERROR]),
    "gbv_result_free": (None, [c_void_p]),
    "gbv_compare_defaults": (gbv_compare_options, []),
    "gbv_compare": (c_int, [c_void_p, c_void_p, POINTER(gbv_compare_options), _OUT, _ERROR]),
    "gbv_comparison_text": (c_int, [c_void_p, c_int, _OUT, _ERROR]),
    "gbv_comparison_free": (None, [c_void_p]),
    "gbv_result_read": (c_int, [c_char_p, _OUT, _ERROR]),
    "gbv_result_page": (c_int, [c_void_p, _PAGE, c_char_p, _ERROR]),
    "gbv_comparison_read": (c_int, [c_char_p, _OUT, _ERROR]),
    "gbv_comparison_page": (c_int, [c_void_p, _PAGE, c_char_p, _ERROR]),
    "gbv_ledger_open": (c_int, [c_char_p, c_int, _OUT, _ERROR]),
    "gbv_ledger_close": (None, [c_void_p]),
    "gbv_ledger_update": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(gbv_value_options),
                                  POINTER(gbv_update_options), _OUT, _ERROR]),
    "gbv_ledger_prior": (c_int, [c_void_p, _TEXTS, c_size_t, POINTER(c_double), POINTER(c_double), _ERROR]),
    "gbv_ledger_undo": (c_int, [c_void_p, c_int64, _OUT, _ERROR]),
    "gbv_ledger_verify": (c_int, [c_void_p, c_char_p, POINTER(gbv_ledger_summary), _ERROR]),
    "gbv_ledger_history": (c_int, [c_void_p, POINTER(gbv_history_options), _OUT, _ERROR]),
    "gbv_history_text": (c_int, [c_void_p, c_int, _OUT, _ERROR]),
    "gbv_history_page": (c_int, [c_void_p, c_void_p, _PAGE, c_char_p, _ERROR]),
    "gbv_history_free": (None, [c_void_p]),
    "gbv_text_free": (None, [c_void_p]),
    "gbv_measure_at": (POINTER(gbv_measure_info), [c_size_t]),
    "gbv_measure": (c_int, [c_char_p, c_char_p, POINTER(gbv_measure_input), POINTER(c_double), POINTER(c_double),
                            _ERROR]),
    "gbv_augment_defaults": (gbv_augment_options, []),
    "gbv_augment": (c_int, [c_void_p, POINTER(gbv_augment_options), _OUT, _ERROR]),
    "gbv_augment_apply": (c_int, [c_char_p, c_double, c_uint64, c_size_t, c_size_t, c_size_t, c_void_p, c_void_p,
                                  _ERROR]),
    "gbv_operator_find": (POINTER(gbv_operator), [c_char_p]),
    "gbv_policy_free": (None, [c_void_p]),
    "gbv_policy_report": (c_int, [c_void_p, c_int, c_char_p, _ERROR]),
    "gbv_policy_page": (c_int, [c_void_p, _PAGE, c_char_p, _ERROR]),
    "gbv_policy_read": (c_int, [c_char_p, _OUT, _ERROR]),
    "gbv_policy_draw": (gbv_augmentor, [c_void_p, c_uint64, c_size_t, c_uint64]),
    "gbv_policy_export": (c_int, [c_void_p, c_char_p, c_char_p, _ERROR]),
    "gbv_policy_export_note": (c_char_p, [c_void_p, c_char_p, c_size_t]),
    "gbv_result_export": (c_int, [c_void_p, c_char_p, c_char_p, _ERROR]),
    "gbv_cache_folder": (c_char_p, []),
    "gbv_model_defaults": (gbv_model_options, []),
    "gbv_train": (c_int, [c_void_p, POINTER(c_double), POINTER(gbv_model_options), _OUT, _ERROR]),
    "gbv_model_free": (None, [c_void_p]),
    "gbv_model_write": (c_int, [c_void_p, c_char_p, _ERROR]),
    "gbv_model_read": (c_int, [c_char_p, _OUT, _ERROR]),
    "gbv_model_read_pretrained": (c_int, [c_char_p, c_char_p, _OUT, _ERROR]),
    "gbv_model_run_with": (c_int, [c_void_p, c_char_p, c_size_t, _ERROR]),
    "gbv_model_prepare_images": (None, [c_void_p, _READ]),
    "gbv_model_note": (c_char_p, [c_void_p]),
    "gbv_model_feature_count": (c_size_t, [c_void_p]),
    "gbv_model_kind": (c_char_p, [c_void_p]),
    "gbv_model_inputs": (c_size_t, [c_void_p]),
    "gbv_model_class_count": (c_size_t, [c_void_p]),
    "gbv_model_class_name": (c_char_p, [c_void_p, c_size_t]),
    "gbv_predict": (c_int, [c_void_p, c_void_p, c_void_p, _ERROR]),
    "gbv_features": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, _ERROR]),
}


def _declare(opened: ctypes.CDLL) -> ctypes.CDLL:
    for name, (returns, takes) in _FUNCTIONS.items():
        function = getattr(opened, name)
        function.restype, function.argtypes = returns, takes
    return opened


def _open(path: str) -> ctypes.CDLL:
    """Loads the library with kernels that suit the processor.

    OpenBLAS chooses its kernels when it is loaded, and an old one takes slow ones for a processor it does not know. The
    command-line program then starts over with OPENBLAS_CORETYPE set; here the library is loaded, asked, let go and
    loaded again, so that both compute with the same kernels and give the same bits. The variable is taken back at
    once: it is not meant for other libraries' OpenBLAS. Where a NumPy that uses the very same file was imported first
    (Debian's, not PyPI's; never with the wheel's own copy) OpenBLAS stays loaded as it is: slower, and as right.
    """
    opened = _declare(ctypes.CDLL(path))
    core = None if "OPENBLAS_CORETYPE" in os.environ else opened.gbv_blas_core()
    if core:
        os.environ["OPENBLAS_CORETYPE"] = core.decode()
        try:
            ctypes_inside: Any = _ctypes
            ctypes_inside.dlclose(opened._handle)
            opened = _declare(ctypes.CDLL(path))
        finally:
            del os.environ["OPENBLAS_CORETYPE"]
    return opened


def _load() -> ctypes.CDLL:
    bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libgbv.so")
    path = bundled if os.path.exists(bundled) else os.environ.get("GBV_LIBRARY", "libgbv.so.0")
    try:
        opened = _open(path)
    except (OSError, AttributeError) as problem:
        raise ImportError(f"the library of gbv cannot be loaded ({problem}): install the wheel made by `make python`, "
                          f"run `make install`, or name libgbv.so in GBV_LIBRARY") from None
    version = opened.gbv_version().decode()
    if version != __version__:
        raise ImportError(f"{path} is version {version} of gbv, the package is version {__version__}: install both "
                          f"from one release")
    return opened


# The library without errors and without waiting: for calls that take no time.
library = _load()

_STOP_WAIT_SECONDS = 0.5
_LOOK_SECONDS = 0.1


def _start_worker() -> None:
    """One thread calls the library, one call after the other, while the caller's thread waits with the GIL released.

    - Signals: Python handles Ctrl-C in the main thread only, between two of its instructions. It waits here, so
      KeyboardInterrupt is raised at once, wherever the library's own threads are. The run is told to stop; if it does
      not within half a second, it is left to end by itself.
    - What the library borrows or returns is freed by the same thread, hence never while a call that was left is using
      it.
    - BLAS's number of threads belongs to the whole process: two runs at once would take it from each other.
    - The threads of OpenMP belong to the thread that calls; a process that forks is not left with broken ones.
    """
    global _worker
    _worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gbv")


_worker: ThreadPoolExecutor
_start_worker()
os.register_at_fork(after_in_child=_start_worker)


class Handle:
    """Something that belongs to the library, freed when nobody holds it any more.

    `keep` holds what it borrows: NumPy arrays, texts. `give_up()` after the library has taken it over.
    """

    def __init__(self, free: str) -> None:
        self.pointer = c_void_p()
        self.keep: list[Any] = []
        self._finalizer = weakref.finalize(self, _free_later, free, self.pointer, self.keep)
        self._finalizer.atexit = False

    def give_up(self) -> None:
        self._finalizer.detach()


def _free_later(free: str, pointer: c_void_p, keep: list[Any]) -> None:
    # `pointer` is looked at by the worker, when a call that still had to fill it is over.
    try:
        _worker.submit(lambda: (getattr(library, free)(pointer), keep))
    except RuntimeError:
        pass  # the interpreter is going


Progress = Optional[Callable[[int, int], Any]]


@dataclass(frozen=True)
class Epoch:
    """What one epoch of a network's training came to, for `on_epoch`."""

    subject: str
    """The source whose model it is, or "final"."""
    epoch: int
    """From 1."""
    epochs: int
    loss: float
    """The mean over the epoch's rows, weighted."""
    held_out_loss: float
    """Of the rows held out of training; nan without any."""
    held_out_accuracy: float
    best: bool
    """The best so far by the held-out rows."""
    learning_rate: float
    seconds: float
    rows: int


OnEpoch = Optional[Callable[[Epoch], Any]]
_EPOCH_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, POINTER(gbv_epoch))


class Watch:
    """What a run tells whoever waits for it. The library's threads only leave word here; the callbacks are called by
    the thread that waits, so that they may do anything, fail included, and Ctrl-C comes through."""

    def __init__(self, progress: Progress = None, on_epoch: OnEpoch = None) -> None:
        self.note = gbv_progress()
        self._progress, self._on_epoch = progress, on_epoch
        self._epochs: deque[Epoch] = deque()
        self._hear: Any = None

    def over(self, options: gbv_model_options) -> Watch:
        options.progress, options.context = self.callback, self.context
        if self._on_epoch is not None:
            self._hear = _EPOCH_CALLBACK(self._keep_epoch)
            options.on_epoch = ctypes.cast(self._hear, c_void_p)
        return self

    @property
    def callback(self) -> c_void_p:
        return ctypes.cast(library.gbv_progress_note, c_void_p)

    @property
    def context(self) -> int:
        return ctypes.addressof(self.note)

    def _keep_epoch(self, context: Any, pointer: Any) -> None:
        told = pointer.contents
        self._epochs.append(Epoch(told.subject.decode(errors="replace"),
                                  *(getattr(told, name) for name, *_ in gbv_epoch._fields_[1:-1])))

    def look(self, over: bool = False) -> None:
        while self._epochs:
            epoch = self._epochs.popleft()
            if self._on_epoch is not None and self._on_epoch(epoch) and not over:
                raise InterruptedRun("the on_epoch callback asked to stop")
        if self._progress is not None and (self.note.total or not over):
            if self._progress(self.note.done, self.note.total) and not over:
                raise InterruptedRun("the progress callback asked to stop")


def call(name: str, *arguments: Any, keep: Any = None, watch: Optional[Watch] = None) -> None:
    """Calls a function that returns a gbv_status; a failure becomes an exception.

    `keep` is held until the call is over, even when this function has been interrupted. `watch` is what the options of
    the call point to; its callbacks hear of the run about ten times a second, in this thread.
    """
    error = gbv_error()
    function = getattr(library, name)

    def work(keep: Any = (keep, watch)) -> int:
        return int(function(*arguments, byref(error)))

    future: Future[int] = _worker.submit(work)
    try:
        while not wait([future], timeout=_LOOK_SECONDS).done:
            if watch is not None:
                watch.look()
        if watch is not None:
            watch.look(over=True)
    except BaseException:
        if watch is not None:
            watch.note.stop = True
        future.cancel()
        wait([future], timeout=_STOP_WAIT_SECONDS)
        raise
    status = future.result()
    if status != CONSTANTS["GBV_OK"]:
        raise error_of(status, error.message.decode(errors="replace"))


def texts(items: list[bytes]) -> Any:
    """A C array of texts."""
    return (c_char_p * len(items))(*items)
