"""What is run: the paper's protocols (section 6.1 and its appendix), smaller ones, and the numbers the paper prints."""

import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import NORMALISE  # noqa: E402

TAUS = (0.01, 0.05, 0.1, 0.5, 1)

# Table 1 of the paper: test accuracy in per cent and its standard error, 5 seeds
PUBLISHED = {
    "cifar10": {"uniform": (74.37, 0.23), "davinz": (74.82, 0.62), "lava": (74.74, 0.91), "cmmd": (75.95, 0.91),
                "quick": (77.94, 0.08), "best": (78.32, 0.38)},
    "cub": {"uniform": (52.45, 0.85), "davinz": (52.06, 0.38), "cmmd": (52.62, 0.80), "quick": (57.58, 0.96),
            "best": (58.08, 0.32)},
    "fashion": {},
}
# its correlations of P(s) with the test accuracy of m_s
PUBLISHED_CORRELATIONS = {"cifar10": {"cmmd": 0.99, "logme": 0.99}, "cub": {"cmmd": 0.93, "logme": 0.98}, "fashion": {}}


@dataclasses.dataclass
class Protocol:
    model: str
    noise: list  # of each annotator
    reference_per_class: int
    seeds: int
    sample_per_class: int = None  # rows of each (noisy) class of D_s; None: all that the annotator labelled
    per_class: int = None  # rows of each class that an annotator labels; None: the training set is shared out
    classes: int = None  # None: all
    judges_tau: bool = True  # also --tau auto, which trains sixteen more final models
    test_per_class: int = None  # rows of each class that are tested on beside D*; None: all
    reading: tuple = ()  # options by which image files are read
    source: dict = dataclasses.field(default_factory=dict)  # options of m_s
    final: dict = dataclasses.field(default_factory=dict)  # options of the final model that differ from those


def noise(count):
    return [i / count for i in range(count)]


def protocol(dataset, scale):
    """What the paper does; less of the same on two cores; as little as a test takes."""
    five = {"noise": noise(5), "reference_per_class": 100}
    three = {"noise": noise(3), "reference_per_class": 10}
    adam = {"optimizer": "adam", "normalise": NORMALISE[dataset], "held-out": 0}
    rate = 1e-3 if dataset == "fashion" else 1e-4  # from random weights 1e-4 gets nowhere in ten epochs
    paper = {"seeds": 5,
             "source": {**adam, "learning-rate": rate, "schedule": "constant", "epochs": 10, "batch-size": 32},
             "final": {"schedule": "paper", "epochs": 40}}
    adam |= {"learning-rate": 1e-3, "schedule": "linear", "batch-size": 32}  # gets further in a few epochs
    chosen = {
        ("cifar10", "paper"): Protocol("resnet18", **five, sample_per_class=100, **paper),
        ("cub", "paper"): Protocol("resnet34", **three, **paper),
        ("fashion", "paper"): Protocol("cnn", **five, sample_per_class=100, per_class=1000, **paper),
        ("cifar10", "small"): Protocol(
            "resnet18", **five, seeds=2, sample_per_class=100, per_class=100, test_per_class=100, judges_tau=False,
            source={**paper["source"], "epochs": 10}, final={"epochs": 6}),
        ("cub", "small"): Protocol(
            "resnet18", **three, seeds=2, classes=10, test_per_class=10, reading=("--resize", "96"),
            source={**adam, "learning-rate": 3e-4, "batch-size": 8, "epochs": 4}, final={"epochs": 3}),
        ("fashion", "small"): Protocol(
            "cnn", **five, seeds=3, sample_per_class=50, per_class=100, test_per_class=100,
            source={**adam, "epochs": 10}, final={"epochs": 8}),
        ("fashion", "tiny"): Protocol(
            "linear", noise(5), 20, 1, sample_per_class=20, per_class=30, test_per_class=50),
    }
    return chosen.get((dataset, scale))
