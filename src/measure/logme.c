/* logme.c - LogME (You et al. 2021, 2022): the evidence of a Bayesian linear model from the features to each class, or
 * to each real target, per row, averaged.
 *
 * No eigenvectors and no copy of the features are needed: one pass over row blocks gives the Gram matrix and the class
 * sums, Householder reflections make the Gram matrix tridiagonal, and logme_evidence.c does the rest. With fewer rows
 * than columns the rows x rows Gram matrix takes its place.
 *
 * A row of weight w counts as w rows: its features and targets are multiplied by sqrt(w).
 *
 *     corrected  the log-determinant counts the zero eigenvalues; classes without rows are left out
 *     code       the authors' fixed-point program to the letter: neither of the two, classes 0 to the largest label
 *     icml       their first program: all eigenvalues counted, stops earlier, classes as in `code` */
#include "measure/replicate.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"
#include "measure/logme_evidence.h"

/* A block of converted numbers takes about this much; single-precision sums run over at most so many rows. */
enum { BLOCK_BYTES = 8 << 20, SINGLE_ROWS = 8192 };

typedef struct logme_work {
    const gbv_matrix *features;
    const gbv_matrix *targets;      /* NULL for classes */
    const present_classes *classes; /* NULL for real targets */
    const double *roots;            /* rows: the square roots of the rows' weights; NULL: all count alike */
    bool single;
    bool absent;       /* one more target of zeros stands for the classes without rows */
    double *gram_copy; /* both triangles, only to count as the authors do */
    double *gram;      /* order x order, lower triangle, column-major */
    float *gram_single;
    void *block;
    double *reflectors; /* order: the factors of the Householder reflections */
    double *workspace;
    size_t block_lines;
    logme_spectrum spectrum;
    double *evidences; /* of the targets */
} logme_work;

static void work_free(logme_work *work)
{
    free(work->gram);
    free(work->gram_copy);
    free(work->gram_single);
    free(work->block);
    free(work->reflectors);
    free(work->workspace);
    free(work->spectrum.diagonal);
    free(work->spectrum.off_diagonal);
    free(work->spectrum.projections);
    free(work->spectrum.squares);
    free(work->evidences);
}

static gbv_status work_create(const gbv_measure_input *input, const present_classes *classes, bool absent,
                              logme_work *work, gbv_error *error)
{
    size_t rows = input->rows, columns = input->features.columns, cells, projection_cells;
    bool dual = rows < columns;
    size_t order = dual ? rows : columns, targets = classes ? classes->count + absent : input->targets.columns;
    *work = (logme_work){.features = &input->features,
                         .targets = classes ? NULL : &input->targets,
                         .classes = classes,
                         .absent = absent};
    work->spectrum =
        (logme_spectrum){.rows = rows, .columns = columns, .order = order, .dual = dual, .target_count = targets};
    if (order > INT_MAX || targets > INT_MAX)
        return error_set(error, GBV_BAD_INPUT, "logme takes at most %d columns and targets", INT_MAX);
    logme_spectrum *spectrum = &work->spectrum;
    /* Lines of `order` numbers: rows of the features, or their columns when dual. */
    work->block_lines = BLOCK_BYTES / sizeof(double) / order;
    if (work->block_lines < 64)
        work->block_lines = 64;
    if (work->block_lines > SINGLE_ROWS)
        work->block_lines = SINGLE_ROWS;
    if (work->block_lines > (dual ? columns : rows))
        work->block_lines = dual ? columns : rows;
    if (__builtin_mul_overflow(order, order, &cells) || __builtin_mul_overflow(order, targets, &projection_cells))
        return error_out_of_memory(error, "the Gram matrix of the features");
    work->gram = memory_array(cells, sizeof *work->gram);
    work->block = memory_array(work->block_lines, order * sizeof(double));
    work->reflectors = memory_array(order, sizeof *work->reflectors);
    spectrum->diagonal = memory_array(order, sizeof(double));
    spectrum->off_diagonal = memory_zeroed(order, sizeof(double));
    spectrum->projections = memory_array(projection_cells, sizeof(double));
    spectrum->squares = memory_array(targets, sizeof(double));
    work->evidences = memory_array(targets, sizeof(double));
    if (!work->gram || !work->block || !work->reflectors || !spectrum->diagonal || !spectrum->off_diagonal ||
        !spectrum->projections || !spectrum->squares || !work->evidences)
        return error_out_of_memory(error, "the Gram matrix of the features");
    return GBV_OK;
}

/* Adds the block's lines to the Gram matrix. Row-major lines of `order` numbers are columns to BLAS. */
static void add_gram(logme_work *work, const void *block, size_t lines)
{
    int order = (int)work->spectrum.order, count = (int)lines;
    if (!work->single) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, order, count, 1, block, order, 1, work->gram, order);
        return;
    }
    cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, order, count, 1, block, order, 0, work->gram_single, order);
    for (size_t j = 0; j < work->spectrum.order; j++)
        dense_add_f32(work->gram + j * work->spectrum.order + j, work->gram_single + j * work->spectrum.order + j,
                      work->spectrum.order - j);
}

static inline double root_of(const logme_work *work, size_t row)
{
    return work->roots ? work->roots[row] : 1;
}

static void add_line(const logme_work *work, const void *line, double factor, double *sums)
{
    size_t columns = work->spectrum.columns;
    if (factor == 1 && work->single)
        dense_add_f32(sums, line, columns);
    else if (factor == 1)
        dense_add_f64(sums, line, columns);
    else if (!work->single)
        cblas_daxpy((int)columns, factor, line, 1, sums, 1);
    else
        for (size_t j = 0; j < columns; j++)
            sums[j] += factor * (double)((const float *)line)[j];
}

/* X'y of the block's rows, for each class or target. */
static void add_projections(logme_work *work, const void *block, size_t first, size_t count, double *target_row)
{
    size_t columns = work->spectrum.columns;
    for (size_t i = 0; i < count; i++) {
        const void *line = (const char *)block + i * columns * (work->single ? sizeof(float) : sizeof(double));
        double *sums = work->spectrum.projections;
        double root = root_of(work, first + i);
        if (work->classes) {
            add_line(work, line, root, sums + (size_t)work->classes->ranks[first + i] * columns);
            continue;
        }
        matrix_row_f64(work->targets, first + i, target_row);
        for (size_t r = 0; r < work->targets->columns; r++)
            add_line(work, line, root * target_row[r], sums + r * columns);
    }
}

/* numbers[i] *= factors[i * step]. */
static void scale_line(const logme_work *work, void *numbers, size_t count, const double *factors, size_t step)
{
    for (size_t i = 0; i < count; i++)
        if (work->single)
            ((float *)numbers)[i] *= (float)factors[i * step];
        else
            ((double *)numbers)[i] *= factors[i * step];
}

/* The block's rows as dense lines, weighted; in place when they already are. */
static const void *row_block(const logme_work *work, size_t first, size_t count)
{
    const gbv_matrix *matrix = work->features;
    gbv_type type = work->single ? GBV_F32 : GBV_F64;
    if (!work->roots && matrix_is_plain(matrix, type) &&
        matrix->row_stride == (ptrdiff_t)(matrix->columns * type_size(type)))
        return (const char *)matrix->data + (ptrdiff_t)first * matrix->row_stride;
    for (size_t i = 0; i < count; i++) {
        void *line = (char *)work->block + i * matrix->columns * type_size(type);
        if (work->single)
            matrix_row_f32(matrix, first + i, line);
        else
            matrix_row_f64(matrix, first + i, line);
        if (work->roots)
            scale_line(work, line, matrix->columns, work->roots + first + i, 0);
    }
    return work->block;
}

static gbv_status gather(logme_work *work, gbv_error *error)
{
    logme_spectrum *spectrum = &work->spectrum;
    double *target_row = memory_array(spectrum->target_count, sizeof *target_row);
    if (!target_row)
        return error_out_of_memory(error, "a row of targets");
    for (size_t first = 0; first < spectrum->rows; first += work->block_lines) {
        size_t left = spectrum->rows - first, count = left < work->block_lines ? left : work->block_lines;
        const void *block = row_block(work, first, count);
        add_gram(work, block, count);
        add_projections(work, block, first, count, target_row);
    }
    free(target_row);
    return GBV_OK;
}

/* Dual: blocks of columns, turned so that each line holds one column's rows; the projections are the targets. */
static void gather_dual(logme_work *work)
{
    logme_spectrum *spectrum = &work->spectrum;
    size_t rows = spectrum->rows;
    for (size_t first = 0; first < spectrum->columns; first += work->block_lines) {
        size_t left = spectrum->columns - first, count = left < work->block_lines ? left : work->block_lines;
        gbv_matrix turned = *work->features;
        turned.data = (const char *)turned.data + (ptrdiff_t)first * turned.column_stride;
        turned.row_stride = work->features->column_stride;
        turned.column_stride = work->features->row_stride;
        turned.rows = count;
        turned.columns = rows;
        for (size_t j = 0; j < count; j++) {
            void *line = (char *)work->block + j * rows * (work->single ? sizeof(float) : sizeof(double));
            if (work->single)
                matrix_row_f32(&turned, j, line);
            else
                matrix_row_f64(&turned, j, line);
            if (work->roots)
                scale_line(work, line, rows, work->roots, 1);
        }
        add_gram(work, work->block, count);
    }
    for (size_t i = 0; i < rows; i++) {
        if (work->classes)
            spectrum->projections[(size_t)work->classes->ranks[i] * rows + i] = root_of(work, i);
        for (size_t r = 0; work->targets && r < work->targets->columns; r++)
            spectrum->projections[r * rows + i] = root_of(work, i) * gbv_matrix_get(work->targets, i, r);
    }
}

static void square_targets(logme_work *work)
{
    logme_spectrum *spectrum = &work->spectrum;
    for (size_t t = 0; t < spectrum->target_count; t++)
        spectrum->squares[t] = 0;
    for (size_t i = 0; i < spectrum->rows; i++) {
        double root = root_of(work, i);
        if (work->classes)
            spectrum->squares[work->classes->ranks[i]] += root * root;
        for (size_t t = 0; work->targets && t < spectrum->target_count; t++) {
            double value = root * gbv_matrix_get(work->targets, i, t);
            spectrum->squares[t] += value * value;
        }
    }
}

/* G = Q T Q', and Q' applied to the projections. */
static gbv_status reduce(logme_work *work, gbv_error *error)
{
    logme_spectrum *spectrum = &work->spectrum;
    int order = (int)spectrum->order, targets = (int)spectrum->target_count, query = -1, info = 0, size;
    double reduce_size, apply_size;
    dsytrd_("L", &order, work->gram, &order, spectrum->diagonal, spectrum->off_diagonal, work->reflectors, &reduce_size,
            &query, &info);
    dormtr_("L", "L", "T", &order, &targets, work->gram, &order, work->reflectors, spectrum->projections, &order,
            &apply_size, &query, &info);
    double wanted = fmax(reduce_size, apply_size);
    size = wanted < INT_MAX ? (int)wanted : INT_MAX;
    free(work->workspace);
    if (!(work->workspace = memory_array((size_t)size, sizeof(double))))
        return error_out_of_memory(error, "the reduction of the Gram matrix");
    /* Blocks of 8 instead of the 32 that dsytrd asks for: a tenth faster at 512 features (measured). */
    int narrow = size < 8 * order ? size : 8 * order;
    dsytrd_("L", &order, work->gram, &order, spectrum->diagonal, spectrum->off_diagonal, work->reflectors,
            work->workspace, &narrow, &info);
    if (info == 0)
        dormtr_("L", "L", "T", &order, &targets, work->gram, &order, work->reflectors, spectrum->projections, &order,
                work->workspace, &size, &info);
    if (info != 0)
        return error_set(error, GBV_FAILED, "the Gram matrix of the features could not be reduced (LAPACK says %d)",
                         info);
    return GBV_OK;
}

/* The authors decompose X'X and drop singular values of X up to 1e-10. Where the rank is short that cuts through
 * rounding noise, so the count is left to the routine they use. */
static gbv_status count_dropped(logme_work *work, gbv_error *error)
{
    logme_spectrum *spectrum = &work->spectrum;
    size_t order = spectrum->order;
    double trace = 0;
    for (size_t j = 0; j < order; j++)
        trace += spectrum->diagonal[j];
    spectrum->dropped = 0;
    if (!work->gram_copy || logme_eigenvalues_above(spectrum, 1e-10 * trace))
        return GBV_OK;
    int size = (int)order, query = -1, info = 0, workspace_size;
    double wanted, *values = memory_array(order, sizeof *values);
    double *vectors = memory_array(2 * order, order * sizeof(double)), *workspace = NULL;
    int *integers = memory_array(8 * order, sizeof(int));
    gbv_status status = GBV_OK;
    if (!values || !vectors || !integers) {
        status = error_out_of_memory(error, "the singular values of the Gram matrix");
        goto done;
    }
    double *right = vectors + order * order;
    dgesdd_("A", &size, &size, work->gram_copy, &size, values, vectors, &size, right, &size, &wanted, &query, integers,
            &info);
    workspace_size = wanted < INT_MAX ? (int)wanted : INT_MAX;
    if (!(workspace = memory_array((size_t)workspace_size, sizeof(double)))) {
        status = error_out_of_memory(error, "the singular values of the Gram matrix");
        goto done;
    }
    dgesdd_("A", &size, &size, work->gram_copy, &size, values, vectors, &size, right, &size, workspace, &workspace_size,
            integers, &info);
    if (info != 0) {
        status =
            error_set(error, GBV_FAILED, "the singular values of the features were not found (LAPACK says %d)", info);
        goto done;
    }
    for (size_t j = 0; j < order; j++)
        spectrum->dropped += !(sqrt(values[j]) > 1e-10);
done:
    free(values);
    free(vectors);
    free(integers);
    free(workspace);
    return status;
}

static gbv_status keep_copy(logme_work *work, gbv_error *error)
{
    size_t order = work->spectrum.order;
    if (!work->gram_copy && !(work->gram_copy = memory_array(order, order * sizeof(double))))
        return error_out_of_memory(error, "the Gram matrix of the features");
    for (size_t j = 0; j < order; j++)
        for (size_t i = j; i < order; i++)
            work->gram_copy[j * order + i] = work->gram_copy[i * order + j] = work->gram[j * order + i];
    return GBV_OK;
}

/* The whole computation in one precision. *zero is set for features that are zero everywhere. */
static gbv_status decompose(logme_work *work, logme_form form, bool single, bool *zero, gbv_error *error)
{
    logme_spectrum *spectrum = &work->spectrum;
    size_t order = spectrum->order;
    gbv_status status = GBV_OK;
    work->single = single;
    if (single && !work->gram_single && !(work->gram_single = memory_array(order * order, sizeof(float))))
        return error_out_of_memory(error, "the Gram matrix of the features");
    for (size_t j = 0; j < order * order; j++)
        work->gram[j] = 0;
    for (size_t j = 0; j < order * spectrum->target_count; j++)
        spectrum->projections[j] = 0;
    if (spectrum->dual)
        gather_dual(work);
    else
        status = gather(work, error);
    if (status != GBV_OK)
        return status;
    square_targets(work);
    double trace = 0;
    for (size_t j = 0; j < order; j++)
        trace += work->gram[j * order + j];
    *zero = trace == 0;
    if (*zero)
        return GBV_OK;
    if (!isfinite(trace))
        return error_set(error, GBV_BAD_INPUT,
                         "the squares of the features overflow: scale the features before measuring logme");
    if (form == LOGME_CODE && spectrum->rows > spectrum->columns)
        status = keep_copy(work, error);
    if (status == GBV_OK)
        status = reduce(work, error);
    return status == GBV_OK ? count_dropped(work, error) : status;
}

/* Single-precision products leave eigenvalues about as far below zero as they are wrong; once that matters beside the
 * regularisation the answer is not to be trusted. */
static bool too_rough(const logme_spectrum *spectrum)
{
    return !logme_eigenvalues_above(spectrum, -0.01 * spectrum->smallest_lambda);
}

static double mean_evidence(const double *evidences, const present_classes *classes, size_t target_count, bool absent)
{
    if (!absent)
        return measure_mean(evidences, target_count);
    double total = (double)(classes->largest + 1), missing = total - (double)classes->count, sum = 0;
    for (size_t c = 0; c < classes->count; c++)
        sum += evidences[c];
    return (sum + missing * evidences[classes->count]) / total;
}

/* The classes of the labels, or none for real targets, and whether a target stands for those without rows. */
static gbv_status find_targets(const gbv_measure_input *input, logme_form form, present_classes *classes, bool *absent,
                               gbv_error *error)
{
    *classes = (present_classes){0};
    gbv_status status = input->targets.data ? GBV_OK : present_classes_create(input, classes, error);
    *absent = form != LOGME_CORRECTED && !input->targets.data && classes->count <= classes->largest;
    return status;
}

/* The score of what `work` holds, with its roots. */
static gbv_status work_score(logme_work *work, logme_form form, bool single, double *score, gbv_error *error)
{
    bool zero;
    for (;;) {
        gbv_status status = decompose(work, form, single, &zero, error);
        if (status == GBV_OK && zero)
            *score = -INFINITY;
        if (status != GBV_OK || zero)
            return status;
        if ((status = logme_evidence(&work->spectrum, form, work->evidences, error)) != GBV_OK)
            return status;
        if (!single || !too_rough(&work->spectrum))
            break;
        single = false;
    }
    *score = mean_evidence(work->evidences, work->classes, work->spectrum.target_count, work->absent);
    return GBV_OK;
}

static gbv_status logme(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                        gbv_error *error)
{
    (void)row_terms;
    logme_work work = {0};
    present_classes classes;
    bool absent;
    gbv_status status = find_targets(input, (logme_form)variant, &classes, &absent, error);
    if (status == GBV_OK)
        status = work_create(input, input->targets.data ? NULL : &classes, absent, &work, error);
    if (status == GBV_OK)
        status = work_score(&work, (logme_form)variant, input->fast, score, error);
    work_free(&work);
    present_classes_free(&classes);
    return status;
}

typedef struct logme_replicates {
    const replicate_task *task;
    logme_work *works; /* one for each worker */
    double *roots;     /* workers x rows */
    double *scores;
} logme_replicates;

static gbv_status score_replicate(void *context, size_t worker, size_t piece, gbv_error *error)
{
    logme_replicates *l = context;
    const replicate_task *task = l->task;
    size_t rows = task->draws->rows;
    double *roots = l->roots + worker * rows;
    for (size_t i = 0; i < rows; i++)
        roots[i] = sqrt(task->draws->weights[piece * rows + i]);
    l->works[worker].roots = roots;
    return work_score(&l->works[worker], (logme_form)task->variant, task->input->fast, &l->scores[piece], error);
}

static gbv_status replicates(const replicate_task *task, double *scores, gbv_error *error)
{
    const gbv_measure_input *input = task->input;
    size_t workers = plan_workers(input->threads, task->draws->count);
    present_classes classes;
    bool absent;
    gbv_status status = find_targets(input, (logme_form)task->variant, &classes, &absent, error);
    if (status != GBV_OK)
        return status;
    logme_replicates l = {.task = task,
                          .works = memory_zeroed(workers, sizeof *l.works),
                          .roots = memory_array(workers, input->rows * sizeof *l.roots),
                          .scores = scores};
    if (!l.works || !l.roots)
        status = error_out_of_memory(error, "the weights of the rows");
    for (size_t w = 0; w < workers && status == GBV_OK; w++)
        status = work_create(input, input->targets.data ? NULL : &classes, absent, &l.works[w], error);
    if (status == GBV_OK)
        status = replicate_share(task, task->draws->count, workers, score_replicate, &l, error);
    for (size_t w = 0; w < workers && l.works; w++)
        work_free(&l.works[w]);
    free(l.works);
    free(l.roots);
    present_classes_free(&classes);
    return status;
}

const measure measure_logme = {
    .info = {.name = "logme",
             .summary = "log maximum evidence of a linear model from the features to the labels or real targets",
             .variants = "corrected|code|icml",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + m³ + C·m²",
             .blind_to = "the model's own classifier: only what its features could serve is seen",
             .resampled = GBV_ROW_WEIGHTS},
    .compute = logme,
    .replicates = {.compute = replicates, .variants = 3, .weighs_rows = true, .at_these_rows = true},
    .takes_targets = true,
};
