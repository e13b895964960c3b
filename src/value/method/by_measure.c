/* by_measure.c - the methods that are a measure of m_s and a temperature: the paper's own, and baselines. */
#include "value/method/method.h"

extern const method method_gbv, method_mmd, method_cmmd, method_loss, method_accuracy;

const method method_gbv = {
    .name = "gbv",
    .summary = "the generalized posterior by a transferability measure of each m_s",
    .measure = "",
    .quick_tau = true,
};

const method method_mmd = {
    .name = "mmd",
    .summary = "discrepancy between the outputs of m_s on the reference and on the source's rows",
    .measure = "mmd",
};

const method method_cmmd = {
    .name = "cmmd",
    .summary = "discrepancy between the outputs of m_s on the reference and its labels (Xu et al.)",
    .measure = "cmmd",
};

const method method_loss = {
    .name = "loss",
    .summary = "mean log-likelihood of the reference's labels under m_s",
    .measure = "loss",
};

const method method_accuracy = {
    .name = "accuracy",
    .summary = "share of reference rows that m_s labels as the reference does",
    .measure = "accuracy",
};
