#!/usr/bin/env python3
"""The paper's continual experiment (its section 6.3): annotators whose quality changes from step to step.

    experiments/continual/run.py [--dataset cifar10|fashion] [--scale paper|small|tiny] [--seeds N] [--model NAME]
                                 [--measures NAME,...] [--code] [--figure FILE.svg] [--gbv build/gbv] [--work FOLDER]

At each of four steps five annotators hand in labels, of which 0, 20, 40, 60 or 80 per cent are wrong: who is how bad
is drawn anew at each step. A sample of each is scored and folded into a ledger (gbv update), and a final model is
trained on all that was labelled up to then, weighted by annotator (gbv train), by each strategy of the ledger. Prints
what they reach. With --work, what is done is kept there and an interrupted run goes on.
"""

import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common  # noqa: E402
import figure  # noqa: E402
from common import flags, kept, run, show, thin  # noqa: E402

NAMES = {"continual": "CGBV", "no-update": "No Update", "average": "Average (of each step's weights)",
         "average-posterior": "Average (of accumulated weights)", "last": "Last"}
NOISE = (0, 0.2, 0.4, 0.6, 0.8)
STEPS = 4


@dataclasses.dataclass
class Protocol:
    model: str
    seeds: int
    per_class: int  # rows of each class that an annotator labels at a step
    sample_per_class: int  # of these, by their noisy labels: D_{s,t}
    reference_per_class: int
    measures: tuple = ("logme",)
    test_per_class: int = None  # rows of each class that are tested on beside D*; None: all
    source: dict = dataclasses.field(default_factory=dict)  # options of m_s
    final: dict = dataclasses.field(default_factory=dict)  # options of the final model that differ from those
    code: bool = False  # as the authors' program has it, where that differs


def protocol(dataset, scale):
    """What the paper does; less of the same on two cores; as little as a test takes."""
    adam = {"optimizer": "adam", "normalise": common.NORMALISE[dataset], "held-out": 0, "batch-size": 32}
    rate = 1e-3 if dataset == "fashion" else 1e-4  # from random weights 1e-4 gets nowhere
    paper = {"source": {**adam, "learning-rate": rate, "schedule": "constant", "epochs": 20},
             "final": {"schedule": "paper", "epochs": 40}}
    small = {"source": {**adam, "learning-rate": 1e-3, "schedule": "linear", "epochs": 20}, "final": {"epochs": 5}}
    if scale == "paper":
        return Protocol("resnet18" if dataset == "cifar10" else "cnn", 5, 100, 50, 100, **paper)
    if scale == "small":
        return Protocol("cnn", 3, 80, 50, 100, ("logme", "leep"), 100, **small)
    return Protocol("linear", 1, 10, 6, 10, ("leep",), 20)


class Seed:
    """One seed's annotators: simulated, scored step by step, trained on."""

    def __init__(self, asked, protocol, number, work):
        self.gbv, self.protocol, self.number, self.jobs = asked.gbv, protocol, number, asked.jobs
        self.folder = work / f"seed-{number}"
        self.model = ("--model", protocol.model, *asked.weights)
        draw = random.Random(number)
        self.noise = [draw.sample(NOISE, len(NOISE)) for _ in range(STEPS)]  # of each annotator at each step

    def simulate(self, train, test):
        """rows/annotator-S/step-T.npz, samples/step-T/annotator-S.npz, reference.npz and test.npz: no row twice."""
        made = self.folder / "simulated"
        if not (made / "simulation.json").exists():  # which is written last
            shutil.rmtree(made, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            noise = ",".join(str(rate) for step in self.noise for rate in step)
            run(self.gbv, "simulate", "--input", train, "--test", test, "--noise", noise, "--per-class",
                self.protocol.per_class, "--reference-per-class", self.protocol.reference_per_class,
                *["--exact-count"] * self.protocol.code, "--seed", self.number, "-o", made)
        files = sorted((made / "annotators").iterdir(), key=lambda path: int(path.stem.rsplit("-", 1)[1]))
        for place, path in enumerate(files):
            step, annotator = divmod(place, len(NOISE))
            rows = self.folder / "rows" / f"annotator-{annotator}"
            sample = self.folder / "samples" / f"step-{step + 1}"
            rows.mkdir(parents=True, exist_ok=True)
            sample.mkdir(parents=True, exist_ok=True)
            thin(path, None, rows / f"step-{step + 1}.npz", self.number)
            thin(path, self.protocol.sample_per_class, sample / f"annotator-{annotator}.npz", self.number)
        thin(made / "test.npz", self.protocol.test_per_class, self.folder / "test.npz", self.number)
        thin(made / "reference.npz", None, self.folder / "reference.npz", self.number)

    def update(self, measure):
        """The history of a ledger over the steps."""
        ledger = self.folder / f"{measure}.db"
        ledger.unlink(missing_ok=True)
        for step in range(1, STEPS + 1):
            run(self.gbv, "update", "--ledger", ledger, "--batch", f"step-{step}", "--reference",
                self.folder / "reference.npz", "--sources", self.folder / "samples" / f"step-{step}", "--measure",
                measure, "--tau", 1 if self.protocol.code else "quick", *self.model, *flags(self.protocol.source),
                "--cache", self.folder / "cache", "--seed", self.number, "--intervals", "off", "--progress", "off")
        return json.loads(run(self.gbv, "history", "--ledger", ledger, "--strategies", "all", "--format", "json"))

    def weights(self, measure):
        """strategy -> a list of the annotators' weights for each step, and the scores."""
        history = kept(self.folder / f"{measure}.json", lambda: self.update(measure))
        return ({each["name"]: each["posterior"] for each in history["strategies"]},
                [[source["points"][step]["score"] for source in history["sources"]] for step in range(STEPS)])

    def finals(self, strategies):
        """What final models reach: side by side, and once where strategies agree."""
        chains = {way: self.chain(weights) for way, weights in strategies.items()}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for step in range(STEPS):  # with --code a model goes on from the one before
                list(pool.map(lambda link: self.final(step, *link), {chain[step] for chain in chains.values()}))
        return {way: [kept(self.folder / f"{name}.json", dict) for name, _, _ in chain]
                for way, chain in chains.items()}

    def chain(self, weights):
        """A model for each step: its name, the weights, and the model that it goes on from. Weights that differ in
        their last bits only are the same."""
        links, before = [], None
        for step, shares in enumerate([[round(share, 12) for share in shares] for shares in weights]):
            identity = json.dumps([step, shares, before if self.protocol.code else None])
            name = "final-" + hashlib.sha256(identity.encode()).hexdigest()[:12]
            links.append((name, tuple(shares), before if self.protocol.code else None))
            before = name
        return links

    def final(self, step, name, shares, before):
        result = kept(self.folder / f"{name}.json", lambda: self.train(step, name, shares, before))
        print(f"seed {self.number}, step {step + 1}, weights {' '.join(f'{share:.3f}' for share in shares)}: best "
              f"{result['best']:.4f}, last {result['last']:.4f}", file=sys.stderr, flush=True)

    def train(self, step, name, shares, before):
        """On the rows of all steps so far; --code: of this step, from the model of the step before."""
        steps = str(step + 1) if self.protocol.code else "".join(map(str, range(1, step + 2)))
        sources = [word for s in range(len(NOISE)) for word in
                   ("--source", f"annotator-{s}={self.folder}/rows/annotator-{s}/step-[{steps}].npz")]
        model = ("--model", self.protocol.model, "--pretrained", self.folder / f"{before}.safetensors") if before \
            else self.model
        options = (*model, *flags(self.protocol.source | self.protocol.final), "--seed", self.number)
        result = common.train(self.gbv, self.folder / name, shares, sources, options, self.folder,
                              common.threads_for(self.jobs))
        if not self.protocol.code:
            (self.folder / f"{name}.safetensors").unlink()
        return result


def run_seed(asked, protocol, number, work, paths):
    seed = Seed(asked, protocol, number, work)
    seed.simulate(*paths)
    found = {}
    for measure in protocol.measures:
        strategies, scores = seed.weights(measure)
        found[measure] = {"weights": strategies, "scores": scores, "finals": seed.finals(strategies)}
    if asked.work is None:
        shutil.rmtree(seed.folder)
    return {"noise": seed.noise, **found}


def caption(asked, protocol):
    """What was run, with all that is less than the paper's."""
    weights = f" from {pathlib.Path(asked.weights[1]).name}" if asked.weights else ""
    tested = f"{protocol.test_per_class} of each class" if protocol.test_per_class else "all others"
    noise = ", ".join(f"{rate:g}" for rate in NOISE)
    lines = [f"{common.SETS[asked.dataset]}, scale {asked.scale}: {protocol.model}{weights}; {STEPS} steps of "
             f"{len(NOISE)} annotators with {noise} of their labels wrong; seeds: {asked.seeds}.",
             f"Rows: at each step {protocol.per_class} of each class of each annotator, D_s,t "
             f"{protocol.sample_per_class} of each noisy class of these; D* {protocol.reference_per_class} of each "
             f"class of the test set; tested on {tested} and D*."]
    if protocol.source:
        source, final = (", ".join(f"{name} {value}" for name, value in options.items())
                         for options in (protocol.source, protocol.final))
        lines.append(f"m_s: {source}. Final model: as m_s, but {final}.")
    if protocol.code:
        lines.append("As the authors' program: exact numbers of wrong labels, tau 1, a final model sees the rows of "
                     "its step only and goes on from that of the step before.")
    if asked.scale != "paper":
        lines.append("Fewer rows, epochs and seeds than the paper's, for the order, not for the height.")
    return "\n".join(lines)


def report(measure, protocol, seeds):
    """A line for each strategy, by both ways of judging a final model; then the weights and whether the paper's order
    holds. Returns the means and errors for the figure."""
    found = [seed[measure] for seed in seeds]
    lines = {}
    for how, words in common.MEASURES.items():
        print(f"\n{measure}, {'tau 1' if protocol.code else 'quick tau'}; test accuracy: {words}\n")
        print(f"| weights | {' | '.join(f't = {step + 1}' for step in range(STEPS))} |\n|---{'|---' * STEPS}|")
        for way, name in NAMES.items():
            reached = [[seed["finals"][way][step][how] for seed in found] for step in range(STEPS)]
            lines.setdefault(how, {})[way] = [common.mean_and_error([100 * each for each in values])
                                              for values in reached]
            print(f"| {name} | {' | '.join(show(values) for values in reached)} |")
    print("\nThe paper's figure has no numbers; it shows CGBV above No Update and Average at each step but the first, "
          "where all are one. Here:\n")
    for how, words in common.MEASURES.items():
        print(f"- {words}: {above(lines[how], 'no-update')}; {above(lines[how], 'average')}")
    print(f"\nMean of the largest and of the smallest weight over seeds, at t = 1 ... {STEPS}:\n")
    for way in NAMES:
        ends = [[statistics.mean(end(seed["weights"][way][step]) for seed in found) for end in (max, min)]
                for step in range(STEPS)]
        print(f"- {NAMES[way]}: {', '.join(f'{high:.3f} and {low:.3f}' for high, low in ends)}")
    return lines["last"]


def above(lines, other):
    """At which steps CGBV's mean is the higher one, and the differences at all of them."""
    differences = [mine - theirs for (mine, _), (theirs, _) in list(zip(lines["continual"], lines[other]))[1:]]
    steps = ", ".join(str(step) for step, difference in enumerate(differences, 2) if difference > 0)
    return (f"above {NAMES[other].split(' (')[0]} at {'t = ' + steps if steps else 'no step'} "
            f"({', '.join(f'{difference:+.2f}' for difference in differences)} points)")


def check(protocol, seeds):
    """What holds by construction: all strategies are one at the first step, and weights sum to one."""
    for seed in seeds:
        for measure in protocol.measures:
            weights, finals = seed[measure]["weights"], seed[measure]["finals"]
            assert set(weights) == set(NAMES), set(weights)
            for way in NAMES:
                same = zip(weights[way][0], weights["continual"][0])
                assert all(abs(a - b) < 1e-12 for a, b in same), (measure, way)
                assert all(abs(sum(shares) - 1) < 1e-9 for shares in weights[way]), (measure, way)
            assert len({json.dumps(finals[way][0]) for way in NAMES}) == 1, measure


def ask():
    parser = common.asking(__doc__)
    parser.add_argument("--dataset", default="cifar10", choices=("cifar10", "fashion"))
    parser.add_argument("--measures", help="default: logme, and leep at the small scale")
    parser.add_argument("--code", action="store_true", help="as the authors' program, where it differs from the paper")
    parser.add_argument("--figure", type=pathlib.Path, help="an SVG file; of several measures, FILE-MEASURE.svg each")
    asked = common.answers(parser)
    chosen = protocol(asked.dataset, asked.scale)
    chosen.model, chosen.code = asked.model or chosen.model, asked.code
    if asked.code and chosen.model in ("linear", "mlp"):
        parser.error(f"--code trains a network on from step to step, which a {chosen.model} cannot be: add --model cnn")
    if asked.measures:
        chosen.measures = tuple(asked.measures.split(","))
    asked.seeds = asked.seeds or chosen.seeds
    asked.weights = common.pretrained(chosen.model, asked.pretrained)
    return asked, chosen


def main():
    asked, chosen = ask()
    began = time.monotonic()
    paths, _ = common.inputs(asked.dataset)
    print(caption(asked, chosen), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = asked.work or pathlib.Path(temporary)
        common.check_work(work, {**dataclasses.asdict(chosen), "weights": asked.weights, "dataset": asked.dataset})
        seeds = [run_seed(asked, chosen, number, work, paths) for number in range(1, asked.seeds + 1)]
    check(chosen, seeds)
    for measure in chosen.measures:
        lines = report(measure, chosen, seeds)
        if asked.figure:
            several = len(chosen.measures) > 1
            path = asked.figure.with_stem(f"{asked.figure.stem}-{measure}") if several else asked.figure
            title = f"{common.SETS[asked.dataset]}, {measure}, scale {asked.scale}, seeds: {asked.seeds}"
            figure.write(path, title, lines)
            print(f"\nThe figure of the last epoch is {path}.")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{time.monotonic() - began:.0f} seconds, {used.ru_utime + used.ru_stime:.0f} of processor time.")
    return 0


if __name__ == "__main__":
    common.leave_by(main)
