#!/usr/bin/env python3
"""The paper's experiment with noisy annotators (its section 6.1): what do final models reach by each method's weights?

    experiments/annotators/run.py --dataset cifar10|cub|fashion [--scale paper|small|tiny] [--seeds N] [--model NAME]
                                  [--pretrained FILE|none] [--gbv build/gbv] [--work FOLDER] [--jobs N]

For each seed annotators with known shares of wrong labels are simulated (gbv simulate), valued by every method of the
paper (gbv value), and a final model is trained with each method's weights on all that they labelled (gbv train). Prints
the accuracies beside the published ones. With --work, what is done is kept there and an interrupted run goes on.
"""

import concurrent.futures
import dataclasses
import hashlib
import json
import math
import pathlib
import resource
import shutil
import statistics
import sys
import tempfile
import time

import protocols
import common  # after protocols, which knows where it is
from common import MEASURES, Refused, check_work, flags, kept, run, show, thin

NAMES = {"uniform": "Uniform", "davinz": "DAVINZ", "lava": "LAVA", "cmmd": "MMD (conditional)",
         "quick": "GBV, quick tau", "best": "GBV, best tau", "auto": "GBV, tau auto"}
METHODS = {"quick": "gbv:leep", "logme": "gbv:logme", "cmmd": "cmmd", "lava": "lava", "davinz": "davinz"}


def posterior(scores, tau):
    """P(s) under a uniform prior."""
    powers = [math.exp((score - max(scores)) / tau) for score in scores]
    return [power / sum(powers) for power in powers]


class Seed:
    """One seed's annotators: simulated, valued, trained on."""

    def __init__(self, asked, protocol, number, work):
        self.gbv, self.protocol, self.number = asked.gbv, protocol, number
        self.folder = work / f"seed-{number}"
        self.data, self.samples = self.folder / "data", self.folder / "samples"
        self.model = ("--model", protocol.model, *asked.weights)
        self.jobs = asked.jobs

    def simulate(self, train, test, reading):
        """annotators/, reference.npz and test.npz, and samples/ with the D_s."""
        if not (self.data / "simulation.json").exists():  # which is written last
            shutil.rmtree(self.data, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            count = ("--per-class", self.protocol.per_class) if self.protocol.per_class else ()
            noise = ",".join(map(str, self.protocol.noise))
            run(self.gbv, "simulate", "--input", train, "--test", test, "--noise", noise, *count,
                "--reference-per-class", self.protocol.reference_per_class, *reading, "--seed", self.number, "-o",
                self.data)
        self.samples.mkdir(exist_ok=True)
        for path in sorted((self.data / "annotators").iterdir()):
            thin(path, self.protocol.sample_per_class, self.samples / path.name, self.number)
        thin(self.data / "test.npz", self.protocol.test_per_class, self.folder / "test.npz", self.number)
        thin(self.data / "reference.npz", None, self.folder / "reference.npz", self.number)

    def value(self, *options, reference="reference.npz"):
        return json.loads(run(self.gbv, "value", "--reference", self.folder / reference, "--sources", self.samples,
                              *self.model, *flags(self.protocol.source), "--cache", self.folder / "cache", *options,
                              "--seed", self.number, "--intervals", "off", "--format", "json", "--progress", "off"))

    def column(self, name, key, *options, **where):
        """One number of each source of a valuation."""
        result = kept(self.folder / f"{name}.json", lambda: self.value(*options, **where))
        return [source[key] for source in result["sources"]]

    def weights(self):
        """The weights of the annotators by each method and tau, what else is known of them, and methods that fail."""
        found, refused = {"uniform": [1 / len(self.protocol.noise)] * len(self.protocol.noise)}, {}
        for name, method in METHODS.items():
            try:
                found[name] = self.column(name, "posterior", "--method", method)
            except Refused as error:
                if name == "quick":
                    raise
                refused[name] = str(error).rsplit(": gbv value: ", 1)[-1]
        scores = self.column("quick", "score")
        same = posterior(scores, 1 / math.log2(len(scores)))
        assert all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(same, found["quick"])), (same, found["quick"])
        found |= {str(tau): posterior(scores, tau) for tau in protocols.TAUS}
        tau = "not run at this scale"
        if self.protocol.judges_tau:
            found["auto"] = self.column("auto", "posterior", "--tau", "auto")
            tau = json.loads((self.folder / "auto.json").read_text())["tau"]["value"]
        return found, {"score": scores, "accuracy": self.column("tested", "agreement", reference="test.npz"),
                       "tau": tau, "refused": refused}

    def finals(self, weights):
        """What final models reach by each way of weighing: side by side, and once where ways agree."""
        names = {way: "final-" + hashlib.sha256(json.dumps(values).encode()).hexdigest()[:12]
                 for way, values in weights.items()}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {name: pool.submit(self.final, self.folder / name, weights[way])
                       for name, way in {name: way for way, name in names.items()}.items()}
            return {way: running[name].result() for way, name in names.items()}

    def final(self, name, weights):
        result = kept(name.with_suffix(".json"), lambda: self.train(weights, name))
        print(f"seed {self.number}, weights {' '.join(f'{weight:.3f}' for weight in weights)}: best "
              f"{result['best']:.4f}, last {result['last']:.4f}", file=sys.stderr, flush=True)
        return result

    def train(self, weights, name):
        options = (*self.model, *flags(self.protocol.source | self.protocol.final), "--seed", self.number)
        result = common.train(self.gbv, name, weights, ("--sources", self.data / "annotators"), options, self.folder,
                              common.threads_for(self.jobs))
        name.with_suffix(".safetensors").unlink()
        return result


def choose_classes(paths, count, work):
    """Folders of images with evenly chosen ones of their classes, as links; count None: as they are."""
    if not count:
        return paths
    shutil.rmtree(work, ignore_errors=True)
    for path in map(pathlib.Path, paths):
        (work / path.name).mkdir(parents=True)
        classes = sorted(path.iterdir())
        for i in range(count):
            chosen = classes[i * len(classes) // count]
            (work / path.name / chosen.name).symlink_to(chosen.resolve())
    return [work / pathlib.Path(path).name for path in paths]


def correlation(a, b):
    """Pearson's, or nan where one of them is constant."""
    try:
        return statistics.correlation(a, b)
    except statistics.StatisticsError:
        return math.nan


def caption(asked, protocol):
    """What was run, with all that is less than the paper's."""
    per_class = f"{protocol.per_class} of each class" if protocol.per_class else "the training set shared out"
    sample = f"{protocol.sample_per_class} of each noisy class" if protocol.sample_per_class else "all of these"
    tested = f"{protocol.test_per_class} of each class" if protocol.test_per_class else "all others"
    weights = f" from {pathlib.Path(asked.weights[1]).name}" if asked.weights else ""
    classes = f", {protocol.classes} classes" if protocol.classes else ""
    noise = ", ".join(f"{rate:.2g}" for rate in protocol.noise)
    read = f"; images read with {' '.join(protocol.reading)}" if protocol.reading else ""
    lines = [f"{common.SETS[asked.dataset]}, scale {asked.scale}: {protocol.model}{weights}{classes}; "
             f"{len(protocol.noise)} annotators with {noise} of their labels wrong; seeds: {asked.seeds}.",
             f"Rows: annotators {per_class}; D_s {sample}; D* {protocol.reference_per_class} of each class of the test "
             f"set; tested on {tested} and D*{read}."]
    if protocol.source:
        source, final = (", ".join(f"{name} {value}" for name, value in options.items())
                         for options in (protocol.source, protocol.final))
        lines.append(f"m_s: {source}. Final model: as m_s, but {final}.")
    if asked.scale != "paper":
        lines.append("Fewer rows, epochs and seeds than the paper's: its numbers are there for their order, not their "
                     "height.")
    return "\n".join(lines)


def show_final(finals):
    return " | ".join(show([final[measure] for final in finals]) for measure in MEASURES)


def report_finals(dataset, seeds):
    """The paper's table 1, and one of every tau; returns the best tau."""
    finals = {way: [seed["finals"][way] for seed in seeds] for way in seeds[0]["finals"]
              if all(way in seed["finals"] for seed in seeds)}
    best = max(protocols.TAUS, key=lambda tau: statistics.mean(final["best"] for final in finals[str(tau)]))
    finals["best"] = finals[str(best)]
    autos = ", ".join(dict.fromkeys("inf" if seed["tau"] is None else str(seed["tau"]) for seed in seeds))
    taus = {"best": f" ({best:g})", "auto": f" ({autos})"}
    print(f"\n| weights | {' | '.join(MEASURES.values())} | published |\n|---|---|---|---|")
    for way, name in NAMES.items():
        published = protocols.PUBLISHED[dataset].get(way)
        print(f"| {name}{taus.get(way, '')} | {show_final(finals[way]) if way in finals else '– | –'} | "
              f"{'%.2f ± %.2f' % published if published else '–'} |")
    for way, sentence in {way: sentence for seed in seeds for way, sentence in seed["refused"].items()}.items():
        if way in NAMES:
            print(f"\n{NAMES[way]} was refused: {sentence}")
    print("\nThe best tau is chosen by the accuracy it is then judged by, as in the paper. Every tau:\n")
    print(f"| tau | {' | '.join(MEASURES.values())} |\n|---|---|---|")
    for tau in protocols.TAUS:
        print(f"| {tau:g} | {show_final(finals[str(tau)])} |")
    return best


def report_sources(dataset, protocol, seeds, best):
    """What is known of the annotators, and how their weights go with it."""
    print("\n| wrong labels | T (leep) | test accuracy of m_s | P (quick tau) |\n|---|---|---|---|")
    for i, rate in enumerate(protocol.noise):
        score, accuracy = (statistics.mean(seed[key][i] for seed in seeds) for key in ("score", "accuracy"))
        weight = statistics.mean(seed["weights"]["quick"][i] for seed in seeds)
        print(f"| {rate:.2g} | {score:.3f} | {100 * accuracy:.1f} | {weight:.3f} |")
    print("\nCorrelation of P(s) with the test accuracy of m_s, mean over seeds (published):\n")
    names = {**NAMES, str(best): NAMES["best"], "logme": "GBV by logme, quick tau (published: its best tau)"}
    for way in ("cmmd", "quick", str(best), "logme"):
        if all(way in seed["weights"] for seed in seeds):
            found = statistics.mean(correlation(seed["weights"][way], seed["accuracy"]) for seed in seeds)
            published = protocols.PUBLISHED_CORRELATIONS[dataset].get(way)
            print(f"- {names[way]}: {found:.2f}" + (f" ({published:.2f})" if published else ""))


def run_seed(asked, protocol, number, work, paths, reading):
    seed = Seed(asked, protocol, number, work)
    seed.simulate(*paths, reading)
    weights, known = seed.weights()
    finals = seed.finals({way: values for way, values in weights.items() if way != "logme"})
    if asked.work is None:
        shutil.rmtree(seed.folder)
    return known | {"weights": weights, "finals": finals}


def ask():
    parser = common.asking(__doc__)
    parser.add_argument("--dataset", required=True, choices=common.SETS)
    asked = common.answers(parser)
    protocol = protocols.protocol(asked.dataset, asked.scale)
    if not protocol:
        parser.error(f"there is no scale {asked.scale} of {asked.dataset}: use paper or small")
    protocol.model = asked.model or protocol.model
    asked.seeds = asked.seeds or protocol.seeds
    asked.weights = common.pretrained(protocol.model, asked.pretrained)
    return asked, protocol


def main():
    asked, protocol = ask()
    began = time.monotonic()
    paths, reading = common.inputs(asked.dataset)
    print(caption(asked, protocol), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = asked.work or pathlib.Path(temporary)
        check_work(work, {**dataclasses.asdict(protocol), "weights": asked.weights, "dataset": asked.dataset})
        paths = choose_classes(paths, protocol.classes, work / "classes")
        seeds = [run_seed(asked, protocol, number, work, paths, protocol.reading or reading)
                 for number in range(1, asked.seeds + 1)]
    best = report_finals(asked.dataset, seeds)
    report_sources(asked.dataset, protocol, seeds, best)
    falls = all(seed["score"] == sorted(seed["score"], reverse=True) for seed in seeds)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\nThe weights by leep {'fall' if falls else 'do NOT fall'} with the noise for every seed. "
          f"{time.monotonic() - began:.0f} seconds, {used.ru_utime + used.ru_stime:.0f} of processor time.")
    return 0 if falls else 1


if __name__ == "__main__":
    common.leave_by(main)
