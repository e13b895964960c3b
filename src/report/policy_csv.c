/* policy_csv.c - a policy for spreadsheets, one line an augmentor, and the formats it is written in. */
#include <math.h>

#include <gbv/report.h>

#include "base/number.h"
#include "base/output.h"

static void write_number(FILE *stream, double value)
{
    char text[NUMBER_TEXT];
    fprintf(stream, ",%s", isfinite(value) ? number_format(value, text) : "");
}

static void print_csv(const gbv_policy *p, FILE *stream)
{
    fputs("op,magnitude,sign,score,score_low,score_high,prior,probability,probability_low,probability_high\n", stream);
    for (size_t i = 0; i < p->count; i++) {
        const gbv_policy_entry *e = &p->entries[i];
        fputs(e->augmentor.op->name, stream);
        write_number(stream, e->augmentor.magnitude);
        fputs(e->augmentor.coin ? ",coin" : ",given", stream);
        const double numbers[] = {e->score,       e->score_low,       e->score_high,      e->prior,
                                  e->probability, e->probability_low, e->probability_high};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            write_number(stream, numbers[k]);
        fputc('\n', stream);
    }
}

gbv_status gbv_policy_report(const gbv_policy *policy, gbv_report_format format, const char *path, gbv_error *error)
{
    output_file output;
    gbv_status status;
    if (format == GBV_FORMAT_JSON)
        return gbv_policy_write(policy, path, error);
    if ((status = output_open(path, &output, error)) != GBV_OK)
        return status;
    if (format == GBV_FORMAT_CSV)
        print_csv(policy, output.stream);
    else
        status = gbv_policy_table(policy, output.stream, NULL, error);
    if (status == GBV_OK)
        return output_commit(&output, error);
    output_abandon(&output);
    return status;
}
