"""What experiments share that run the program: commands, work that is kept, data sets, final models, tables."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import data  # noqa: E402

FASHION = "/usr/share/datasets/fashion-mnist"
SETS = {"cifar10": "CIFAR-10", "cub": "CUB-200-2011", "fashion": "Fashion-MNIST"}
NORMALISE = {"cifar10": "half", "cub": "imagenet", "fashion": "half"}
MEASURES = {"best": "best epoch, whole test set", "last": "last epoch, test without D*"}


class Refused(Exception):
    """A command failed; its sentence."""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def flags(options):
    return [word for name, value in options.items() for word in (f"--{name}", value)]


def kept(path, make):
    """What `make` returns, from the file when an earlier run left it there."""
    if not path.exists():
        text = json.dumps(make())
        part = path.with_suffix(".part")
        part.write_text(text)
        part.rename(path)
    return json.loads(path.read_text())


def check_work(work, settings):
    """A folder of another run would give a mixture."""
    work.mkdir(parents=True, exist_ok=True)
    if kept(work / "settings.json", lambda: settings) != json.loads(json.dumps(settings)):
        sys.exit(f"{work}: holds a run with other settings: remove it, or name another folder")


def thin(path, per_class, out, seed):
    """Some rows of each class of what the labels say, in their order; per_class None: the file itself."""
    if out.exists():
        return
    if not per_class:
        out.symlink_to(path.resolve())
        return
    import numpy
    random = numpy.random.default_rng([seed, *path.name.encode()])
    with numpy.load(path) as arrays:
        x, y = arrays["x"], arrays["y"]
    by_class = (numpy.flatnonzero(y == name) for name in numpy.unique(y))
    rows = numpy.sort(numpy.concatenate([random.permutation(rows)[:per_class] for rows in by_class]))
    part = out.with_suffix(".part.npz")
    numpy.savez(part, x=x[rows], y=y[rows])
    part.rename(out)


def inputs(dataset):
    """The training and the test set as dataset arguments, and options by which their images are read."""
    if dataset == "fashion":
        return [f"{FASHION}/{part}-images-idx3-ubyte.gz,{FASHION}/{part}-labels-idx1-ubyte.gz"
                for part in ("train", "t10k")], ()
    reading = ()
    if dataset == "cifar10":
        folder = data.find(data.CIFAR)
    elif folder := data.find(data.CUB):
        reading = ("--preprocess", "imagenet")
    else:
        folder = data.find(data.CUB_224)
    if not folder:
        sys.exit(f"{SETS[dataset]} is not in {' or '.join(map(str, data.places()))}: run make data first")
    parts = ("data_batch_*.bin", "test_batch.bin") if dataset == "cifar10" else ("train", "test")
    return [str(folder / part) for part in parts], reading


def found_weights(model):
    """Files of weights of a network in the data folders."""
    return [path for place in data.places() for path in sorted(place.glob(f"{model}*.safetensors"))]


def pretrained(model, given):
    """Options that start a network from weights: the file named, or one in the data folders; none for small models."""
    if given == "none" or (not given and not model.startswith("resnet")):
        return ()
    if given:
        return ("--pretrained", given)
    found = found_weights(model)
    if not found:
        sys.exit(f"no weights of {model} in {' or '.join(map(str, data.places()))}: put a file {model}*.safetensors "
                 "there, or name one with --pretrained FILE (or none, for random first weights)")
    return ("--pretrained", str(found[0]))


def train(gbv, name, weights, sources, options, tested, threads):
    """A final model by the weights of the annotators, as NAME.safetensors. What it reaches: the best epoch on the whole
    test set, and the last one on what is not in D*. `tested` is the folder with reference.npz and test.npz."""
    table, model, metrics = (name.with_suffix(ending) for ending in (".csv", ".safetensors", ".jsonl"))
    lines = [f"annotator-{i},{weight!r}" for i, weight in enumerate(weights)]
    table.write_text("\n".join(["source,weight", *lines]) + "\n")
    whole = tested / "[rt]e*.npz"  # reference.npz and test.npz
    run(gbv, "train", "--source-weights", table, *sources, *options, "--test", whole, "--metrics", metrics, "--threads",
        threads, "--progress", "off", "-o", model)
    return {"best": max(test_accuracies(metrics) or [evaluate(gbv, model, whole)]),
            "last": evaluate(gbv, model, tested / "test.npz")}


def test_accuracies(metrics):
    """Of a final network after each epoch, from what gbv train --metrics wrote; none for other models."""
    lines = [json.loads(line) for line in metrics.read_text().splitlines() if line.startswith("{\"")]
    return [line["test_accuracy"] for line in lines if "test_accuracy" in line]


def evaluate(gbv, model, rows):
    return json.loads(run(gbv, "evaluate", model, rows, "--format", "json"))["accuracy"]


def threads_for(jobs):
    """Of each command, when so many run at once."""
    return max(1, os.cpu_count() // jobs)


def asking(description):
    """A parser with the options that all experiments with final models have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="small", choices=("paper", "small", "tiny"))
    parser.add_argument("--seeds", type=int, help="default: the scale's; 5 in the paper")
    parser.add_argument("--model", help="default: the scale's")
    parser.add_argument("--pretrained", help="weights to start from (default: MODEL*.safetensors in the data folders)")
    parser.add_argument("--gbv", default="build/gbv")
    parser.add_argument("--work", type=pathlib.Path, help="a folder to keep what is done in (default: a temporary one)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="final models trained at once (default: one "
                        "for each core)")
    return parser


def answers(parser):
    asked = parser.parse_args()
    for name in ("seeds", "jobs"):
        if getattr(asked, name) is not None and getattr(asked, name) < 1:
            parser.error(f"--{name} is {getattr(asked, name)}; expected 1 or more")
    return asked


def leave_by(main):
    """Runs it as a program: a refusal is a sentence, an interruption no traceback."""
    try:
        sys.exit(main())
    except Refused as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


def mean_and_error(values):
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return statistics.mean(values), error


def show(values):
    mean, error = mean_and_error([100 * value for value in values])
    return f"{mean:.2f}" + (f" ± {error:.2f}" if error is not None else "")
