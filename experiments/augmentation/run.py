#!/usr/bin/env python3
"""The paper's experiment with data augmentation (its section 6.2): what do final models reach by each way of changing
the training images?

    experiments/augmentation/run.py [--dataset cub|dogs] [--data FOLDER] [--scale paper|small|tiny] [--only METHOD,...]
                                    [--seeds N] [--dry-run] [--work FOLDER] [--gbv build/gbv] [--jobs N]
                                    [--model NAME] [--pretrained FILE|none] and, passed on to gbv, [--measure NAME]
                                    [--grid G] [--noise N] [--tau quick|code|VALUE] [--top-k K] [--variant code|paper]

The augmentors are scored with a pretrained network on the training images (gbv augment), and a final model is trained
on these, changed by the policy that comes of it or by another method (gbv train --policy). Prints the accuracies beside
the published ones. With --work, what is done is kept there and an interrupted run goes on; another --only adds to it.
"""

import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import resource
import shlex
import statistics
import sys
import tempfile
import time

import layouts
import protocols
import common  # after layouts, which knows where it is
from common import check_work, flags, kept, run, show
from protocols import METHODS, TAUS

MEASURES = {"last": "last epoch", "best": "best epoch"}


class Experiment:
    """The images of one data set, the policies made from them, and the final models."""

    def __init__(self, asked, protocol, work):
        self.asked, self.protocol, self.work = asked, protocol, work
        self.best, self.held = "BEST", None  # the tau that was chosen, and what each reached on held-out rows

    def prepare(self, images):
        """train/ and test/, and for each seed what tau is chosen by: fit/ and held/."""
        for part, folder in ((part, self.work / part) for part in layouts.PARTS):
            layouts.link(images[part], folder)
        for seed in range(1, self.asked.seeds + 1):
            (self.work / f"seed-{seed}").mkdir(exist_ok=True)
            for part, rows in zip(("fit", "held"), layouts.hold_out(images["train"], self.protocol.held_out, seed)):
                layouts.link(rows, self.work / f"seed-{seed}" / part)

    def policy_file(self, universal, tau):
        return self.work / f"policy-{universal}-{tau}.json"

    def valuation(self, universal, tau):
        """The command that makes a policy; scores are found in the cache when only tau differs."""
        model = ("--model", universal, *self.asked.universal[universal])
        return (self.asked.gbv, "augment", "--images", self.work / "train", *model, *self.asked.reading,
                *flags({**self.asked.passed, "tau": tau}), "--intervals", "off", "--cache",
                self.work / "cache", "--seed", 1, "--progress", "off", "-q", "-o", self.policy_file(universal, tau))

    def training(self, policy, seed, train, test, name):
        """The command that trains a final model, NAME.safetensors, and judges it after each epoch."""
        options = dict(self.protocol.training)
        options["schedule"] = self.protocol.schedules.get(policy, options.get("schedule"))
        variant = ("--variant", self.asked.variant) if self.varies(policy) else ()
        return (self.asked.gbv, "train", "--pooled", "--source", f"images={train}", "--policy", policy, *variant,
                "--model", self.protocol.models[0], *self.asked.weights, *self.asked.reading,
                *flags({key: value for key, value in options.items() if value is not None}), "--seed", seed, "--test",
                test, "--metrics", f"{name}.jsonl", "--threads", common.threads_for(self.asked.jobs),
                "--progress", "off", "-o", f"{name}.safetensors")

    def varies(self, policy):
        return self.asked.variant and policy in protocols.NAMED and policy != "none"

    def finals(self):
        """(method, seed) -> the command of each final model."""
        quick, main = self.asked.passed_tau, self.protocol.models[0]
        policies = {name: name for name in protocols.NAMED} | {
            "gbv-quick": self.policy_file(main, quick), "gbv-best": self.policy_file(main, self.best),
            **{f"gbv-{model}": self.policy_file(model, quick) for model in self.protocol.universal}}
        found = {}
        for method in self.asked.only:
            runs = min(self.asked.seeds, protocols.UNIVERSAL_RUNS) if method not in METHODS else self.asked.seeds
            for seed in range(1, runs + 1):
                found[method, seed] = self.training(policies[method], seed, self.work / "train", self.work / "test",
                                                    self.final_file(method, seed))
        return found

    def choices(self):
        """(tau, seed) -> the command of each model by which tau is chosen."""
        if "gbv-best" not in self.asked.only:
            return {}
        return {(tau, seed): self.training(self.policy_file(self.protocol.models[0], tau), seed,
                                           self.work / f"seed-{seed}" / "fit", self.work / f"seed-{seed}" / "held",
                                           self.held_file(tau, seed))
                for tau in TAUS for seed in range(1, self.asked.seeds + 1)}

    def valuations(self):
        """The policies that are needed: file -> command."""
        quick, main = self.asked.passed_tau, self.protocol.models[0]
        wanted = [(main, quick)] * ("gbv-quick" in self.asked.only)
        wanted += [(main, tau) for tau in TAUS if "gbv-best" in self.asked.only]
        wanted += [(model, quick) for model in self.protocol.universal if f"gbv-{model}" in self.asked.only]
        return {self.policy_file(*each): self.valuation(*each) for each in wanted}

    def final_file(self, method, seed):
        name = f"best-{self.best}" if method == "gbv-best" else method
        return self.work / f"seed-{seed}" / f"final-{name}"

    def held_file(self, tau, seed):
        return self.work / f"seed-{seed}" / f"held-{tau}"

    def train(self, name, command, words):
        """What a final model reaches, from an earlier run where there was one."""
        def make():
            run(*command)
            reached = common.test_accuracies(pathlib.Path(f"{name}.jsonl"))
            pathlib.Path(f"{name}.safetensors").unlink()
            return {"best": max(reached), "last": reached[-1], "epochs": reached}
        result = kept(pathlib.Path(f"{name}.json"), make)
        print(f"{words}: last {result['last']:.4f}, best {result['best']:.4f}", file=sys.stderr, flush=True)

    def run(self):
        for path, command in self.valuations().items():
            if not path.exists():
                print(f"{path.stem}: scoring augmentors", file=sys.stderr, flush=True)
                run(*command)
        self.train_all([(self.held_file(*each), command, f"seed {each[1]}, tau {each[0]}, held-out images")
                        for each, command in self.choices().items()])
        self.choose()
        self.train_all([(self.final_file(*each), command, f"seed {each[1]}, {each[0]}")
                        for each, command in self.finals().items()])

    def train_all(self, models):
        with concurrent.futures.ThreadPoolExecutor(self.asked.jobs) as pool:
            for _ in pool.map(lambda model: self.train(*model), models):
                pass

    def choose(self):
        """The tau whose models did best on held-out rows, over all seeds; the larger one of a tie. None where they
        were not trained."""
        seeds = range(1, self.asked.seeds + 1)
        results = {tau: read_results(self.held_file(tau, seed) for seed in seeds) for tau in TAUS}
        if all(results.values()):
            self.held = {tau: [each["last"] for each in found] for tau, found in results.items()}
            self.best = max(TAUS, key=lambda tau: (statistics.mean(self.held[tau]), tau))

    def results(self, method, runs):
        """What final models reached, those of earlier runs, too; None where a seed is missing."""
        return read_results(self.final_file(method, seed) for seed in range(1, runs + 1))


def read_results(names):
    files = [pathlib.Path(f"{name}.json") for name in names]
    return [json.loads(path.read_text()) for path in files] if all(path.exists() for path in files) else None


def caption(experiment, root, layout, images):
    """What was run, with all that is less than or other than the paper's."""
    asked, protocol = experiment.asked, experiment.protocol
    classes = sorted({name for name, _ in images["train"]})
    chosen = f"its first {len(classes)} classes by name ({classes[0]} to {classes[-1]})" if protocol.classes else \
        f"all {len(classes)} classes"
    kind = {"original": "the original layout", "folders": f"the prepared copy {root.name}"}[layout]
    choices = ", ".join(f"{name} {value}" for name, value in {"measure": "leep", **asked.passed}.items())
    lines = [f"{layouts.NAMES[asked.dataset]}, scale {asked.scale}: {chosen}; {len(images['train'])} images are "
             f"trained on and {len(images['test'])} tested on, from {kind}, read with {' '.join(asked.reading)}; "
             f"seeds: {asked.seeds}.",
             f"Final model: {model_words(protocol.models[0], asked.weights)}; "
             f"{', '.join(f'{name} {value}' for name, value in protocol.training.items())}.",
             f"Universal model: the same weights; augmentors scored once for all seeds, on "
             f"all {len(images['train'])} training images: {choices}."]
    if protocol.resize and protocol.resize != 224:
        pixels = "blur" if asked.grid == "code" else "translation, blur"
        lines.append(f"Magnitudes in pixels ({pixels}) are those of the paper's 224-pixel images, here on "
                     f"{protocol.resize} pixels, and so weigh more.")
    if asked.scale != "paper":
        lines.append("Fewer classes, images, pixels, epochs and seeds than the paper's: its numbers are there for "
                     "their order, not their height.")
    return "\n".join(lines)


def model_words(model, weights):
    """A network and its weights, and what they stand in for."""
    words = f"{model} from {pathlib.Path(weights[1]).name}" if weights else f"{model} from random numbers"
    if model != protocols.PAPER_MODEL:
        words += ", which stands in for the paper's ResNet-34 (ImageNet)"
    if weights and "restored" in weights[1]:
        words += " and was partly rebuilt, by distillation with images of this set among others, without their labels"
    return words


def row(name, results, published):
    """A line of a table."""
    reached = " | ".join(show([each[how] for each in results]) for how in MEASURES) if results else "– | –"
    return f"| {name} | {reached} | {'%.2f ± %.2f' % published if published else '–'} |"


def report(experiment):
    """The paper's table 2, how tau was chosen, the table of universal models, and the policy itself."""
    asked, protocol = experiment.asked, experiment.protocol
    names = dict(METHODS)
    if asked.passed_tau != "quick":
        names["gbv-quick"] = f"GBV (tau {asked.passed_tau})"
    if experiment.held:
        names["gbv-best"] = f"GBV (best tau: {experiment.best:g})"
    print("\nTest accuracy in per cent, mean ± standard error over seeds:\n\n| method | "
          f"{' | '.join(MEASURES.values())} | published (ResNet-34, whole set, five seeds) |\n|---|---|---|---|")
    for method, name in names.items():
        print(row(name, experiment.results(method, asked.seeds), protocols.PUBLISHED[asked.dataset].get(method)))
    report_differences(experiment, names)
    if experiment.held:
        print(f"\nThe best tau was chosen by the last epoch on {protocol.held_out:.0%} of the training images, held "
              "out from models that were trained on the others (the scores are those of all); the paper chose it by "
              f"test accuracy, and its best is 0.05. Held out:\n\n| tau | {MEASURES['last']} |\n|---|---|")
        for tau, reached in experiment.held.items():
            print(f"| {tau:g} | {show(reached)} |")
    if asked.dataset == "cub":
        report_universal(experiment)
    report_policy(experiment)
    print("\nWhere the paper's text and its authors' program differ, and what was done here:\n")
    for line in protocols.differences({**asked.passed, "tau": asked.passed_tau}, asked.variant):
        print(f"- {line}")


def report_differences(experiment, names):
    """How far GBV is from each other method, seed by seed: what the table's errors, each on its own, do not say."""
    results = {method: experiment.results(method, experiment.asked.seeds) for method in names}
    if not results["gbv-quick"]:
        return
    lines = [f"{names[method]} {show_difference(results['gbv-quick'], found)}"
             for method, found in results.items() if found and method != "gbv-quick"]
    if lines:
        print(f"\n{names['gbv-quick']} is above (+) or below (-) the others by, in points at the last epoch, mean ± "
              f"standard error of the differences by seed: {'; '.join(lines)}.")


def show_difference(ours, theirs):
    mean, error = common.mean_and_error([100 * (a["last"] - b["last"]) for a, b in zip(ours, theirs)])
    return f"{mean:+.2f}" + (f" ± {error:.2f}" if error is not None else "")


def report_universal(experiment):
    """The paper's table of universal models; those that are transformers are not here."""
    asked, protocol = experiment.asked, experiment.protocol
    runs = min(asked.seeds, protocols.UNIVERSAL_RUNS)
    methods = [(protocol.models[0], "gbv-quick"), *((model, f"gbv-{model}") for model in protocol.universal)]
    here = dict(zip(protocols.PUBLISHED_UNIVERSAL, methods))  # both begin with the main one, then ResNet-50
    print(f"\nGBV (tau {asked.passed_tau}) by several universal models, final model as above; seeds: {runs}:\n\n"
          f"| the paper's m^u | what stands in for it | {' | '.join(MEASURES.values())} | published (three seeds) |\n"
          "|---|---|---|---|---|")
    for name, published in protocols.PUBLISHED_UNIVERSAL.items():
        model, method = here.get(name, (None, None))
        file = pathlib.Path(asked.universal[model][1]).name if model and asked.universal[model] else model
        results = experiment.results(method, runs) if method else None
        print(row(f"{name} | {file or 'not run: no such network or weights'}", results, published))


def report_policy(experiment):
    """What the augmentors are worth by each universal model."""
    asked, protocol = experiment.asked, experiment.protocol
    for model in (protocol.models[0], *protocol.universal):
        path = experiment.policy_file(model, asked.passed_tau)
        if not path.exists():
            continue
        policy = json.loads(path.read_text())
        share = collections.Counter()
        for each in policy["augmentors"]:
            share[each["op"]] += each["probability"]
        ordered = sorted(policy["augmentors"], key=lambda each: -each["probability"])
        ends = [", ".join(f"{each['op']} {'±' * (each['sign'] == 'coin')}{each['magnitude']:g} "
                          f"({each['probability']:.3f})" for each in part) for part in (ordered[:3], ordered[-3:])]
        print(f"\nThe policy by {model} (tau {asked.passed_tau}): {len(ordered)} augmentors, as uneven as "
              f"{policy['effective_augmentors']:.1f} equal ones. Most often {ends[0]}; least {ends[1]}. By operator: "
              + ", ".join(f"{op} {p:.3f}" for op, p in share.most_common()) + ".")


def ask():
    parser = common.asking(__doc__)
    parser.add_argument("--dataset", default="cub", choices=layouts.NAMES)
    parser.add_argument("--data", type=pathlib.Path, help="the data set's folder (default: in the data folders)")
    parser.add_argument("--only", help="methods, separated by commas (default: all)")
    parser.add_argument("--dry-run", action="store_true", help="print the commands and run nothing")
    parser.add_argument("--grid", default="code", help="of gbv augment (default: code, which the other methods draw "
                        "from, too; paper: as the text has it)")
    for name in ("measure", "noise", "tau", "top-k"):
        parser.add_argument(f"--{name}", help="of gbv augment (default: its own)")
    parser.add_argument("--variant", choices=("code", "paper"), help="of the policies that have a name")
    asked = common.answers(parser)
    protocol = protocols.protocol(asked.scale)
    settle_models(asked, protocol)
    known = [*METHODS, *(f"gbv-{model}" for model in protocol.universal if asked.dataset == "cub")]
    asked.only = asked.only.split(",") if asked.only else known
    if unknown := [name for name in asked.only if name not in known]:
        parser.error(f"--only has '{unknown[0]}'; use {', '.join(known)}")
    asked.seeds = asked.seeds or protocol.seeds
    asked.passed = {name: value for name in ("measure", "grid", "noise", "top-k")
                    if (value := getattr(asked, name.replace("-", "_")))}
    asked.passed_tau = asked.tau or "quick"
    return asked, protocol


def settle_models(asked, protocol):
    """Which network serves, by the weights that there are, and all their files."""
    if asked.model:
        protocol.models = (asked.model,)
    there = [model for model in protocol.models if common.found_weights(model)] if not asked.pretrained else []
    protocol.models = (*there, *protocol.models)[:1]
    asked.weights = common.pretrained(protocol.models[0], asked.pretrained)
    protocol.universal = tuple(model for model in protocol.universal if common.found_weights(model))
    asked.universal = {protocol.models[0]: asked.weights}
    asked.universal |= {model: common.pretrained(model, None) for model in protocol.universal}


def read_images(asked, protocol):
    """The images that are used, the data set's folder, and how it is laid out."""
    root = layouts.find(asked.dataset, asked.data)
    images, layout = layouts.read(asked.dataset, root)
    layouts.check(images, root, layouts.COUNTS[asked.dataset] if protocol.counted else None)
    small = layout == "folders" and root.name == layouts.data.CUB_224  # resized and cropped already
    asked.reading = ("--resize", str(protocol.resize)) if protocol.resize else \
        ("--preprocess", "none" if small else "imagenet")
    return {part: layouts.choose(images[part], protocol.classes) for part in images}, root, layout


def main():
    asked, protocol = ask()
    began = time.monotonic()
    try:
        images, root, layout = read_images(asked, protocol)
    except layouts.Problem as problem:
        raise common.Refused(str(problem)) from problem
    with tempfile.TemporaryDirectory() as temporary:
        experiment = Experiment(asked, protocol, asked.work or pathlib.Path("WORK" if asked.dry_run else temporary))
        if asked.dry_run:
            for commands in (experiment.valuations(), experiment.choices(), experiment.finals()):
                print("".join(shlex.join(map(str, command)) + "\n" for command in commands.values()), end="")
            return 0
        print(caption(experiment, root, layout, images), flush=True)
        check_work(experiment.work, {**dataclasses.asdict(protocol), "dataset": asked.dataset, "root": str(root),
                                     "weights": asked.universal, "passed": asked.passed, "tau": asked.passed_tau,
                                     "variant": asked.variant})
        experiment.prepare(images)
        experiment.run()
        report(experiment)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{time.monotonic() - began:.0f} seconds, {used.ru_utime + used.ru_stime:.0f} of processor time.")
    return 0


if __name__ == "__main__":
    common.leave_by(main)
