/* problem.c - the table of problems, and the pieces they share. */
#include "problem/problem.h"

#include <string.h>

#include "base/error.h"

#define PROBLEM(name) extern const problem problem_##name;
#include "problem/problems.def"
#undef PROBLEM

static const problem *const problems[] = {
#define PROBLEM(name) &problem_##name,
#include "problem/problems.def"
#undef PROBLEM
};

const problem *problem_at(size_t index)
{
    return index < sizeof problems / sizeof *problems ? problems[index] : NULL;
}

const problem *problem_find(const char *name)
{
    for (size_t i = 0; problem_at(i); i++)
        if (strcmp(problem_at(i)->name, name) == 0)
            return problem_at(i);
    return NULL;
}

sample problem_source_sample(const problem_case *given, size_t source_index, sample_part *part)
{
    const source *s = &given->sources->items[source_index];
    *part = sample_part_of(s->dataset, s->rows, s->row_count, s->labels, given->classes->class_of_label);
    return sample_of(part);
}

gbv_status problem_fit_on_sample(const problem_case *given, size_t source_index, const refit *how, arena *scratch,
                                 gbv_model **model, gbv_error *error)
{
    const char *name = given->sources->items[source_index].name;
    sample_part part, drawn;
    sample rows = problem_source_sample(given, source_index, &part);
    if (how->draw > 0) {
        random_stream stream = random_stream_open_draw(given->model->seed, name, RANDOM_DRAW, how->draw);
        if (!sample_part_draw(&part, &stream, false, scratch, &drawn))
            return error_out_of_memory(error, "the rows of a source");
        rows.parts = &drawn;
        rows.rows = drawn.count;
    }
    return model_refit(&rows, given->classes->count, given->model, name, how, scratch, model, error);
}

problem_target problem_reference(const problem_case *given, size_t source_index)
{
    (void)source_index;
    return (problem_target){.rows = given->reference};
}
