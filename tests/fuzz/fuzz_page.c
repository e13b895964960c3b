/* fuzz_page.c - any bytes at all, recognised, read and made a page of, also one for a single vendor. Ledgers have their
 * own target. */
#include <gbv/gbv.h>

#include "memory_path.h"

static void make_pages(gbv_document document, const char *path)
{
    gbv_result *result = NULL;
    gbv_comparison *comparison = NULL;
    gbv_evaluation *evaluation = NULL;
    gbv_training *training = NULL;
    gbv_error error;
    gbv_status status = GBV_OK;
    gbv_page_options nobody = {.redact = true};
    if (document == GBV_DOCUMENT_RESULT && gbv_result_read(path, &result, &error) == GBV_OK &&
        (status = gbv_result_page(result, NULL, "/dev/null", &error)) == GBV_OK)
        status = gbv_result_page(result, &nobody, "/dev/null", &error);
    if (document == GBV_DOCUMENT_COMPARISON && gbv_comparison_read(path, &comparison, &error) == GBV_OK &&
        (status = gbv_comparison_page(comparison, NULL, "/dev/null", &error)) == GBV_OK)
        status = gbv_comparison_page(comparison, &nobody, "/dev/null", &error);
    if (document == GBV_DOCUMENT_EVALUATION && gbv_evaluation_read(path, &evaluation, &error) == GBV_OK)
        status = gbv_evaluation_page(evaluation, NULL, "/dev/null", &error);
    if (document == GBV_DOCUMENT_TRAINING && gbv_training_read(path, &training, &error) == GBV_OK)
        status = gbv_training_page(training, NULL, "/dev/null", &error);
    if (status != GBV_OK)
        abort();
    gbv_result_free(result);
    gbv_comparison_free(comparison);
    gbv_evaluation_free(evaluation);
    gbv_training_free(training);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = memory_path(bytes, size);
    gbv_document document;
    gbv_error error;
    if (gbv_document_recognise(path, &document, &error) == GBV_OK)
        make_pages(document, path);
    return 0;
}
