#include "data/judged_classes.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "data/match.h"

static gbv_status refuse_slips(const gbv_dataset *dataset, const char *label, char *const *names, size_t count,
                               const char *owner, gbv_error *error)
{
    plain_name wanted = nearest_plain(label);
    bool same_kind = false;
    for (size_t z = 0; z < count; z++) {
        plain_name known = nearest_plain(names[z]);
        same_kind |= label_kind_of_text(names[z]) == dataset->kind;
        if (dataset->kind == LABELS_TEXT && (nearest_equal(&wanted, &known) || nearest_is_slip(&wanted, &known)))
            return error_set(error, GBV_BAD_INPUT,
                             "%s: label '%.60s' is no class of %s, but close to '%.60s': correct the labels",
                             dataset->name, label, owner, names[z]);
    }
    if (same_kind)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT,
                     "%s: its labels are %s ('%.60s'), the classes of %s are not ('%.60s'): use their names",
                     dataset->name, dataset->kind == LABELS_INTEGER ? "integers" : "text", label, owner, names[0]);
}

gbv_status judged_classes(const gbv_dataset *dataset, char *const *names, size_t count, const char *owner,
                          int32_t *class_of_label, gbv_error *error)
{
    for (size_t c = 0; c < dataset->class_count; c++) {
        const char *label = dataset->class_names[c];
        size_t z = 0;
        while (z < count && strcmp(names[z], label) != 0)
            z++;
        class_of_label[c] = z < count ? (int32_t)z : -1;
        gbv_status status = z < count ? GBV_OK : refuse_slips(dataset, label, names, count, owner, error);
        if (status != GBV_OK)
            return status;
    }
    return GBV_OK;
}
