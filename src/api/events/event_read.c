/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are taken one after the other, always that node's whose next row is the earliest.  The
 * names of what they tell of are asked for together, for a chunk of events at a time.
 */
#include "api/events/event_read.h"

#include "api/agents/agents_event.h"
#include "api/call/dialects.h"
#include "api/events/event_json.h"
#include "base/map.h"
#include "store/events_requests.h"

enum {
    ROWS_AT_ONCE = 8,       /* of all nodes: the largest fit into one answer of the database */
    ROWS_SCANNED = 1024,    /* of one portion                                                */
    EVENTS_SCANNED = 20000, /* likewise: some 20 ms                                          */
    BYTES_TOLD = 1 << 20,   /* likewise, as JSON                                             */
    CHUNK = 1024,           /* events whose names are asked for together                     */
};

/* A node of which something is to be told. */
struct teller {
    struct event_node node;
    int64_t next; /* the number of the next event */
    struct db_result rows;
    int row; /* the next one of them; at their end there may be more */
    bool is_over;
};

struct item {
    struct event event;
    int64_t node, seq;
    instant at;
    bool may_want;
};

/* Whose events are; agents know it by two names. */
struct known {
    struct event_owner owner;
    struct str agent, project;
};

struct reading {
    struct db *db;
    struct arena *arena;
    const struct event_query *question;
    struct event_read *portion;
    struct event_node *nodes;
    int node_count;
    struct teller *tellers;
    int teller_count;
    struct item *items; /* of the chunk */
    int item_count, item_room;
    struct map *owners; /* key to index of `known`; -1 - key for zones */
    struct known *known;
    struct db_result *asked;
    int known_count;
    int rows_left, events_left;
    struct answer out; /* of one note, then copied */
    size_t bytes;
};

/* ---- where it begins ---- */

static struct event_node *find_node(const struct reading *r, int64_t id)
{
    for (int i = 0; i < r->node_count; i++)
        if (r->nodes[i].id == id)
            return &r->nodes[i];
    return NULL;
}

static enum rc read_nodes(struct reading *r, struct err *reterr)
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

/* A place behind what is there is one of another database, or of this one before it was
 * restored. */
static bool is_lost(const struct reading *r)
{
    const struct event_cursor *after = &r->question->after;

    for (int i = 0; i < after->count; i++) {
        const struct event_node *node = find_node(r, after->at[i].node);

        if (!node || after->at[i].seq + 1 < node->oldest || after->at[i].seq > node->last)
            return true;
    }
    return false;
}

static enum rc begin(struct reading *r, struct err *reterr)
{
    struct event_cursor *cursor = &r->portion->cursor;
    enum event_start start = r->question->start;

    if (start == EVENT_AFTER && is_lost(r)) {
        r->portion->is_lost = true;
        start = EVENT_OLDEST;
    }
    if (start == EVENT_AFTER)
        *cursor = r->question->after;
    for (int i = 0; i < r->node_count; i++) {
        const struct event_node *node = &r->nodes[i];
        int64_t seq = start == EVENT_NOW      ? node->last
                      : start == EVENT_OLDEST ? node->oldest - 1
                                              : event_cursor_get(cursor, node->id);

        if (seq < node->oldest - 1)
            seq = node->oldest - 1; /* nothing was told of it so far */
        if (node->oldest > node->last)
            continue; /* its place is kept, if it had one */
        if (!event_cursor_set(cursor, node->id, seq))
            return err_set(reterr, RC_LIMIT, -1, 0, "more than %d nodes have events",
                           EVENT_CURSOR_NODES);
    }
    return RC_OK;
}

static void open_tellers(struct reading *r)
{
    r->tellers = arena_array(r->arena, (size_t)r->node_count, sizeof *r->tellers);
    for (int i = 0; i < r->node_count && !r->portion->is_lost; i++) {
        const struct event_node *node = &r->nodes[i];
        int64_t seq = event_cursor_get(&r->portion->cursor, node->id);

        if (node->oldest <= node->last && seq < node->last)
            r->tellers[r->teller_count++] = (struct teller){.node = *node, .next = seq + 1};
    }
}

/* ---- rows ---- */

static enum rc fill_tellers(struct reading *r, struct err *reterr)
{
    int limit = r->teller_count < ROWS_AT_ONCE ? ROWS_AT_ONCE / r->teller_count : 1;
    bool asks = false;
    enum rc rc;

    for (int i = 0; i < r->teller_count; i++) {
        struct teller *s = &r->tellers[i];

        if (s->is_over || s->row < s->rows.rows)
            continue;
        s->rows = (struct db_result){0};
        s->row = -1; /* asked for */
        events_of(r->db, s->node.id, s->next, limit, &s->rows);
        asks = true;
    }
    if (!asks)
        return RC_OK;
    rc = db_flush(r->db, r->arena, reterr);
    for (int i = 0; rc == RC_OK && i < r->teller_count; i++) {
        struct teller *s = &r->tellers[i];

        if (s->row >= 0)
            continue;
        s->row = 0;
        s->is_over = s->rows.rows == 0;
    }
    return rc;
}

static struct teller *earliest(const struct reading *r)
{
    struct teller *best = NULL;

    for (int i = 0; i < r->teller_count; i++) {
        struct teller *s = &r->tellers[i];

        if (!s->is_over &&
            (!best || db_int_at(&s->rows, s->row, 2) < db_int_at(&best->rows, best->row, 2)))
            best = s;
    }
    return best;
}

static void add_item(struct reading *r, const struct item *item)
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

/* The next row of a node, from the event on that was not told yet. */
static enum rc take_row(struct reading *r, struct teller *s, struct err *reterr)
{
    struct item item = {.node = s->node.id,
                        .seq = db_int_at(&s->rows, s->row, 0),
                        .at = db_int_at(&s->rows, s->row, 2)};
    int64_t end = item.seq + db_int_at(&s->rows, s->row, 1);
    struct str body = db_blob_at(&s->rows, s->row, 3);
    bool any = true;

    for (; item.seq < end && any; item.seq++) {
        enum rc rc = event_unpack(&body, &item.event, &any, reterr);

        if (rc != RC_OK)
            return rc;
        item.may_want = event_filter_may_want(&r->question->filter, &item.event);
        if (any && item.seq >= s->next)
            add_item(r, &item);
    }
    s->next = end;
    s->row++;
    r->rows_left--;
    return RC_OK;
}

static enum rc take_chunk(struct reading *r, struct err *reterr)
{
    r->item_count = 0;
    while (r->teller_count > 0 && r->item_count < CHUNK && r->rows_left > 0) {
        enum rc rc = fill_tellers(r, reterr);
        struct teller *s = rc == RC_OK ? earliest(r) : NULL;

        if (rc == RC_OK && s)
            rc = take_row(r, s, reterr);
        if (rc != RC_OK || !s)
            return rc;
    }
    return RC_OK;
}

/* ---- names ---- */

/* 0: it is nobody's.  Zones have keys of their own, below 0. */
static int64_t owner_key(const struct event *event)
{
    return event->type == EVENT_PLAN_MIDNIGHT ? -event->detail : event->schedule;
}

static void want_owner(struct reading *r, int64_t key)
{
    if (key == 0 || map_find(r->owners, key) != MAP_NONE)
        return;
    if (key < 0)
        event_owners_get_zone(r->db, -key, &r->asked[r->known_count]);
    else
        event_owners_get(r->db, key, r->question->has_own ? DIALECTS_AGENTS : -1,
                         &r->asked[r->known_count]);
    map_put(r->owners, key, r->known_count++);
}

static void learn(const struct db_result *row, struct arena *arena, struct known *ret)
{
    event_owners_read(row, &ret->owner);
    if (ret->owner.extra.len > 0)
        agents_event_party(ret->owner.extra, arena, &ret->agent, &ret->project);
}

static enum rc learn_owners(struct reading *r, struct err *reterr)
{
    int first = r->known_count, room = first + r->item_count;
    struct known *known = arena_array(r->arena, (size_t)room, sizeof *known);
    enum rc rc;

    for (int i = 0; i < first; i++)
        known[i] = r->known[i];
    r->known = known;
    r->asked = arena_array(r->arena, (size_t)room, sizeof *r->asked);
    for (int i = 0; i < r->item_count; i++)
        if (r->items[i].may_want)
            want_owner(r, owner_key(&r->items[i].event));
    rc = db_flush(r->db, r->arena, reterr);
    for (int i = first; rc == RC_OK && i < r->known_count; i++)
        if (r->asked[i].rows == 1)
            learn(&r->asked[i], r->arena, &known[i]);
    return rc;
}

static const struct known *known_of(const struct reading *r, const struct event *event)
{
    int64_t key = owner_key(event);
    int32_t i = key != 0 ? map_find(r->owners, key) : MAP_NONE;

    return i != MAP_NONE && r->known[i].owner.namespace != 0 ? &r->known[i] : NULL;
}

static struct str node_name(const struct reading *r, int64_t id)
{
    const struct event_node *node = find_node(r, id);

    return node ? node->name : (struct str){NULL, 0};
}

/* A direct run has a schedule of its own, which nobody named: it is called as the run is. */
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

/* Of agents' schedules, their runs, and days of their zones. */
static void add_own(const struct reading *r, const struct item *item, const struct known *known,
                    struct event_note *note)
{
    bool is_midnight = note->type == EVENT_PLAN_MIDNIGHT;

    if (!r->question->has_own || !known || (!is_midnight && known->agent.len == 0))
        return;
    note->agents_type = (int)agents_event_of(&item->event,
                                             note->run.pass == 0 && note->schedule.len > 0);
    note->agent = known->agent;
    note->project = known->project;
}

static struct str print_with(struct reading *r, const struct item *item,
                             const struct event_note *note, const struct event_scene *scene,
                             event_print_fn *print)
{
    r->out.buf.len = 0;
    print(&item->event, note, scene, &r->out);
    r->bytes += r->out.buf.len;
    return arena_str(r->arena, answer_done(&r->out));
}

static void tell(struct reading *r, const struct item *item)
{
    const struct event *event = &item->event;
    const struct known *known = known_of(r, event);
    const struct event_owner *owner = known ? &known->owner : NULL;
    int64_t subject = event_subject(event);
    struct event_note note = {
        .node = item->node,
        .seq = item->seq,
        .type = (enum event_type)event->type,
        .namespace = owner ? owner->namespace : 0,
        .has_run = event_has_run(event),
        .run = {event->schedule, event->slot / SPAN_MS, (uint32_t)event->pass},
    };
    struct event_scene scene = {
        .at = item->at,
        .owner = owner,
        .node = node_name(r, subject != 0 ? subject : item->node),
    };
    char text[EVENT_CURSOR_TEXT_MAX];
    struct buf id = BUF(text);

    note.schedule = schedule_name(item, owner, &note.run);
    add_own(r, item, known, &note);
    if (!event_filter_wants(&r->question->filter, &note))
        return;
    event_cursor_print(&r->portion->cursor, &id);
    note.id = arena_str(r->arena, buf_as_str(&id));
    if (!r->question->filter.is_agents)
        note.json = print_with(r, item, &note, &scene, event_print);
    if (note.agents_type != AGENTS_EVENT_NONE)
        note.own_json = print_with(r, item, &note, &scene, agents_event_print);
    r->portion->notes[r->portion->count++] = note;
}

static bool is_full(const struct reading *r)
{
    return r->portion->count == r->question->limit || r->events_left <= 0 ||
           r->bytes >= BYTES_TOLD;
}

/* False when there is room for no more. */
static bool tell_chunk(struct reading *r)
{
    for (int i = 0; i < r->item_count; i++) {
        const struct item *item = &r->items[i];

        if (is_full(r))
            return false;
        event_cursor_set(&r->portion->cursor, item->node, item->seq); /* it is named */
        r->events_left--;
        if (item->may_want)
            tell(r, item);
    }
    return !is_full(r) && r->rows_left > 0;
}

static bool has_more(const struct reading *r)
{
    for (int i = 0; i < r->teller_count; i++) {
        const struct event_node *node = &r->tellers[i].node;

        if (event_cursor_get(&r->portion->cursor, node->id) < node->last)
            return true;
    }
    return false;
}

static enum rc read_all(struct reading *r, struct err *reterr)
{
    enum rc rc = read_nodes(r, reterr);
    bool goes_on = true;

    if (rc == RC_OK)
        rc = begin(r, reterr);
    if (rc == RC_OK)
        open_tellers(r);
    r->portion->first = r->portion->cursor;
    while (rc == RC_OK && goes_on) {
        rc = take_chunk(r, reterr);
        if (rc == RC_OK)
            rc = learn_owners(r, reterr);
        goes_on = rc == RC_OK && r->item_count > 0 && tell_chunk(r);
    }
    r->portion->has_more = rc == RC_OK && has_more(r);
    return rc;
}

enum rc event_read_read(struct db *db, struct arena *arena, const struct event_query *question,
                        struct event_read *ret, struct err *reterr)
{
    struct event_read portion = {
        .notes = arena_array(arena, (size_t)question->limit, sizeof *portion.notes)};
    struct reading r = {
        .db = db,
        .arena = arena,
        .question = question,
        .portion = &portion,
        .owners = map_new(0),
        .out = answer_new(arena),
        .rows_left = ROWS_SCANNED,
        .events_left = EVENTS_SCANNED,
    };
    enum rc rc = read_all(&r, reterr);

    map_free(r.owners);
    if (rc == RC_OK)
        *ret = portion;
    return rc;
}
