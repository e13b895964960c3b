/* list.c - the names of everything that can be chosen, for programs that offer the choice. */
#include <string.h>

#include <gbv/augment.h>
#include <gbv/export.h>
#include <gbv/value.h>

#include "data/annotation/annotation.h"
#include "data/format/format.h"
#include "nn/kind.h"
#include "problem/problem.h"
#include "value/flags.h"
#include "value/method/method.h"
#include "value/strategies.h"

bool gbv_list(const char *what, size_t index, const char **name, const char **summary)
{
    if (strcmp(what, "measures") == 0) {
        const gbv_measure_info *m = gbv_measure_at(index);
        return m && (*name = m->name, *summary = m->summary, true);
    }
    if (strcmp(what, "operators") == 0) {
        const gbv_operator *o = gbv_operator_at(index);
        return o && (*name = o->name, *summary = o->summary, true);
    }
    if (strcmp(what, "policies") == 0) {
        const gbv_named_policy *p = gbv_named_policy_at(index);
        return p && (*name = p->name, *summary = p->summary, true);
    }
    if (strcmp(what, "methods") == 0) {
        const method *m = method_at(index);
        return m && (*name = m->name, *summary = m->summary, true);
    }
    if (strcmp(what, "problems") == 0) {
        const problem *p = problem_at(index);
        return p && (*name = p->name, *summary = p->summary, true);
    }
    if (strcmp(what, "formats") == 0) {
        const format *f = format_at(index);
        return f && (*name = f->name, *summary = f->summary, true);
    }
    if (strcmp(what, "flags") == 0)
        return flag_kind_at(index, name, summary);
    if (strcmp(what, "importers") == 0) {
        const importer *i = importer_at(index);
        return i && (*name = i->name, *summary = i->summary, true);
    }
    if (strcmp(what, "strategies") == 0) {
        const strategy *s = strategy_at(index);
        return s && (*name = s->name, *summary = s->summary, true);
    }
    if (strcmp(what, "exports") == 0) {
        const gbv_export *e = gbv_export_at(index);
        return e && (*name = e->name, *summary = e->summary, true);
    }
    const model_kind *k = strcmp(what, "models") == 0 ? model_kind_at(index) : NULL;
    return k && (*name = k->name, *summary = k->summary, true);
}
