/* pictures.h - three sources of real images and a reference, for tests of the valuation by networks: "clean" is right,
 * "poisoned" has inverted pixels and the label of the next class. */
#ifndef TESTS_VALUE_PICTURES_H
#define TESTS_VALUE_PICTURES_H

#include "nn/image_support.h"

typedef struct pictures {
    char *folder;
    gbv_dataset *all, *reference;
    gbv_sources *sources;
    size_t count; /* images of each */
} pictures;

enum { PICTURE_SOURCES = 3 };

static inline pictures *pictures_create(size_t count)
{
    static const char *const called[PICTURE_SOURCES] = {"clean", "other", "poisoned"};
    gbv_dataset *all = fashion_read(); /* the test ends here where there is none */
    pictures *p = calloc(1, sizeof *p);
    gbv_error error;
    *p = (pictures){.folder = test_folder_create(), .all = all, .sources = gbv_sources_create(), .count = count};
    for (size_t s = 0; s <= PICTURE_SOURCES; s++) {
        images own = images_of(all, count * s, count, 3);
        const char *argument =
            images_write(&own, p->folder, s < PICTURE_SOURCES ? called[s] : "reference", s == PICTURE_SOURCES - 1);
        if (s < PICTURE_SOURCES)
            assert_ok(gbv_sources_add_file(p->sources, called[s], argument, NULL, &error), error);
        else
            assert_ok(gbv_dataset_read(argument, NULL, &p->reference, &error), error);
        images_free(&own);
    }
    return p;
}

static inline void pictures_free(pictures *p)
{
    gbv_sources_free(p->sources);
    gbv_dataset_free(p->reference);
    gbv_dataset_free(p->all);
    test_folder_remove(p->folder);
    free(p);
}

static inline gbv_value_options pictures_options(void)
{
    gbv_value_options options = gbv_value_defaults();
    options.model = cnn_options(2);
    options.replicates = 0;
    return options;
}

/* The result as JSON for the caller to free. The counts of models may be NULL. */
static inline char *pictures_value(const gbv_dataset *reference, const pictures *p, const gbv_value_options *options,
                                   size_t *trained, size_t *found)
{
    gbv_result *result;
    gbv_error error;
    char *text;
    assert_ok(gbv_value(reference, p->sources, options, &result, &error), error);
    assert_ok(gbv_result_text(result, GBV_FORMAT_JSON, &text, &error), error);
    if (trained)
        *trained = result->models_trained;
    if (found)
        *found = result->models_found;
    gbv_result_free(result);
    return text;
}

/* Writes a network trained on the reference's kind of images, to start from. The caller frees the path. */
static inline char *pictures_write_network(const pictures *p, size_t epochs)
{
    gbv_model_options options = cnn_options(epochs);
    gbv_model *model;
    gbv_error error;
    char *path;
    assert_true(asprintf(&path, "%s/pretrained.safetensors", p->folder) > 0);
    assert_ok(gbv_train(p->sources, (double[]){1, 1, 0}, &options, &model, &error), error);
    assert_ok(gbv_model_write(model, path, &error), error);
    gbv_model_free(model);
    return path;
}

#endif
