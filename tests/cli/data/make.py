#!/usr/bin/env python3
"""Writes the CSV files beside it: three classes in four features, and annotators with 0, 30 and 60 % wrong labels."""
import pathlib
import random

here = pathlib.Path(__file__).parent
classes = ["cat", "dog", "owl"]


def rows(generator, count, noise):
    for i in range(count):
        label = i % 3
        x = [round(generator.gauss(2.0 if j == label else 0.0, 1.0), 3) for j in range(4)]
        if generator.random() < noise:
            label = (label + generator.choice([1, 2])) % 3
        yield x, classes[label]


def write(name, generator, count, noise):
    with open(here / name, "w") as out:
        out.write("a,b,c,d,label\n")
        for x, label in rows(generator, count, noise):
            out.write(",".join(str(v) for v in x) + f",{label}\n")


for seed, (name, count, noise) in enumerate(
    [("reference.csv", 90, 0), ("test.csv", 90, 0), ("anna.csv", 60, 0), ("ben.csv", 60, 0.3), ("cleo.csv", 60, 0.6)]
):
    write(name, random.Random(seed), count, noise)

with open(here / "crowd.csv", "w") as out:
    generator = random.Random(9)
    out.write("worker,a,b,c,d,label\n")
    for i, (x, label) in enumerate(rows(generator, 120, 0)):
        worker = ["ann", "bob"][generator.randrange(2)]
        if worker == "bob" and generator.random() < 0.5:
            label = classes[(classes.index(label) + 1) % 3]
        out.write(worker + "," + ",".join(str(v) for v in x) + f",{label}\n")
