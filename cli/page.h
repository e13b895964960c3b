/* page.h - --report FILE, which every command takes: also write a page. Commands with a result make a page of it; of
 * the others it shows what they printed. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <gbv/gbv.h>

#include "options.h"

/* Whether the folder of an output takes files: found out before the work, not after it. */
bool path_can_be_written(const char *path);

/* What --report asks for, once it is known. PARSED or an exit code. */
int page_begin(const command *self, const char *path, int count, char **arguments);
const char *page_path(void); /* NULL: no page is wanted */
/* With the command line of this run. */
gbv_page_options page_options(void);
/* Says that there will be no page, because `why`; PARSED when none is wanted. */
int page_refuse(const command *self, const char *why);

/* Writes the page that is wanted, if any. GBV_OK or an exit code. */
int page_of_result(const command *self, const gbv_result *result);
int page_of_listing(const command *self, const gbv_listing *listing);
/* What a function that writes a page returned, as an exit code. */
int page_done(const command *self, gbv_status status, const gbv_error *error);

/* After the command: shows what was held back, and makes the page of a command that has none of its own. */
int page_end(const command *self, int code);

#endif
