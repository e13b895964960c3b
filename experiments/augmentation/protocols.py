"""What is run at which scale, what the paper published, and where its text and its authors' program differ."""

import dataclasses

NAMED = {"none": "no augmentation", "autoaugment": "AutoAugment", "randaugment": "RandAugment",
         "trivialaugment": "TrivialAugment", "entaugment": "EntAugment", "sra": "SRA"}
METHODS = {**NAMED, "gbv-quick": "GBV (quick tau)", "gbv-best": "GBV (best tau)"}
TAUS = (0.01, 0.05, 0.1, 0.5, 1)
PAPER_MODEL = "resnet34"
# Table 2, test accuracy in per cent and its standard error over five seeds
PUBLISHED = {
    "cub": {"autoaugment": (67.30, 0.39), "randaugment": (67.73, 0.23), "trivialaugment": (69.43, 0.49),
            "entaugment": (72.38, 0.40), "sra": (66.53, 0.42), "gbv-quick": (73.24, 0.39), "gbv-best": (73.92, 0.31)},
    "dogs": {"autoaugment": (65.64, 0.58), "randaugment": (67.12, 0.31), "trivialaugment": (67.64, 0.23),
             "entaugment": (72.17, 0.27), "sra": (66.26, 0.42), "gbv-quick": (73.16, 0.43), "gbv-best": (73.20, 0.26)},
}
# The table of universal models: CUB-200-2011, three runs
PUBLISHED_UNIVERSAL = {"ResNet-34 (ImageNet), as in the table above": (73.24, 0.39),
                       "ResNet-50 (ImageNet)": (74.45, 0.16), "ViT-S/16 (DINOv3)": (73.99, 0.60),
                       "ViT-Base (CLIP)": (74.80, 0.30)}
UNIVERSAL_RUNS = 3


@dataclasses.dataclass
class Protocol:
    models: tuple  # of the final model and m^u: the first of them that there are weights of
    universal: tuple  # further m^u, for the table of universal models
    seeds: int
    training: dict  # options of the final model
    classes: int = None  # the first ones by name; None: all
    held_out: float = 0.2  # share of the training images of each class by which tau is chosen
    resize: int = None  # pixels a side; None: 224, as the paper
    schedules: dict = dataclasses.field(default_factory=dict)  # of methods that have their own
    counted: bool = True  # the data set must have the number of images that its authors give


def protocol(scale):
    """What the paper does; less of the same on two cores; as little as a test takes."""
    training = {"optimizer": "adam", "learning-rate": 1e-4, "batch-size": 8, "schedule": "paper", "held-out": 0,
                "normalise": "imagenet"}
    return {
        "paper": Protocol(("resnet34", "resnet18"), ("resnet50",), 5, {**training, "epochs": 100},
                          schedules={"sra": "paper-late"}),
        "small": Protocol(("resnet18",), ("resnet50",), 3, {**training, "epochs": 5}, classes=20, resize=96,
                          schedules={"sra": "paper-late"}),
        "tiny": Protocol(("cnn",), (), 1, {"batch-size": 8, "learning-rate": 1e-3, "epochs": 1, "held-out": 0},
                         resize=24, counted=False),
    }[scale]


def differences(options, variant):
    """Where the paper's text and the released program disagree as far as it touches this experiment, and what was
    done here. `options` are those of gbv augment, `variant` of the policies by name."""
    grid = options["grid"]
    noise = options.get("noise", grid)
    top = f"the {options['top-k']} best magnitudes of each operator" if "top-k" in options else "all 68"
    space = "in their authors' own spaces" if variant == "paper" else "from the program's magnitudes"
    return [
        "Magnitudes: in the program translations reach 101 of 224 pixels, not 32, posterisation keeps 4 to 8 bits, not "
        "2 to 8, solarisation begins at 255, not 256, most operators get their sign by a coin, and enhancement factors "
        f"are the magnitude itself, negative ones too. Here: GBV draws from the {grid}'s grid (--grid).",
        "Baselines: in the text and in the program all but AutoAugment draw from the same 16 operators as GBV instead "
        f"of their authors' own spaces. Here: they draw {space} (--variant), whatever --grid says.",
        "Gaussian noise: the program adds it to normalised pixels and cuts these to 0..1. Here: GBV's is the "
        f"{noise}'s (--noise).",
        "Augmentors that are weighed: all 68 in the text; in the program the two best magnitudes of each operator, 29 "
        f"in all. Here: {top} (--top-k).",
        "Measure and universal model: LEEP and ResNet-34 in the text; the program's defaults are LogME and ResNet-50. "
        f"Here: {options.get('measure', 'leep')} (--measure).",
        "LEEP's probabilities: the program's come from a head of random numbers; here from the head that the weights "
        "were trained with.",
        "Tau: the quick one multiplies scores by log2 of their number in the text; the program standardises the scores "
        f"and divides by it. Here: {options.get('tau', 'quick')} (--tau).",
        "The best tau: the paper chooses it by test accuracy; here by held-out training images.",
        "Test images: the program resizes and crops them twice. Here: once.",
        "SRA: the program trains it from random weights; the text says that final models are fine-tuned. Here: from "
        "the same weights as the others, with the program's later fall of the rate.",
        "The table of universal models: its ResNet-50 is, in the program, a ResNet-50-D trained on ImageNet-12k, "
        "scored by LogME.",
    ]
