/* gbv.h - Generalized Bayes Valuation: what each data source is worth for the task you care about.
 *
 * One call does the whole job:
 *
 *     const char *names[] = {"anna", "ben"}, *paths[] = {"anna.npz", "ben.npz"};
 *     gbv_result *result;
 *     gbv_error error;
 *     if (gbv_value_files("reference.npz", names, paths, 2, NULL, &result, &error) != GBV_OK)
 *         return fprintf(stderr, "%s\n", error.message), 1;
 *     gbv_report_table(result, stdout, NULL, NULL);
 *     gbv_result_free(result);
 *
 * The pieces, from simple to expert: value.h (the valuation and its result), compare.h (several methods, and whether
 * buying pays), ledger.h (weights over time), augment.h (augmentors of images as sources), advice.h (what to do about
 * each source), report.h (tables and pages), export.h (files for other libraries), train.h (models), data.h (datasets
 * and sources), annotation.h (who labelled what), measure.h (transferability scores), settings.h (the options of a
 * run), shard.h (one run on several machines), plan.h (what a run would take), matrix.h, status.h.
 */
#ifndef GBV_H
#define GBV_H

#include <gbv/value.h>

#include <gbv/advice.h>
#include <gbv/annotation.h>
#include <gbv/augment.h>
#include <gbv/cache.h>
#include <gbv/compare.h>
#include <gbv/data.h>
#include <gbv/export.h>
#include <gbv/matrix.h>
#include <gbv/ledger.h>
#include <gbv/measure.h>
#include <gbv/plan.h>
#include <gbv/report.h>
#include <gbv/settings.h>
#include <gbv/shard.h>
#include <gbv/status.h>
#include <gbv/train.h>

#endif
