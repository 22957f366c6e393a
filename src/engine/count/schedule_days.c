/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples are read in batches; each batch is sorted, and writing merges the batches.  A turn
 * that fails changes no row and no mark: the next one repeats it.  Samples that it has read
 * stay, because rows up to the end of a pass were committed before the pass began.
 */
#include "engine/count/schedule_days.h"

#include <stdlib.h>

#include "base/must.h"
#include "engine/engine_internal.h"
#include "engine/prune.h"
#include "store/key.h"
#include "store/stats.h"

enum {
    READ_ROWS = 2048, /* of each table in a turn, which takes milliseconds            */
    WRITE_DAYS = 128, /* in a turn, and the other days of the last subject            */
    PACE = 2,         /* more of both, for each row that was written since            */
    BATCH_MAX = PACE * TURN_REPORTS_MAX,
    ROWS_MAX = 65536,    /* written rows that begin a pass                               */
    SAMPLES_MAX = 65536, /* in memory, 4 MB: then days are written; also of one batch    */
    SAMPLES_BYTES_MAX = 64 << 20,
    BATCHES_FIRST = 16,
};
/* Time between passes.  It is long, so that a day of a schedule is rarely written. */
#define PASS_EVERY (15 * SPAN_MIN)

struct batch {
    struct day_sample *at; /* by subject and day */
    int count;
};

struct day_samples {
    struct arena *arena;
    int64_t maker, from; /* of rows of this node after this key */
    int64_t read_to;
    int count;
    struct batch *batches;
    int batch_count, batch_room;
    struct day_sums sums; /* of the day that is being written */
    char packed[DAY_PACKED_MAX];
};

/* The samples of one day of a subject are next to each other in the order of the merge. */
struct day_group {
    struct day_key key;
    int first, count; /* in the list of the turn */
    struct db_result row;
};

struct day_samples *day_samples_new(struct arena *lifetime)
{
    struct day_samples *s = arena_take(lifetime, sizeof *s);

    s->arena = arena_new(SAMPLES_BYTES_MAX);
    return s;
}

void day_samples_free(struct day_samples *samples)
{
    arena_free(samples->arena);
}

static void forget_samples(struct day_samples *s, int64_t maker, int64_t from)
{
    arena_reset(s->arena);
    s->maker = maker;
    s->from = s->read_to = from;
    s->count = s->batch_count = s->batch_room = 0;
    s->batches = NULL;
}

/* ---- passes ---- */

void schedule_days_take_over(struct turn *turn, const struct node *node)
{
    turn->memory.other_days = (struct day_count_pass){
        .maker = node->id,
        .mark = node->days,
        .end = key_of((node->key_ms + 1) * SPAN_MS),
        .is_running = true,
    };
}

void schedule_days_give_up(struct turn *turn)
{
    turn->memory.other_days.is_running = false;
    if (turn->days.pass == &turn->memory.other_days)
        turn->days.pass = NULL;
}

bool schedule_days_taken_over(const struct turn *turn)
{
    return !turn->memory.other_days.is_running;
}

static bool is_pass_due(const struct turn *turn)
{
    const struct engine_memory *m = &turn->memory;
    instant at = m->days_at;

    return turn->is_periodic && (turn->now >= at || at - turn->now > PASS_EVERY ||
                                 m->days_written >= ROWS_MAX || prune_waits_for_days(m));
}

/*
 * Every key of this turn is greater than the end.  The rows up to it are read in later turns,
 * when it is certain that no turn extends a row of the ledger any more.
 */
static void begin_pass(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    int64_t end = key_of(m->key_ms * SPAN_MS);

    must(!m->days.is_running);
    m->days.is_running = true;
    m->days.end = end > m->days.mark.until ? end : m->days.mark.until;
    if (m->days.end > m->days_frozen)
        m->days_frozen = m->days.end;
    m->days_at = turn->now + PASS_EVERY;
    m->days_written = 0;
}

void schedule_days_keep(struct turn *turn, int64_t schedule, int count)
{
    const struct engine_memory *m = &turn->memory;
    struct stats_range range = {turn->node, m->counted_to, INT64_MAX};

    stats_add_old(turn->db, &range, schedule, count);
    days_leave(turn->db, schedule, count,
               &(struct counted_rows){turn->node, m->days.mark.counted});
    history_keep(turn->db, schedule, count, turn->node);
}

/* ---- samples ---- */

static int by_day(const void *a, const void *b)
{
    const struct day_sample *x = a, *y = b;

    if (x->subject != y->subject)
        return x->subject > y->subject ? 1 : -1;
    return (x->day > y->day) - (x->day < y->day);
}

/* The last key of an answer after which there may be more rows. */
static int64_t end_of(const struct db_result *rows, const struct day_count_turn *d)
{
    return rows->rows < d->limit ? d->range.until : days_key(rows, rows->rows - 1);
}

/* Ends a batch before rows of the ledger that are spread over very many days. */
static int64_t limit_spread(const struct db_result *ledger, int64_t until)
{
    int64_t count = 0;

    for (int i = 0; i < ledger->rows; i++) {
        count += days_ledger_count(ledger, i);
        if (count > SAMPLES_MAX && i > 0 && days_key(ledger, i - 1) < until)
            return days_key(ledger, i - 1);
    }
    return until;
}

static int count_samples(const struct day_count_turn *d, int64_t maker, int64_t until,
                         struct day_sample *to)
{
    int count = 0;

    for (int i = 0; i < d->history.rows; i++) {
        struct day_sample two[DAYS_SUBJECTS];
        int64_t key = days_key(&d->history, i);
        int n = key <= until && key_node(key) == maker ? days_history_read(&d->history, i, two)
                                                       : 0;

        for (int j = 0; j < n; j++, count++)
            if (to)
                to[count] = two[j];
    }
    for (int i = 0; i < d->ledger.rows; i++) {
        int64_t key = days_key(&d->ledger, i);
        struct day_sample one;

        if (key > until || key_node(key) != maker)
            continue;
        for (int64_t j = 0; days_ledger_read(&d->ledger, i, j, &one); j++, count++)
            if (to)
                to[count] = one;
    }
    return count;
}

static void add_batch(struct day_samples *s, const struct batch *batch)
{
    if (s->batch_count == s->batch_room) {
        int room = s->batch_room == 0 ? BATCHES_FIRST : 2 * s->batch_room;
        struct batch *list = arena_array(s->arena, (size_t)room, sizeof *list);

        for (int i = 0; i < s->batch_count; i++)
            list[i] = s->batches[i];
        s->batches = list;
        s->batch_room = room;
    }
    s->batches[s->batch_count++] = *batch;
    s->count += batch->count;
}

static void read_rows(struct turn *turn)
{
    struct day_samples *s = turn->engine->day_samples;
    const struct day_count_turn *d = &turn->days;
    int64_t until = end_of(&d->history, d), other = end_of(&d->ledger, d);
    struct batch batch;

    until = limit_spread(&d->ledger, other < until ? other : until);
    must(s->read_to == d->range.after && until >= d->range.after);
    batch.count = count_samples(d, s->maker, until, NULL);
    batch.at = arena_array_raw(s->arena, (size_t)batch.count, sizeof *batch.at);
    count_samples(d, s->maker, until, batch.at);
    if (batch.count > 0) {
        qsort(batch.at, (size_t)batch.count, sizeof *batch.at, by_day);
        add_batch(s, &batch);
    }
    s->read_to = until;
}

/* ---- days ---- */

/* The first sample of a batch whose subject comes after `after`. */
static int first_after(const struct batch *batch, int64_t after)
{
    int low = 0, high = batch->count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (batch->at[middle].subject > after)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct merge {
    const struct day_samples *samples;
    int *heads; /* of each batch */
};

static struct day_sample *next_sample(const struct merge *merge, int *ret_batch)
{
    struct day_sample *least = NULL;

    for (int i = 0; i < merge->samples->batch_count; i++) {
        const struct batch *batch = &merge->samples->batches[i];

        if (merge->heads[i] < batch->count &&
            (!least || by_day(&batch->at[merge->heads[i]], least) < 0)) {
            least = &batch->at[merge->heads[i]];
            *ret_batch = i;
        }
    }
    return least;
}

/* Groups the samples of the next subjects by day. */
static void collect_groups(struct turn *turn, int64_t after)
{
    struct day_samples *s = turn->engine->day_samples;
    struct day_count_turn *d = &turn->days;
    struct merge merge = {s, arena_array(turn->arena, (size_t)s->batch_count + 1, sizeof(int))};
    const struct day_sample *last = NULL;
    struct day_sample *next;
    int batch = 0;

    for (int i = 0; i < s->batch_count; i++)
        merge.heads[i] = first_after(&s->batches[i], after);
    while ((next = next_sample(&merge, &batch)) != NULL) {
        if (last && d->groups.count >= d->limit && next->subject != last->subject)
            break;
        if (!last || by_day(next, last) != 0)
            *VEC_ADD(turn, &d->groups) = (struct day_group){
                .key = {next->subject, next->day, turn->node}, .first = d->samples.count};
        d->groups.at[d->groups.count - 1].count++;
        *VEC_ADD(turn, &d->samples) = next;
        last = next;
        merge.heads[batch]++;
    }
}

static void write_group(struct turn *turn, const struct day_group *group,
                        const struct day_count_pass *pass)
{
    struct day_samples *s = turn->engine->day_samples;
    struct buf packed = BUF(s->packed);
    int64_t oldest = turn->now / SPAN_DAY - DAYS_KEPT;

    if (group->key.day < oldest)
        return;
    day_sums_clear(&s->sums);
    if (group->row.rows == 1 && !day_sums_unpack(&s->sums, db_blob_at(&group->row, 0, 0)))
        day_sums_clear(&s->sums); /* it is only read by people */
    if (group->row.rows == 0)
        days_prune(turn->db, group->key.subject, oldest);
    for (int i = 0; i < group->count; i++)
        day_sums_add(&s->sums, turn->days.samples.at[group->first + i]);
    day_sums_pack(&s->sums, &packed);
    must(!packed.cut);
    days_put(turn->db, &group->key, buf_as_str(&packed), pass->maker, &pass->mark);
}

static void write_days(struct turn *turn)
{
    const struct day_count_turn *d = &turn->days;
    struct day_count_pass *pass = d->pass;
    struct node node = {.id = pass->maker,
                        .state = pass->maker == turn->node ? NODE_UP : NODE_LOST,
                        .days = pass->mark};
    bool is_last = d->groups.count < d->limit;
    int64_t until = turn->engine->day_samples->read_to;

    if (is_last)
        pass->mark = (struct days_mark){until, until, 0};
    else
        pass->mark = (struct days_mark){pass->mark.counted, until,
                                        d->groups.at[d->groups.count - 1].key.subject};
    nodes_count_days(turn->db, &node, &pass->mark);
    for (int i = 0; i < d->groups.count; i++)
        write_group(turn, &d->groups.at[i], pass);
    if (is_last)
        days_forget(turn->db, pass->maker, &(struct days_range){node.days.counted, until});
    if (is_last && until >= pass->end)
        pass->is_running = false;
}

/* ---- the turn ---- */

static struct day_count_pass *find_pass(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    if (m->other_days.is_running)
        return &m->other_days;
    if (m->days.is_running)
        return &m->days;
    if (is_pass_due(turn))
        begin_pass(turn);
    return NULL; /* a pass that begins reads from the next turn on */
}

/* After a crash in the middle of writing, exactly the same rows are read. */
static int64_t last_key(const struct day_count_pass *pass)
{
    return pass->mark.until > pass->mark.counted ? pass->mark.until : pass->end;
}

void schedule_days_send(struct turn *turn)
{
    struct day_samples *s = turn->engine->day_samples;
    struct day_count_turn *d = &turn->days;
    struct day_count_pass *pass = turn->in->rows > 0 ? find_pass(turn) : NULL;
    struct engine_memory *m = &turn->memory;
    int64_t until, limit;
    bool is_fixed;

    if (!pass)
        return;
    if (s->maker != pass->maker || s->from != pass->mark.counted)
        forget_samples(s, pass->maker, pass->mark.counted);
    d->pass = pass;
    until = last_key(pass);
    is_fixed = pass->mark.until > pass->mark.counted;
    d->is_writing = s->read_to >= until || (s->count >= SAMPLES_MAX && !is_fixed);
    limit = (d->is_writing ? WRITE_DAYS : READ_ROWS) + PACE * m->days_recent;
    d->limit = limit < BATCH_MAX ? (int)limit : BATCH_MAX;
    m->days_recent = 0;
    if (d->is_writing) {
        collect_groups(turn, pass->mark.after);
        for (int i = 0; i < d->groups.count; i++)
            days_find(turn->db, &d->groups.at[i].key, &d->groups.at[i].row);
        return;
    }
    d->range = (struct days_range){s->read_to, until};
    days_history(turn->db, &d->range, d->limit, &d->history);
    days_ledger(turn->db, &d->range, d->limit, &d->ledger);
}

void schedule_days_read(struct turn *turn)
{
    if (!turn->days.pass)
        return;
    if (turn->days.is_writing)
        write_days(turn);
    else
        read_rows(turn);
}
