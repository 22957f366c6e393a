/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a batch of events of all nodes from the database.
 *
 * Each step takes the earliest next row of all nodes.  The names of schedules and zones are
 * read together, for a chunk of events at a time.
 */
#include "api/events/event_read.h"

#include "api/events/event_json.h"
#include "base/map.h"
#include "store/events_requests.h"

enum {
    ROWS_AT_ONCE = 8,        /* of one read: 8 rows of the maximum size fit into a result   */
    ROWS_SCANNED = 1024,     /* of one batch                                                */
    EVENTS_SCANNED = 20000,  /* of one batch: some 20 ms                                    */
    BYTES_PRINTED = 1 << 20, /* of one batch, as JSON                                       */
    CHUNK = 1024,            /* events whose names are read together                        */
};

/* A node that has more events to read. */
struct node_source {
    struct event_node node;
    int64_t next; /* the number of the next event */
    struct db_result rows;
    int row; /* the next one of `rows`; the database may have more after the last one */
    bool is_over;
};

struct item {
    struct event event;
    int64_t node, seq;
    instant at;
    bool may_want;
};

/* The schedule or zone of events; agent and project only in the query's terms. */
struct owner {
    struct event_owner stored;
    struct str agent, project;
};

struct reader {
    struct db *db;
    struct arena *arena;
    const struct event_query *query;
    struct event_read *batch;
    struct event_node *nodes;
    int node_count;
    struct node_source *sources;
    int source_count;
    struct item *items; /* of the chunk */
    int item_count, item_room;
    struct map *owner_index; /* owner_key() to the index in `owners` */
    struct owner *owners;    /* all owners read so far               */
    struct db_result *owner_rows;
    int owner_count;
    int rows_left, events_left;
    struct answer out; /* the JSON of one note, then copied */
    size_t bytes;
};

/* ---- the start position ---- */

static struct event_node *find_node(const struct reader *r, int64_t id)
{
    for (int i = 0; i < r->node_count; i++)
        if (r->nodes[i].id == id)
            return &r->nodes[i];
    return NULL;
}

static enum rc read_nodes(struct reader *r, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    event_nodes(r->db, &rows);
    rc = db_flush(r->db, r->arena, reterr);
    if (rc != RC_OK)
        return rc;
    r->node_count = rows.rows;
    r->nodes = arena_array(r->arena, (size_t)rows.rows, sizeof *r->nodes);
    for (int i = 0; i < rows.rows; i++)
        event_nodes_read(&rows, i, &r->nodes[i]);
    return RC_OK;
}

/*
 * Events after the cursor were pruned; or the cursor is ahead of the events, so it comes from
 * another database, or from this one before it was restored.
 */
static bool is_lost(const struct reader *r)
{
    const struct event_cursor *after = &r->query->after;

    for (int i = 0; i < after->count; i++) {
        const struct event_node *node = find_node(r, after->at[i].node);

        if (!node || after->at[i].seq + 1 < node->oldest || after->at[i].seq > node->last)
            return true;
    }
    return false;
}

static enum rc find_start(struct reader *r, struct err *reterr)
{
    struct event_cursor *cursor = &r->batch->cursor;
    enum event_start start = r->query->start;

    if (start == EVENT_AFTER && is_lost(r)) {
        r->batch->is_lost = true;
        start = EVENT_OLDEST;
    }
    if (start == EVENT_AFTER)
        *cursor = r->query->after;
    for (int i = 0; i < r->node_count; i++) {
        const struct event_node *node = &r->nodes[i];
        int64_t seq = start == EVENT_NOW      ? node->last
                      : start == EVENT_OLDEST ? node->oldest - 1
                                              : event_cursor_get(cursor, node->id);

        if (seq < node->oldest - 1)
            seq = node->oldest - 1; /* the cursor does not name this node */
        if (node->oldest > node->last)
            continue; /* it has no events; the cursor keeps its position, if it has one */
        if (!event_cursor_set(cursor, node->id, seq))
            return err_set(reterr, RC_LIMIT, -1, 0,
                           "too many nodes have events; the limit is %d", EVENT_CURSOR_NODES);
    }
    return RC_OK;
}

static void open_sources(struct reader *r)
{
    r->sources = arena_array(r->arena, (size_t)r->node_count, sizeof *r->sources);
    for (int i = 0; i < r->node_count && !r->batch->is_lost; i++) {
        const struct event_node *node = &r->nodes[i];
        int64_t seq = event_cursor_get(&r->batch->cursor, node->id);

        if (node->oldest <= node->last && seq < node->last)
            r->sources[r->source_count++] = (struct node_source){.node = *node,
                                                                 .next = seq + 1};
    }
}

/* ---- rows ---- */

/* Reads rows of the sources from *next on that have none left, at most ROWS_AT_ONCE rows. */
static enum rc fill_some(struct reader *r, int *next, struct err *reterr)
{
    int limit = r->source_count < ROWS_AT_ONCE ? ROWS_AT_ONCE / r->source_count : 1;
    int first = *next, left = ROWS_AT_ONCE;
    enum rc rc = RC_OK;

    for (; *next < r->source_count && left >= limit; (*next)++) {
        struct node_source *s = &r->sources[*next];

        if (s->is_over || s->row < s->rows.rows)
            continue;
        s->rows = (struct db_result){0};
        s->row = -1; /* being read */
        events_of(r->db, s->node.id, s->next, limit, &s->rows);
        left -= limit;
    }
    if (left < ROWS_AT_ONCE)
        rc = db_flush(r->db, r->arena, reterr);
    for (int i = first; rc == RC_OK && i < *next; i++) {
        struct node_source *s = &r->sources[i];

        if (s->row >= 0)
            continue;
        s->row = 0;
        s->is_over = s->rows.rows == 0;
    }
    return rc;
}

/* In several reads if there are many nodes: the rows of one must fit into a result. */
static enum rc fill_sources(struct reader *r, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int next = 0; rc == RC_OK && next < r->source_count;)
        rc = fill_some(r, &next, reterr);
    return rc;
}

static struct node_source *earliest(const struct reader *r)
{
    struct node_source *best = NULL;

    for (int i = 0; i < r->source_count; i++) {
        struct node_source *s = &r->sources[i];

        if (!s->is_over &&
            (!best || db_int_at(&s->rows, s->row, 2) < db_int_at(&best->rows, best->row, 2)))
            best = s;
    }
    return best;
}

static void add_item(struct reader *r, const struct item *item)
{
    if (r->item_count == r->item_room) {
        int room = r->item_room == 0 ? CHUNK : 2 * r->item_room;
        struct item *items = arena_array(r->arena, (size_t)room, sizeof *items);

        for (int i = 0; i < r->item_count; i++)
            items[i] = r->items[i];
        r->items = items;
        r->item_room = room;
    }
    r->items[r->item_count++] = *item;
}

/*
 * Adds the events of a node's next row that come after the start position.  One EVENT_DAMAGED
 * stands for all that cannot be read.
 */
static void add_row(struct reader *r, struct node_source *s)
{
    struct item item = {.node = s->node.id,
                        .seq = db_int_at(&s->rows, s->row, 0),
                        .at = db_int_at(&s->rows, s->row, 2)};
    int64_t end = item.seq + db_int_at(&s->rows, s->row, 1);
    struct str body = db_blob_at(&s->rows, s->row, 3);
    struct err err;
    bool any;

    end = end > item.seq ? end : item.seq + 1;
    for (; item.seq < end; item.seq++) {
        if (event_unpack(&body, &item.event, &any, &err) != RC_OK || !any) {
            item.event = (struct event){.type = EVENT_DAMAGED, .count = end - item.seq};
            item.seq = end - 1;
        }
        item.may_want = event_filter_may_want(&r->query->filter, &item.event);
        if (item.seq >= s->next)
            add_item(r, &item);
    }
    s->next = end;
    s->row++;
    r->rows_left--;
}

static enum rc read_chunk(struct reader *r, struct err *reterr)
{
    r->item_count = 0;
    while (r->source_count > 0 && r->item_count < CHUNK && r->rows_left > 0) {
        enum rc rc = fill_sources(r, reterr);
        struct node_source *s = rc == RC_OK ? earliest(r) : NULL;

        if (!s)
            return rc;
        add_row(r, s);
    }
    return RC_OK;
}

/* ---- names ---- */

/* 0: the event has no owner.  The keys of zones are negated, so that they differ. */
static int64_t owner_key(const struct event *event)
{
    return event->type == EVENT_PLAN_MIDNIGHT ? -event->detail : event->schedule;
}

static void request_owner(struct reader *r, int64_t key)
{
    if (key == 0 || map_find(r->owner_index, key) != MAP_NONE)
        return;
    if (key < 0)
        event_owners_get_zone(r->db, -key, &r->owner_rows[r->owner_count]);
    else
        event_owners_get(r->db, key, r->query->terms ? (int)r->query->terms->dialect : -1,
                         &r->owner_rows[r->owner_count]);
    map_put(r->owner_index, key, r->owner_count++);
}

static void read_owner(const struct reader *r, const struct db_result *row, struct owner *ret)
{
    event_owners_read(row, &ret->stored);
    if (ret->stored.extra.len > 0)
        r->query->terms->party(ret->stored.extra, r->arena, &ret->agent, &ret->project);
}

static enum rc read_owners(struct reader *r, struct err *reterr)
{
    int first = r->owner_count, room = first + r->item_count;
    struct owner *owners = arena_array(r->arena, (size_t)room, sizeof *owners);
    enum rc rc;

    for (int i = 0; i < first; i++)
        owners[i] = r->owners[i];
    r->owners = owners;
    r->owner_rows = arena_array(r->arena, (size_t)room, sizeof *r->owner_rows);
    for (int i = 0; i < r->item_count; i++)
        if (r->items[i].may_want)
            request_owner(r, owner_key(&r->items[i].event));
    rc = db_flush(r->db, r->arena, reterr);
    for (int i = first; rc == RC_OK && i < r->owner_count; i++)
        if (r->owner_rows[i].rows == 1)
            read_owner(r, &r->owner_rows[i], &owners[i]);
    return rc;
}

static const struct owner *find_owner(const struct reader *r, const struct event *event)
{
    int64_t key = owner_key(event);
    int32_t i = key != 0 ? map_find(r->owner_index, key) : MAP_NONE;

    return i != MAP_NONE && r->owners[i].stored.namespace != 0 ? &r->owners[i] : NULL;
}

static struct str node_name(const struct reader *r, int64_t id)
{
    const struct event_node *node = find_node(r, id);

    return node ? node->name : (struct str){NULL, 0};
}

/* The schedule of a direct run is internal and has the id of the run as its name: hide it. */
static struct str schedule_name(const struct item *item, const struct event_owner *owner,
                                const struct run_id *run)
{
    char text[RUN_ID_TEXT_MAX];

    if (!owner || item->event.type == EVENT_PLAN_MIDNIGHT)
        return (struct str){NULL, 0};
    if (run->pass != 0 || !event_has_run(&item->event))
        return owner->name;
    run_id_format(run, text);
    return str_eq(owner->name, str_of(text)) ? (struct str){NULL, 0} : owner->name;
}

/* ---- notes ---- */

/* Sets type and owner in the query's terms.  A midnight has no schedule and no agent. */
static void set_own_terms(const struct reader *r, const struct item *item,
                          const struct owner *owner, struct event_note *note)
{
    const struct event_terms *terms = r->query->terms;
    bool is_midnight = note->type == EVENT_PLAN_MIDNIGHT;

    if (!terms || !owner || (!is_midnight && owner->agent.len == 0))
        return;
    note->own_type = terms->type(&item->event, note->run.pass == 0 && note->schedule.len > 0);
    note->agent = owner->agent;
    note->project = owner->project;
}

static struct str print_note(struct reader *r, const struct item *item,
                             const struct event_note *note, const struct event_scene *scene,
                             event_print_fn *print)
{
    r->out.buf.len = 0;
    print(&item->event, note, scene, &r->out);
    r->bytes += r->out.buf.len;
    return arena_str(r->arena, answer_done(&r->out));
}

static void add_note(struct reader *r, const struct item *item)
{
    const struct event *event = &item->event;
    const struct owner *owner = find_owner(r, event);
    const struct event_owner *stored = owner ? &owner->stored : NULL;
    int64_t subject = event_subject(event);
    struct event_note note = {
        .node = item->node,
        .seq = item->seq,
        .type = (enum event_type)event->type,
        .namespace = stored ? stored->namespace : 0,
        .has_run = event_has_run(event),
        .run = {event->schedule, event->slot / SPAN_MS, (uint32_t)event->pass},
    };
    struct event_scene scene = {
        .at = item->at,
        .owner = stored,
        .node = node_name(r, subject != 0 ? subject : item->node),
    };
    char text[EVENT_CURSOR_TEXT_MAX];
    struct buf id = BUF(text);

    note.schedule = schedule_name(item, stored, &note.run);
    set_own_terms(r, item, owner, &note);
    if (!event_filter_wants(&r->query->filter, &note))
        return;
    event_cursor_print(&r->batch->cursor, &id);
    note.id = arena_str(r->arena, buf_as_str(&id));
    if (!r->query->filter.terms)
        note.json = print_note(r, item, &note, &scene, event_print);
    if (note.own_type != 0)
        note.own_json = print_note(r, item, &note, &scene, r->query->terms->print);
    r->batch->notes[r->batch->count++] = note;
}

static bool is_full(const struct reader *r)
{
    return r->batch->count == r->query->limit || r->events_left <= 0 ||
           r->bytes >= BYTES_PRINTED;
}

/* Returns false when the batch is full. */
static bool add_notes(struct reader *r)
{
    for (int i = 0; i < r->item_count; i++) {
        const struct item *item = &r->items[i];

        if (is_full(r))
            return false;
        event_cursor_set(&r->batch->cursor, item->node, item->seq); /* cannot fail: it is set */
        r->events_left--;
        if (item->may_want)
            add_note(r, item);
    }
    return !is_full(r) && r->rows_left > 0;
}

static bool has_more(const struct reader *r)
{
    for (int i = 0; i < r->source_count; i++) {
        const struct event_node *node = &r->sources[i].node;

        if (event_cursor_get(&r->batch->cursor, node->id) < node->last)
            return true;
    }
    return false;
}

static enum rc read_all(struct reader *r, struct err *reterr)
{
    enum rc rc = read_nodes(r, reterr);
    bool has_room = true;

    if (rc == RC_OK)
        rc = find_start(r, reterr);
    if (rc == RC_OK)
        open_sources(r);
    r->batch->first = r->batch->cursor;
    while (rc == RC_OK && has_room) {
        rc = read_chunk(r, reterr);
        if (rc == RC_OK)
            rc = read_owners(r, reterr);
        has_room = rc == RC_OK && r->item_count > 0 && add_notes(r);
    }
    r->batch->has_more = rc == RC_OK && has_more(r);
    return rc;
}

enum rc event_read_batch(struct db *db, struct arena *arena, const struct event_query *query,
                         struct event_read *ret, struct err *reterr)
{
    struct event_read batch = {
        .notes = arena_array(arena, (size_t)query->limit, sizeof *batch.notes)};
    struct reader r = {
        .db = db,
        .arena = arena,
        .query = query,
        .batch = &batch,
        .owner_index = map_new(0),
        .out = answer_new(arena),
        .rows_left = ROWS_SCANNED,
        .events_left = EVENTS_SCANNED,
    };
    enum rc rc = read_all(&r, reterr);

    map_free(r.owner_index);
    if (rc == RC_OK)
        *ret = batch;
    return rc;
}
