/* gbv merge - the result of a run whose sources were scored in shards. */
#include <gbv/gbv.h>

#include "fail_if.h"
#include "run.h"

static int run(const command *self, int count, char **arguments)
{
    text_list parts = {0}, fail_if = {0};
    run_options show = {0};
    option output_table[OUTPUT_OPTIONS];
    run_output_options(&show, output_table);
    const option own[] = {
        UNDER(HEADING_RUN),
        {"fail-if", OPTION_LIST, &fail_if, "COND[|COND...]", "exit with 5 if one holds, as for gbv value", 0},
        {0},
    };
    gbv_result *result = NULL;
    gbv_error error;
    int code = options_parse(self, (const option *const[]){output_table, own, NULL}, count, arguments, &parts);
    if (code == PARSED && parts.count == 0)
        code = complain(self, GBV_USAGE, "expected the parts that gbv value --shard wrote; see gbv merge --help");
    if (code == PARSED)
        code = fail_if_check(self, &fail_if);
    if (code == PARSED)
        code = run_start(self, &show);
    if (code == PARSED) {
        gbv_status status = gbv_merge(parts.items, parts.count, &result, &error);
        code =
            status == GBV_OK ? run_write_result(self, &show, result) : complain(self, (int)status, "%s", error.message);
    }
    if (code == GBV_OK)
        code = run_finish(self, &show, 1);
    if (code == GBV_OK)
        code = fail_if_judge(self, &fail_if, result);
    gbv_result_free(result);
    text_list_free(&fail_if);
    text_list_free(&parts);
    return code;
}

extern const command command_merge;
const command command_merge = {
    .name = "merge",
    .usage = "PART ... [-o result.json] [--format table|json|csv]",
    .summary = "the result of all parts that gbv value --shard wrote, as one run would give it",
    .examples = "  gbv merge part-1.json part-2.json part-3.json\n"
                "  gbv merge part-*.json -o result.json\n"
                "  gbv merge part-*.json --format csv > ranking.csv\n",
    .run = run,
    .own_page = true,
};
