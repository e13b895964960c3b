#include "nn/held_out.h"

/* How many rows of each class to hold out. What a class cannot give for its size is carried to the next, so that the
 * share is right over all. */
static void share_out(double share, size_t class_count, size_t *quota)
{
    double owed = 0;
    for (size_t c = 0; c < class_count; c++) {
        size_t members = quota[c];
        owed += share * (double)members;
        size_t whole = (size_t)(owed + 1e-9);
        quota[c] = members == 0 ? 0 : whole < members ? whole : members - 1;
        owed -= (double)quota[c];
    }
}

bool held_out_split(const int32_t *classes, size_t count, size_t class_count, double share, random_stream stream,
                    arena *scratch, size_t *rows, size_t *trained)
{
    size_t *quota = arena_zeroed(scratch, class_count, sizeof *quota);
    size_t *order = arena_array(scratch, count, sizeof *order);
    bool *held = arena_zeroed(scratch, count, sizeof *held);
    if (!quota || !order || !held)
        return false;
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
        quota[classes[i]]++;
    }
    random_shuffle(&stream, order, count);
    share_out(share > 0 ? share : 0, class_count, quota);
    for (size_t k = 0; k < count; k++)
        if (quota[classes[order[k]]]) {
            quota[classes[order[k]]]--;
            held[order[k]] = true;
        }
    size_t filled = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++)
            if (held[i] == pass)
                rows[filled++] = i;
        if (pass == 0)
            *trained = filled;
    }
    return true;
}
