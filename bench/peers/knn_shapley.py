"""KNN-Shapley as users have it now: a NumPy form that sorts whole rows, and pyDVL where it is installed."""
import time

import numpy


def with_numpy(train, train_labels, reference, reference_labels, neighbours):
    """Distances by one product a block, argsort, and the recursion as a cumulated sum."""
    count = len(train)
    ranks = numpy.arange(1, count + 1)
    weights = numpy.minimum(neighbours, ranks) / (neighbours * ranks)
    squares = (train * train).sum(axis=1)
    values = numpy.zeros(count)
    for first in range(0, len(reference), 64):
        block = reference[first:first + 64]
        distances = squares - 2 * (block @ train.T)
        order = numpy.argsort(distances, axis=1, kind="stable")
        for row, label in zip(order, reference_labels[first:first + 64]):
            match = (train_labels[row] == label).astype(float)
            steps = match.copy()
            steps[:-1] -= match[1:]
            values[row] += numpy.cumsum((steps * weights)[::-1])[::-1]
    return values / len(reference)


def with_pydvl(train, train_labels, reference, reference_labels, neighbours):
    from pydvl.valuation import Dataset, KNNShapleyValuation
    from sklearn.neighbors import KNeighborsClassifier
    model = KNeighborsClassifier(n_neighbors=neighbours, algorithm="brute")
    valuation = KNNShapleyValuation(model, test_data=Dataset(reference, reference_labels), progress=False)
    valuation.fit(Dataset(train, train_labels))
    return valuation.result.values


if __name__ == "__main__":  # run_knn_shapley.py starts this with an interpreter that has pyDVL
    import sys
    folder, columns = sys.argv[1], int(sys.argv[2])
    arrays = [numpy.fromfile(f"{folder}/{name}", kind) for name, kind in (
        ("train", "f4"), ("train_labels", "i4"), ("reference", "f4"), ("reference_labels", "i4"))]
    arrays[0], arrays[2] = arrays[0].reshape(-1, columns), arrays[2].reshape(-1, columns)
    clock = time.process_time if sys.argv[3] == "cpu" else time.perf_counter
    begin = clock()
    result = with_pydvl(*arrays, 10)
    print(clock() - begin)
    result.astype("f8").tofile(f"{folder}/pydvl")
