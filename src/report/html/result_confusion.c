/* result_confusion.c - what the model of each source takes for what, as one matrix at a time. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/html/confusion.h"
#include "report/html/result_sections.h"

void result_section_confusion(page *p, const result_view *v)
{
    const gbv_result *r = v->result;
    const size_t **matrices = memory_array(r->source_count, sizeof *matrices);
    const char **names = memory_array(r->source_count, sizeof *names);
    size_t count = 0;
    if (!matrices || !names) {
        page_fail(p);
        goto done;
    }
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = &r->sources[v->order[i]];
        if (!s->confusion)
            continue;
        names[count] = s->name;
        matrices[count++] = s->confusion;
    }
    if (!count || !r->class_count)
        goto done;
    page_section(
        p, "confusion", "Confusion",
        "Reference rows by their class and by the class that the model of a source gives them. The tint is the "
        "share of the row; outlined cells are right.");
    page_confusions(p, &(confusions){.select = "Source",
                                     .names = names,
                                     .matrices = matrices,
                                     .count = count,
                                     .classes = (const char *const *)r->classes,
                                     .class_count = r->class_count,
                                     .columns = r->class_count + 1,
                                     .row_axis = "reference",
                                     .column_axis = "model of the source"});
done:
    free(matrices);
    free(names);
}
