#include "use.h"

void use_options(use *u, option table[USE_OPTIONS])
{
    table[0] = (option)UNDER(HEADING_RUN);
    table[1] = (option){"backend",
                        OPTION_TEXT,
                        &u->backend,
                        "auto|cpu|reference",
                        "what a network is computed with (default: the fastest there is)",
                        0};
    inputs_dataset_options(&u->read, &u->preprocess, table + 2);
}

int use_open(const command *self, use *u, gbv_status status, const gbv_error *given, const char *dataset)
{
    gbv_error error = *given;
    if (status == GBV_OK)
        status = gbv_model_run_with(u->model, u->backend, u->threads, &error);
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message);
    int code = inputs_prepare_images(self, &u->read, u->preprocess, NULL);
    if (code != PARSED)
        return code;
    if (!u->preprocess)
        gbv_model_prepare_images(u->model, &u->read);
    u->read.threads = u->threads;
    return inputs_read_dataset(self, dataset, &u->read, &u->dataset);
}

void use_close(use *u)
{
    gbv_dataset_free(u->dataset);
    gbv_model_free(u->model);
}
