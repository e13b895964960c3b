#include "nn/schedule.h"

#include <math.h>
#include <string.h>

double schedule_factor(schedule_kind kind, const schedule_place *at)
{
    switch (kind) {
    case SCHEDULE_LINEAR:
        return 1 - (double)at->step / (double)at->steps;
    case SCHEDULE_STEP:
        return pow(0.1, (double)(at->epoch / 10));
    case SCHEDULE_PAPER:
        return at->epoch < 20 ? 1 : pow(0.1, (double)((at->epoch - 20) / 10 + 1));
    case SCHEDULE_PAPER_LATE:
        return at->epoch < 30 ? 1 : pow(0.1, (double)((at->epoch - 30) / 10 + 1));
    case SCHEDULE_COSINE:
        return 0.5 * (1 + cos(M_PI * (double)at->epoch / (double)at->epochs));
    default:
        return 1;
    }
}

bool schedule_find(const char *name, schedule_kind *kind)
{
    static const char *const names[] = {"constant", "linear", "step", "paper", "paper-late", "cosine"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *kind = (schedule_kind)i;
            return true;
        }
    return false;
}

bool optimizer_find(const char *name, optimizer_kind *kind)
{
    static const char *const names[] = {"sgd", "adam", "adamw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *kind = (optimizer_kind)i;
            return true;
        }
    return false;
}
