/* redact.h - what may be shown to one vendor: a copy in which only the sources that are kept are named. The others are
 * "other 1", "other 2", ... in an order that follows from neither names nor places; what is said of them in words,
 * their files and hashes, and whatever else might name them is not in the copy, so that no page can show it.
 *
 *     gbv_result *shown;
 *     status = redact_result(result, options, &shown, error);
 *     ... pages are made of `shown`, with the command left out
 *     gbv_result_free(shown);
 */
#ifndef REPORT_REDACT_H
#define REPORT_REDACT_H

#include <gbv/report.h>

/* The caller frees the copies. GBV_USAGE when a source to keep is not there. */
GBV_MUST_CHECK gbv_status redact_result(const gbv_result *result, const gbv_page_options *options, gbv_result **copy,
                                        gbv_error *error);
GBV_MUST_CHECK gbv_status redact_comparison(const gbv_comparison *comparison, const gbv_page_options *options,
                                            gbv_comparison **copy, gbv_error *error);
/* The result of the last batch (NULL: none) gets the same names. */
GBV_MUST_CHECK gbv_status redact_history(const gbv_history *history, const gbv_result *last,
                                         const gbv_page_options *options, gbv_history **copy, gbv_result **last_copy,
                                         gbv_error *error);

/* New places and names of the sources: those kept come first, in their order. */
typedef struct redaction {
    size_t count, kept;
    const char *const *names; /* as they are, borrowed */
    size_t *order;            /* place in the copy -> place in the original */
    char **shown;             /* by place in the copy: the name there */
} redaction;

/* `secret` is anything that only those know who have the original: it decides the order of the others. */
GBV_MUST_CHECK gbv_status redaction_open(redaction *r, const char *const *names, size_t count, const char *secret,
                                         const gbv_page_options *options, gbv_error *error);
/* Of some of the same sources, as `all` names them: those that `all` does not know are its last. */
GBV_MUST_CHECK gbv_status redaction_within(redaction *r, const redaction *all, const char *const *names, size_t count,
                                           gbv_error *error);
void redaction_close(redaction *r);
/* The copy that this redaction, of the result's sources, makes. */
GBV_MUST_CHECK gbv_status redact_result_as(const gbv_result *result, const redaction *r, gbv_result **copy,
                                           gbv_error *error);
/* Whether a text names a source that is not kept, as a word of its own; of a long name, how it begins. */
bool redaction_betrays(const redaction *r, const char *text);
/* The same elements in the order of the copy: `count` blocks of `size` bytes. False when memory is out. */
bool redaction_move(const redaction *r, void *block, size_t size);

#endif
