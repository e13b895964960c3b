"""DAVINZ in NumPy as its authors' program does it: gradients of every row side by side, their products, the inverse; and the
maximum mean discrepancy from whole matrices of distances. Single precision, as theirs."""
import numpy


def complexity(x, labels, hidden_weights, hidden_bias, weights, bias):
    rows = numpy.arange(len(x))
    pieces = []
    if hidden_weights is None:
        last = x
    else:
        before = x @ hidden_weights + hidden_bias
        last = numpy.maximum(before, 0)
        back = weights.T[labels] * (before > 0)
        pieces += [(x[:, :, None] * back[:, None, :]).reshape(len(x), -1), back]
    chosen = numpy.zeros((len(x), weights.shape[1]), x.dtype)
    chosen[rows, labels] = 1
    pieces += [(last[:, :, None] * chosen[:, None, :]).reshape(len(x), -1), chosen]
    gradients = numpy.concatenate(pieces, axis=1)
    residuals = 1 - (last @ weights + bias)[rows, labels]
    theta = gradients @ gradients.T + 1e-4 * numpy.eye(len(x), dtype=x.dtype)
    return numpy.sqrt(residuals @ numpy.linalg.inv(theta) @ residuals / len(x))


def distance(x, y, bandwidth=5):
    def mean(a, b):
        squares = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
        return numpy.exp(-squares / (2 * bandwidth ** 2)).mean(dtype=float)
    return numpy.sqrt(max(0, mean(x, x) + mean(y, y) - 2 * mean(x, y)))
