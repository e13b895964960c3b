/* by_measure.c - the methods that are a measure of m_s and a temperature: the paper's own, and baselines. */
#include "value/method/method.h"

extern const method method_gbv, method_mmd, method_cmmd, method_loss, method_accuracy;

const method method_gbv = {
    .name = "gbv",
    .summary = "the generalized posterior by a measure of each source's model; forms: every measure, leep first",
    .measure = "",
    .quick_tau = true,
};

const method method_mmd = {
    .name = "mmd",
    .summary =
        "how differently a source's model sees the reference and the source's rows; forms: biased, unbiased, code",
    .measure = "mmd",
};

const method method_cmmd = {
    .name = "cmmd",
    .summary =
        "how far a source's model is from the reference's labels, by kernels (Xu et al.); forms: exact, code, xu",
    .measure = "cmmd",
};

const method method_loss = {
    .name = "loss",
    .summary = "mean log-likelihood of the reference's labels under a source's model",
    .measure = "loss",
};

const method method_accuracy = {
    .name = "accuracy",
    .summary = "share of reference rows that a source's model labels as the reference does",
    .measure = "accuracy",
};
