/* evaluate.c - using a trained model: probabilities, predictions as CSV, and how often it is right. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_text.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/plan.h"
#include "data/feature_names.h"
#include "data/judged_classes.h"
#include "nn/model.h"

static const double unknown_class_probability = 1e-12;

gbv_status model_check_dataset(const gbv_model *model, const gbv_dataset *dataset, gbv_error *error)
{
    if (model->net)
        return GBV_OK;
    if (dataset->features.columns != model->inputs)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has %zu features, the model was trained on %zu: give the same features in the same order",
                         dataset->name, dataset->features.columns, model->inputs);
    feature_difference difference;
    char *const *names = dataset_feature_names(dataset);
    gbv_status status = feature_names_compare(names, model->feature_names, model->inputs, &difference, error);
    if (status != GBV_OK || !difference.moved)
        return status;
    return error_set(error, GBV_BAD_INPUT,
                     "%s: has the column \"%.100s\" as feature %zu, the model was trained with \"%.100s\" there: "
                     "bring the columns into the same order",
                     dataset->name, names[difference.first], difference.first + 1,
                     model->feature_names[difference.first]);
}

gbv_status gbv_predict(const gbv_model *model, const gbv_dataset *dataset, double *probabilities, gbv_error *error)
{
    gbv_status status = model_check_dataset(model, dataset, error);
    if (status == GBV_OK && !model->class_names)
        status = error_set(error, GBV_USAGE, "the model has no head, so it knows no classes: use its features");
    if (status != GBV_OK)
        return status;
    arena scratch = {0};
    sample_part part = sample_part_of(dataset, dataset->row_index, dataset->row_count, NULL, NULL);
    sample rows = sample_of(&part);
    plan p = plan_begin(model->net ? model->threads : 1);
    readout out = {.probabilities = probabilities, .threads = p.threads};
    status = model_read_out(model, &rows, &out, &scratch, error);
    plan_end(p);
    arena_free(&scratch);
    return status == GBV_OK || !model->net ? status : error_prefix(error, status, "%s: ", dataset->name);
}

static gbv_status predict(const gbv_model *model, const gbv_dataset *dataset, double **probabilities, gbv_error *error)
{
    *probabilities = memory_array(dataset->row_count, model->outputs * sizeof **probabilities);
    if (!*probabilities)
        return error_out_of_memory(error, "the predictions");
    return gbv_predict(model, dataset, *probabilities, error);
}

static size_t most_probable(const double *probabilities, size_t count)
{
    size_t best = 0;
    for (size_t z = 1; z < count; z++)
        if (probabilities[z] > probabilities[best])
            best = z;
    return best;
}

gbv_status gbv_predictions_write(const gbv_model *model, const gbv_dataset *dataset, bool all, const char *path,
                                 gbv_error *error)
{
    double *probabilities;
    output_file output;
    char number[NUMBER_TEXT];
    gbv_status status = predict(model, dataset, &probabilities, error);
    if (status == GBV_OK)
        status = output_open(path, &output, error);
    if (status != GBV_OK)
        goto done;
    fputs("row,class,probability", output.stream);
    for (size_t z = 0; all && z < model->outputs; z++) {
        fputc(',', output.stream);
        csv_text_write(output.stream, model->class_names[z]);
    }
    fputs(dataset->items_are_files ? ",file\n" : "\n", output.stream);
    for (size_t i = 0; i < dataset->row_count; i++) {
        const double *row = probabilities + i * model->outputs;
        size_t best = most_probable(row, model->outputs);
        fprintf(output.stream, "%zu,", dataset->row_index ? dataset->row_index[i] : i);
        csv_text_write(output.stream, model->class_names[best]);
        fprintf(output.stream, ",%s", number_format(row[best], number));
        for (size_t z = 0; all && z < model->outputs; z++)
            fprintf(output.stream, ",%s", number_format(row[z], number));
        if (dataset->items_are_files) {
            const char *file = gbv_dataset_item(dataset, dataset->row_index ? dataset->row_index[i] : i);
            fputc(',', output.stream);
            csv_text_write(output.stream, file ? file : "");
        }
        fputc('\n', output.stream);
    }
    status = output_commit(&output, error);
done:
    free(probabilities);
    return status;
}

/* The model's classes, then those only the dataset has. */
static gbv_status join_classes(const gbv_model *model, const gbv_dataset *dataset, gbv_evaluation *e,
                               int32_t *class_of_label, gbv_error *error)
{
    e->class_names = memory_zeroed(model->outputs + dataset->class_count, sizeof *e->class_names);
    if (!e->class_names)
        return error_out_of_memory(error, "the evaluation");
    for (size_t z = 0; z < model->outputs; z++)
        if (!(e->class_names[e->class_count++] = strdup(model->class_names[z])))
            return error_out_of_memory(error, "the evaluation");
    gbv_status status = judged_classes(dataset, model->class_names, model->outputs, "the model", class_of_label, error);
    for (size_t c = 0; c < dataset->class_count && status == GBV_OK; c++) {
        if (class_of_label[c] >= 0)
            continue;
        class_of_label[c] = (int32_t)e->class_count;
        if (!(e->class_names[e->class_count++] = strdup(dataset->class_names[c])))
            status = error_out_of_memory(error, "the evaluation");
    }
    return status;
}

static void count_rows(const gbv_model *model, const gbv_dataset *dataset, const double *probabilities,
                       const int32_t *class_of_label, gbv_evaluation *e)
{
    size_t correct = 0;
    double sum = 0;
    for (size_t i = 0; i < dataset->row_count; i++) {
        const double *row = probabilities + i * model->outputs;
        size_t predicted = most_probable(row, model->outputs), truth = (size_t)class_of_label[dataset->labels[i]];
        double p = truth < model->outputs ? row[truth] : 0;
        sum += log(p > unknown_class_probability ? p : unknown_class_probability);
        e->confusion[truth * e->class_count + predicted]++;
        correct += predicted == truth;
    }
    e->rows = dataset->row_count;
    e->accuracy = (double)correct / (double)e->rows;
    e->mean_log_likelihood = sum / (double)e->rows;
}

gbv_status gbv_evaluate(const gbv_model *model, const gbv_dataset *dataset, gbv_evaluation **evaluation,
                        gbv_error *error)
{
    *evaluation = NULL;
    if (!dataset->labels)
        return error_set(error, GBV_BAD_INPUT, "%s: has no labels to compare with: give them as FEATURES,LABELS",
                         dataset->name);
    double *probabilities = NULL;
    int32_t *class_of_label = memory_array(dataset->class_count, sizeof *class_of_label);
    gbv_evaluation *e = memory_zeroed(1, sizeof *e);
    gbv_status status = class_of_label && e ? predict(model, dataset, &probabilities, error)
                                            : error_out_of_memory(error, "the evaluation");
    if (status == GBV_OK)
        status = join_classes(model, dataset, e, class_of_label, error);
    if (status == GBV_OK && !(e->confusion = memory_zeroed(e->class_count, e->class_count * sizeof *e->confusion)))
        status = error_out_of_memory(error, "the evaluation");
    if (status == GBV_OK) {
        count_rows(model, dataset, probabilities, class_of_label, e);
        *evaluation = e;
    } else
        gbv_evaluation_free(e);
    free(class_of_label);
    free(probabilities);
    return status;
}

void gbv_evaluation_free(gbv_evaluation *evaluation)
{
    if (!evaluation)
        return;
    for (size_t c = 0; evaluation->class_names && c < evaluation->class_count; c++)
        free(evaluation->class_names[c]);
    free(evaluation->class_names);
    free(evaluation->confusion);
    free(evaluation);
}
