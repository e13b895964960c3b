/* method.c - the table of methods. */
#include "value/method/method.h"

#include <string.h>

#define METHOD(name) extern const method method_##name;
#include "value/method/methods.def"
#undef METHOD

static const method *const methods[] = {
#define METHOD(name) &method_##name,
#include "value/method/methods.def"
#undef METHOD
};

const method *method_at(size_t index)
{
    return index < sizeof methods / sizeof *methods ? methods[index] : NULL;
}

const method *method_find(const char *name)
{
    for (size_t i = 0; method_at(i); i++)
        if (strcmp(method_at(i)->name, name) == 0)
            return method_at(i);
    return NULL;
}

bool method_has_items(const method *m, size_t shared_items, size_t gold_items)
{
    return !(m->needs & METHOD_NEEDS_OVERLAP && !shared_items) && !(m->needs & METHOD_NEEDS_GOLD && !gold_items);
}
