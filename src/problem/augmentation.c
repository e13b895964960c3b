/* augmentation.c - data augmentation (paper, section 4.3): a source is an augmentor. One universal pretrained model is
 * scored on the training images as the augmentor changes them. */
#include "problem/problem.h"

static gbv_status universal_model(const problem_case *given, size_t source_index, const refit *how, arena *scratch,
                                  gbv_model **model, gbv_error *error)
{
    (void)source_index;
    (void)how;
    (void)scratch;
    return gbv_model_read_pretrained(given->model->pretrained, given->model->model, model, error);
}

static problem_target changed_images(const problem_case *given, size_t source_index)
{
    const gbv_augmentor *augmentor = &given->augmentors[source_index];
    return (problem_target){.rows = given->reference, .augmentor = augmentor->op ? augmentor : NULL};
}

extern const problem problem_augmentation;
const problem problem_augmentation = {
    .name = "augmentation",
    .summary = "augmentors; a universal pretrained model is scored on the training images as each changes them",
    .phi = universal_model,
    .varphi = changed_images,
};
