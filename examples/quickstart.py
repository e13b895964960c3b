"""Three annotators, one of whom guesses: who is worth how much, and what is a model trained accordingly worth?

    python3 quickstart.py
"""
import gbv
import numpy as np

rng = np.random.default_rng(0)
centres = rng.normal(size=(4, 20))
animals = np.array(["ape", "bee", "cat", "dog"])


def label(rows, wrong):
    """Rows with their labels, of which this share is drawn at random."""
    truth = rng.integers(0, 4, rows)
    given = np.where(rng.random(rows) < wrong, rng.integers(0, 4, rows), truth)
    return centres[truth] + rng.normal(size=(rows, 20)), animals[given]


trusted, test = label(200, wrong=0), label(2000, wrong=0)
annotators = {"anna": label(300, wrong=0.05), "ben": label(300, wrong=0.4), "carl": label(300, wrong=1)}

result = gbv.value(trusted, annotators)
print(result)

model = gbv.train(annotators, result)
print(f"\ntest accuracy {model.score(*test):.3f} with these weights, "
      f"{gbv.train(annotators, 'pooled').score(*test):.3f} with all rows alike")
