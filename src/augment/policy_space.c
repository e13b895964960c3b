#include "augment/policy_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(policy_space *space, space_item item)
{
    space->items[space->count++] = item;
}

gbv_status policy_space_code(policy_space *space, size_t height, size_t width, gbv_error *error)
{
    gbv_augmentor *all = NULL;
    size_t count;
    gbv_status status = gbv_grid_create(GBV_GRID_CODE, height, width, &all, &count, error);
    *space = (policy_space){.strengths = GBV_GRID_MAGNITUDES};
    for (size_t i = 0; status == GBV_OK && i < count; i++) {
        space_item *last = space->count ? &space->items[space->count - 1] : NULL;
        if (!last || last->op != all[i].op) {
            add(space, (space_item){.op = all[i].op, .coin = all[i].coin});
            last = &space->items[space->count - 1];
        }
        last->grid[last->count++] = all[i].magnitude;
    }
    free(all);
    return status;
}

void policy_space_common(policy_space *space, const space_ranges *r)
{
    bool shares = r->translate <= 1;
    const struct {
        const char *name;
        space_item item;
    } all[] = {
        {NULL, {0}},
        {"shear_x", {.last = r->shear, .coin = true}},
        {"shear_y", {.last = r->shear, .coin = true}},
        {"translate_x", {.last = r->translate, .coin = true, .of_side = shares}},
        {"translate_y", {.last = r->translate, .coin = true, .of_side = shares}},
        {"rotate", {.last = r->degrees, .coin = true}},
        {"brightness", {.last = r->factor, .coin = true, .around_one = true}},
        {"color", {.last = r->factor, .coin = true, .around_one = true}},
        {"contrast", {.last = r->factor, .coin = true, .around_one = true}},
        {"sharpness", {.last = r->factor, .coin = true, .around_one = true}},
        {"posterize", {.first = 8, .last = r->bits}},
        {"solarize", {.first = r->threshold, .last = 0}},
        {"auto_contrast", {0}},
        {"equalize", {0}},
    };
    *space = (policy_space){.strengths = 31};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        space_item item = all[i].item;
        item.op = all[i].name ? gbv_operator_find(all[i].name) : NULL;
        add(space, item);
    }
}

double policy_space_magnitude(const space_item *item, double strength)
{
    if (item->count)
        return item->grid[(size_t)lround(strength * (double)(item->count - 1))];
    double magnitude = item->first + strength * (item->last - item->first);
    if (item->op && !item->coin && augment_operator_of(item->op)->whole_number) /* translations cut themselves */
        magnitude = item->rounded_up ? ceil(magnitude - 1e-9) : nearbyint(magnitude);
    return fmin(fmax(magnitude, item->least), item->most);
}

void policy_space_step(const policy_space *space, size_t index, double strength, random_stream *stream,
                       augment_draw *draw)
{
    const space_item *item = &space->items[index];
    double magnitude = policy_space_magnitude(item, strength);
    if (!item->op)
        return;
    if (item->coin && random_below(stream, 2) == 0)
        magnitude = -magnitude;
    draw->steps[draw->count++] = (gbv_augmentor){.op = item->op, .magnitude = magnitude + item->around_one};
}

double policy_space_strength(const policy_space *space, random_stream *stream)
{
    return (double)random_below(stream, space->strengths) / (double)(space->strengths - 1);
}

void policy_space_pair(const policy_space *space, bool different, random_stream *stream, size_t items[2])
{
    items[0] = random_below(stream, space->count);
    items[1] = random_below(stream, space->count - different);
    items[1] += different && items[1] >= items[0];
}

void policy_space_noise_last(augment_draw *draw)
{
    if (draw->count == 2 && strcmp(draw->steps[0].op->name, "gaussian_noise") == 0) {
        gbv_augmentor noise = draw->steps[0];
        draw->steps[0] = draw->steps[1];
        draw->steps[1] = noise;
    }
}

gbv_status policy_space_fit(policy_space *space, size_t height, size_t width, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < space->count && status == GBV_OK; i++) {
        space_item *item = &space->items[i];
        if (!item->op)
            continue;
        double side = (double)(augment_operator_of(item->op)->along_width ? width : height);
        double share = item->of_side ? side : 1, unit = item->op->of_side ? side : 1;
        /* A translation by more than the side leaves as little of the image as one by the side, and fewer bits than
         * the least are the least; of other magnitudes out of range the check tells. */
        bool cut = item->op->of_side || !item->op->is_signed;
        item->least = cut ? item->op->least * unit : -INFINITY;
        item->most = cut ? item->op->most * unit : INFINITY;
        item->first *= share;
        item->last *= share;
        item->of_side = false;
        for (size_t end = 0; end < 2 && status == GBV_OK; end++) {
            double magnitude = policy_space_magnitude(item, (double)end);
            status = augment_check(item->op, magnitude + item->around_one, height, width, error);
            if (status == GBV_OK && item->coin)
                status = augment_check(item->op, -magnitude + item->around_one, height, width, error);
        }
    }
    return status;
}
