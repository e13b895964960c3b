#include "value/store/ledger_replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/store/ledger_step.h"

/* What machines and their libraries may differ by in one step from the same numbers. */
static const double TOLERANCE = 1e-9;

/* The state before a batch that was undone later. */
typedef struct snapshot {
    continual_source *sources;
    drift_state *drift;
} snapshot;

typedef struct player {
    gbv_ledger *ledger;
    gbv_error *error;
    ledger_replay *replay;
    sqlite3_stmt *points_statement;
    bool *undone; /* by its number: a batch that a record below the limit undoes */
    int64_t records;
    snapshot *snapshots;
    size_t snapshot_count;
    unsigned char previous[DIGEST];
    size_t known; /* sources met so far */
    /* The record at hand. */
    ledger_record record;
    char *name;
    ledger_settings settings;
    ledger_point *points;
    size_t point_count;
    step_room room;
    ledger_step step;
    ledger_point **present;
} player;

static gbv_status changed(const player *p, const char *what)
{
    return ledger_damaged(p->ledger, p->error, "%s %lld ('%.100s') %s", p->record.undo ? "the undoing" : "batch",
                          (long long)p->record.number, p->name ? p->name : "", what);
}

static bool alike(double recorded, double computed)
{
    return recorded == computed || (isnan(recorded) && isnan(computed)) ||
           fabs(recorded - computed) <= TOLERANCE * fmax(1, fmax(fabs(recorded), fabs(computed)));
}

static gbv_status make_room(player *p)
{
    size_t all = p->replay->state.names.count;
    p->points = memory_array(all, sizeof *p->points);
    p->present = memory_array(all, sizeof *p->present);
    p->undone = memory_zeroed((size_t)p->records + 1, sizeof *p->undone);
    p->snapshots = memory_zeroed((size_t)p->records + 1, sizeof *p->snapshots);
    p->replay->standing = memory_array((size_t)p->records + 1, sizeof *p->replay->standing);
    return step_room_create(&p->room, all, all) && p->points && p->present && p->undone && p->snapshots &&
                   p->replay->standing
               ? GBV_OK
               : error_out_of_memory(p->error, "the ledger");
}

static void player_free(player *p)
{
    void *blocks[] = {p->points, p->present, p->undone, p->name};
    step_room_free(&p->room);
    for (size_t i = 0; i < p->snapshot_count; i++) {
        free(p->snapshots[i].sources);
        free(p->snapshots[i].drift);
    }
    free(p->snapshots);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    settings_free(&p->settings);
    sqlite3_finalize(p->points_statement);
}

static gbv_status find_undone(player *p, int64_t limit)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gbv_status status =
        ledger_prepare(p->ledger, "SELECT undoes FROM record WHERE undoes > 0 AND number < ?", &statement, p->error);
    if (status == GBV_OK)
        sqlite3_bind_int64(statement, 1, limit);
    while (status == GBV_OK && (status = ledger_next(p->ledger, statement, &row, p->error)) == GBV_OK && row)
        if (sqlite3_column_int64(statement, 0) <= p->records)
            p->undone[sqlite3_column_int64(statement, 0)] = true;
    sqlite3_finalize(statement);
    return status;
}

/* Reads the points of the record at hand and adds them to its hash. */
static gbv_status read_points(player *p, chain *c)
{
    ledger_state *state = &p->replay->state;
    bool row = false;
    gbv_status status = GBV_OK;
    p->point_count = 0;
    sqlite3_reset(p->points_statement);
    sqlite3_bind_int64(p->points_statement, 1, p->record.number);
    while (status == GBV_OK && (status = ledger_next(p->ledger, p->points_statement, &row, p->error)) == GBV_OK &&
           row) {
        cell cells[2 + POINT_CELLS];
        for (int i = 0; i < 2 + POINT_CELLS; i++) {
            cells[i] = cell_column(p->points_statement, i);
            chain_add(c, &cells[i]);
        }
        if (p->point_count >= state->names.count || cells[0].integer < 1 ||
            (size_t)cells[0].integer > state->names.count)
            return changed(p, "has a point of a source that is not there");
        ledger_point *point = &p->points[p->point_count++];
        point->source = (size_t)cells[0].integer;
        p->known = point->source > p->known ? point->source : p->known;
        if (!point_from_cells(cells + 2, point))
            return changed(p, "has a point that is none");
    }
    return status;
}

static gbv_status check_hash(player *p, const cell *cells, const cell *recorded, const unsigned char *head)
{
    unsigned char digest[DIGEST];
    chain c = chain_open(p->previous);
    for (int i = 0; i < RECORD_CELLS; i++)
        chain_add(&c, &cells[i]);
    gbv_status status = read_points(p, &c);
    if (!chain_close(&c, digest) && status == GBV_OK)
        status = error_set(p->error, GBV_FAILED, "the hash of a batch could not be made: the system's library refuses");
    if (status != GBV_OK)
        return status;
    if (recorded->size != DIGEST || !recorded->bytes || memcmp(recorded->bytes, digest, DIGEST) != 0)
        return changed(p, "is not what was written: its hash, which covers all before it, is another");
    memcpy(p->previous, digest, DIGEST);
    p->replay->met_head |= head && memcmp(head, digest, DIGEST) == 0;
    return GBV_OK;
}

/* The deliveries and leavers of the batch at hand. */
static gbv_status gather(player *p)
{
    const gbv_history_batch *b = &p->settings.about;
    const ledger_state *state = &p->replay->state;
    size_t count = 0, newcomers = 0;
    for (size_t i = 0; i < p->point_count; i++)
        if (point_is_present(&p->points[i]))
            p->present[count++] = &p->points[i];
    for (size_t i = 0; i < count; i++) {
        const ledger_point *point = p->present[i];
        p->room.scores[i] = point->score;
        p->room.deviations[i] = point->deviation;
        p->room.deliveries[i] =
            (continual_delivery){.source = point->source - 1,
                                 .prior = isnan(point->batch_prior) ? 1 / (double)count : point->batch_prior,
                                 .score = point->score};
        newcomers += !state->sources[point->source - 1].in;
    }
    if (b->leavers > state->names.count)
        return changed(p, "lets more sources leave than there are");
    for (size_t i = 0; i < b->leavers; i++) {
        const char *name = p->settings.leavers[i];
        p->room.leavers[i] = text_table_find(&state->names, name, strlen(name));
        if (p->room.leavers[i] == TEXT_NONE)
            return changed(p, "lets a source leave that is not there");
    }
    if (count != b->present || newcomers != b->newcomers || p->settings.sources != p->known)
        return changed(p, "counts other sources than it has");
    p->step = (ledger_step){.leavers = p->room.leavers,
                            .leaver_count = b->leavers,
                            .deliveries = p->room.deliveries,
                            .scores = p->room.scores,
                            .deviations = p->room.deviations,
                            .count = count,
                            .tau = b->tau,
                            .forgetting = b->forgetting,
                            .alarm_threshold = b->alarm_threshold};
    return GBV_OK;
}

static gbv_status compare_weights(player *p)
{
    ledger_state *state = &p->replay->state;
    size_t in = 0;
    for (size_t s = 0; s < state->names.count; s++)
        in += state->sources[s].in;
    if (in != p->point_count)
        return changed(p, "has other sources than the batch before leaves in");
    for (size_t i = 0; i < p->point_count; i++) {
        const ledger_point *point = &p->points[i];
        continual_source *source = &state->sources[point->source - 1];
        char what[300];
        snprintf(what, sizeof what, "gives '%.100s' a weight that does not follow from its score and the batch before",
                 state->names.texts[point->source - 1]);
        if (!source->in || !alike(point->prior, source->prior) || !alike(point->log_weight, source->log_weight))
            return changed(p, what);
        source->prior = point->prior; /* the next step is from what was recorded */
        source->log_weight = point->log_weight;
        state->known[point->source - 1] = !isnan(point->low);
    }
    for (size_t s = 0; s < state->names.count; s++)
        state->known[s] = state->known[s] && state->sources[s].in;
    return alike(p->settings.about.effective_sources, state_effective_sources(state))
               ? GBV_OK
               : changed(p, "has other effective sources than its weights say");
}

static gbv_status compare_findings(player *p)
{
    for (size_t i = 0; i < p->step.count; i++) {
        const ledger_point *point = p->present[i];
        const drift_finding *finding = &p->room.findings[i];
        if (!alike(point->batch_posterior, p->room.batch_posterior[i]) || !alike(point->z, finding->z) ||
            !alike(point->cusum, finding->cusum) || point->alarm != finding->alarm)
            return changed(p, "has weights or alarms of its own that do not follow from its scores");
    }
    return GBV_OK;
}

static gbv_status take_snapshot(player *p)
{
    const ledger_state *state = &p->replay->state;
    size_t all = state->names.count;
    snapshot *s = &p->snapshots[p->snapshot_count];
    s->sources = memory_array(all, sizeof *s->sources);
    s->drift = memory_array(all, sizeof *s->drift);
    p->snapshot_count++;
    if (!s->sources || !s->drift)
        return error_out_of_memory(p->error, "the ledger");
    memcpy(s->sources, state->sources, all * sizeof *s->sources);
    memcpy(s->drift, state->drift, all * sizeof *s->drift);
    return GBV_OK;
}

static gbv_status play_batch(player *p)
{
    ledger_state *state = &p->replay->state;
    settings_free(&p->settings);
    gbv_status status = settings_read(p->ledger, p->record.settings, &p->settings, p->error);
    unsigned char reference[DIGEST];
    bool known = digest_read(p->settings.about.reference_sha256, reference);
    if (status == GBV_OK &&
        (known != (p->record.reference != NULL) || (known && memcmp(reference, p->record.reference, DIGEST) != 0)))
        status = changed(p, "names two references");
    if (status == GBV_OK && p->undone[p->record.number])
        status = take_snapshot(p);
    if (status == GBV_OK)
        status = gather(p);
    if (status != GBV_OK)
        return status;
    step_outcome outcome = step_weigh(&p->step, p->room.scores, state->sources, state->names.count);
    if (outcome == STEP_DONE)
        outcome = step_weigh_alone(&p->step, p->room.batch_posterior);
    if (outcome == STEP_DONE)
        outcome = step_judge_drift(&p->step, state->drift, p->room.findings);
    if (outcome == STEP_OUT_OF_MEMORY)
        return error_out_of_memory(p->error, "the ledger");
    if (outcome != STEP_DONE)
        return changed(p, "does not follow from the batch before");
    if ((status = compare_weights(p)) == GBV_OK)
        status = compare_findings(p);
    p->replay->standing[p->replay->standing_count++] = p->record.number;
    return status;
}

static gbv_status play_undo(player *p)
{
    ledger_state *state = &p->replay->state;
    size_t all = state->names.count, *count = &p->replay->standing_count;
    if (!*count || p->replay->standing[*count - 1] != p->record.undoes || !p->snapshot_count || p->point_count)
        return changed(p, "does not undo the last batch that stood");
    (*count)--;
    snapshot *s = &p->snapshots[--p->snapshot_count];
    memcpy(state->sources, s->sources, all * sizeof *s->sources);
    memcpy(state->drift, s->drift, all * sizeof *s->drift);
    free(s->sources);
    free(s->drift);
    *s = (snapshot){0};
    return GBV_OK;
}

static gbv_status play_records(player *p, int64_t limit, const unsigned char *head)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    int64_t met = 0;
    gbv_status status =
        ledger_prepare(p->ledger, "SELECT " RECORD_COLUMNS ", hash FROM record WHERE number < ? ORDER BY number",
                       &statement, p->error);
    if (status == GBV_OK)
        sqlite3_bind_int64(statement, 1, limit);
    while (status == GBV_OK && (status = ledger_next(p->ledger, statement, &row, p->error)) == GBV_OK && row) {
        cell cells[RECORD_CELLS + 1];
        for (int i = 0; i <= RECORD_CELLS; i++)
            cells[i] = cell_column(statement, i);
        if (cells[0].integer != ++met || met > p->records)
            status = ledger_damaged(p->ledger, p->error, "record %lld is missing", (long long)met);
        else if (!record_from_cells(cells, &p->record))
            status = ledger_damaged(p->ledger, p->error, "record %lld is none", (long long)met);
        if (status != GBV_OK)
            break;
        free(p->name);
        p->name = strdup(p->record.name);
        status = check_hash(p, cells, &cells[RECORD_CELLS], head);
        if (status == GBV_OK)
            status = p->record.undo ? play_undo(p) : play_batch(p);
        p->replay->state.records = met;
    }
    sqlite3_finalize(statement);
    if (status == GBV_OK && met != (limit <= p->records ? limit - 1 : p->records))
        status = ledger_damaged(p->ledger, p->error, "record %lld is missing", (long long)met + 1);
    return status;
}

gbv_status replay_run(gbv_ledger *ledger, int64_t limit, const unsigned char *head, ledger_replay *replay,
                      gbv_error *error)
{
    player p = {.ledger = ledger, .error = error, .replay = replay};
    *replay = (ledger_replay){0};
    gbv_status status = state_load(ledger, 0, &replay->state, error);
    if (status != GBV_OK)
        return status;
    ledger_state *state = &replay->state;
    p.records = state->records;
    for (size_t s = 0; s < state->names.count; s++) {
        state->sources[s] = (continual_source){.log_weight = -INFINITY};
        state->drift[s] = (drift_state){0};
        state->known[s] = false;
    }
    status = p.records >= 0 && p.records <= MOST_RECORDS ? make_room(&p)
                                                         : ledger_damaged(ledger, error, "it counts too many records");
    if (status == GBV_OK)
        status = find_undone(&p, limit);
    if (status == GBV_OK)
        status = ledger_prepare(ledger,
                                "SELECT source, name, " POINT_COLUMNS
                                " FROM point LEFT JOIN source ON source.id = point.source WHERE point." POINTS_OF_RECORD
                                " ORDER BY point.id",
                                &p.points_statement, error);
    if (status == GBV_OK)
        status = play_records(&p, limit, head);
    memcpy(state->head, p.previous, DIGEST);
    if (status == GBV_OK && limit > p.records && p.known != state->names.count)
        status = ledger_damaged(ledger, error, "it has a source that no batch has");
    player_free(&p);
    return status;
}

void replay_free(ledger_replay *replay)
{
    state_free(&replay->state);
    free(replay->standing);
    *replay = (ledger_replay){0};
}
