/* listing_page.c - the page of a command that has a sentence, a few rows or a text to say. */
#include <gbv/report.h>

#include "report/html/evaluation_sections.h"

static void fill(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_listing *l = context;
    cell->text = l->cells[row * l->column_count + column];
}

gbv_status gbv_listing_page(const gbv_listing *listing, const gbv_page_options *options, const char *path,
                            gbv_error *error)
{
    enum { MOST = 16 };
    page_column columns[MOST] = {0};
    size_t count = listing->column_count < MOST ? listing->column_count : MOST;
    page *p = page_open(&(page_head){.title = "gbv", .kind = listing->kind, .headline = listing->headline});
    for (size_t i = 0; i < count; i++)
        columns[i].name = listing->columns[i];
    if (count && listing->row_count)
        page_table_add(p, &(page_table){.id = "list",
                                        .caption = listing->kind,
                                        .columns = columns,
                                        .column_count = count,
                                        .row_count = listing->row_count,
                                        .cell = fill,
                                        .context = listing});
    if (listing->text && *listing->text)
        page_code(p, listing->text);
    page_add_command(p, options);
    return page_close(p, path, error);
}
