/* result_record.c - where a result comes from: uses of the reference, command, options, inputs and their hashes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/command.h"
#include "report/html/body.h"
#include "report/html/result_sections.h"
#include "report/plain.h"
#include "report/result_words.h"

void result_section_reference(page *p, const result_view *v)
{
    const gbv_result *r = v->result;
    char rows[PLAIN_TEXT];
    page_section(p, "reference", "Reference", NULL);
    if (!r->reference_use_count) {
        page_paragraph(p, "There was no reference: the sources were judged by each other.");
        return;
    }
    page_paragraph(p, "Every use that was made of its %s rows:", plain_count(r->reference_rows, rows));
    page_list(p, (const char *const *)r->reference_uses, r->reference_use_count);
    page_note(p, "What a model is chosen by on these rows is no fair test of it: judge the final model on other rows.");
}

/* The command that was typed, or else one that does the same. */
static void add_command(page *p, const result_view *v)
{
    char *made = v->command ? NULL : command_of_result(v->result, NULL);
    const char *command = v->command ? v->command : made;
    if (!command)
        page_fail(p);
    else if (*command) {
        page_heading(p, "Command");
        page_code(p, command);
        if (made)
            page_note(p, "Made up from the record: the command that was typed may have named the same differently.");
    } else if (made)
        page_note(p, "The data came from memory: there is no command that makes this again.");
    free(made);
}

/* What decides the numbers, name by name; how tau was found stands beside it. */
static void add_settings(page *p, const gbv_result *r)
{
    char tau[80], number[32], seed[24];
    const page_setting fixed[] = {{"gbv", r->version},
                                  {"method", r->method},
                                  {"measure", r->measure},
                                  {"variant", r->variant},
                                  {"model", r->model},
                                  {"looks at", r->feature_space},
                                  {"tau", tau},
                                  {"seed", seed},
                                  {"instruction set", r->instruction_set}};
    size_t fixed_count = sizeof fixed / sizeof *fixed, count = 0;
    page_setting *settings = memory_array(fixed_count + r->option_count, sizeof *settings);
    if (!settings) {
        page_fail(p);
        return;
    }
    snprintf(tau, sizeof tau, "%s (%s)", page_full_number(r->tau, number), tau_mode_words[r->tau_mode]);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->seed);
    for (size_t i = 0; i < fixed_count; i++)
        settings[count++] = fixed[i];
    for (size_t i = 0; i < r->option_count; i++)
        if (strcmp(r->options[i].name, "tau") != 0)
            settings[count++] = (page_setting){r->options[i].name, r->options[i].value};
    page_settings(p, settings, count);
    free(settings);
}

static void fill_input(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_input_record *input = &((const gbv_result *)context)->inputs[row];
    if (column == 0)
        cell->text = input->path;
    else if (column == 1)
        cell->text = input->role                                                      ? input->role
                     : row == 0 && ((const gbv_result *)context)->reference_use_count ? "reference"
                                                                                      : "source";
    else if (column == 2)
        cell->value = input->rows ? (double)input->rows : NAN;
    else
        cell->text = *input->sha256 ? input->sha256 : "from memory";
}

void result_section_record(page *p, const result_view *v)
{
    static const page_column inputs[] = {{.name = "File", .kind = PAGE_CODE},
                                         {.name = "Role"},
                                         {.name = "Rows", .kind = PAGE_COUNT},
                                         {.name = "SHA-256", .kind = PAGE_CODE}};
    const gbv_result *r = v->result;
    page_section(p, "record", "Record", "With the same version, inputs and options the numbers come out the same.");
    add_command(p, v);
    add_settings(p, r);
    page_table_add(p, &(page_table){.id = "inputs",
                                    .caption = "Inputs",
                                    .columns = inputs,
                                    .column_count = 4,
                                    .row_count = r->input_count,
                                    .cell = fill_input,
                                    .context = r});
}
