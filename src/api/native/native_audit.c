/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the audit log, newest entries first, and verifies that no entry was altered.
 *
 * A row holds the entries of one turn, so a page may begin and end inside a row.  Both
 * operations read a bounded number of rows; the cursor is the position that they have reached.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/call/operation.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"
#include "store/audit.h"
#include "store/text.h"

enum {
    ROWS_AT_ONCE = 8,        /* the largest rows fit into one database result */
    ROWS_SCANNED = 512,      /* of one page                                   */
    BYTES_SCANNED = 8 << 20, /* of one page                                   */
    DAMAGED_MAX = 100,       /* damaged rows of one page of a verification    */
    CURSOR_TEXT_MAX = 160,
};

/* ---- the list ---- */

struct audit_query {
    struct page page;
    struct str by, operation, object;
    bool is_everything;
    instant from, to;
    struct audit_row at; /* the row at which to continue                      */
    int64_t printed;     /* how many of its entries are printed, from its end */
};

struct listing {
    const struct call *call;
    const struct audit_query *query;
    struct answer out;
    int count;
    struct audit_row at;
    int64_t printed;
    bool is_over;
};

/* Numbers separated by dots. */
static bool read_numbers(struct str text, int64_t *ret, int count)
{
    for (int i = 0; i < count; i++) {
        if (i > 0 && (text.len == 0 || text.ptr[0] != '.'))
            return false;
        if (i > 0)
            text = str_from(text, 1);
        if (str_take_number(&text, INT64_MAX - 2, &ret[i]) == 0)
            return false;
    }
    return text.len == 0;
}

static enum rc read_everything(struct call *call, bool *ret, struct err *reterr)
{
    struct str text = request_query(call, "everything");

    *ret = str_eq(text, STR("true"));
    if (text.len == 0 || *ret || str_eq(text, STR("false")))
        return RC_OK;
    err_set(reterr, RC_INVALID, 0, (int)text.len, "must be true or false");
    return err_in(reterr, "everything");
}

enum call_step audit_list_begin(struct call *call)
{
    static const char *const names[] = {"by",   "operation", "object",
                                        "from", "to",        "everything"};
    struct audit_query *query = arena_take(call->arena, sizeof *query);
    int64_t at[4] = {INSTANT_NEVER - 2, 0, 0, 0};
    struct err err;

    query->from = INSTANT_NONE;
    query->to = INSTANT_NEVER;
    if (page_begin(call, names, 6, &query->page, &err) != RC_OK ||
        request_query_range(call, &query->from, &query->to, &err) != RC_OK ||
        read_everything(call, &query->is_everything, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (query->page.after.len > 0 && !read_numbers(query->page.after, at, 4))
        return call_problem(call, 400, "invalid_field", "invalid cursor; start without it");
    if (query->is_everything && !call->caller.is_everywhere)
        return call_deny(call, 403, "everything requires an admin of all namespaces");
    if (query->page.after.len == 0 && query->to != INSTANT_NEVER && query->to >= 0)
        at[0] = query->to + 1;
    query->by = request_query(call, "by");
    query->operation = request_query(call, "operation");
    query->object = request_query(call, "object");
    query->at = (struct audit_row){.at = at[0], .node = at[1], .seq = at[2]};
    query->printed = at[3];
    call->arg = query;
    return CALL_READ;
}

static bool matches(struct str wanted, struct str text)
{
    return wanted.len == 0 || str_eq(wanted, text);
}

static bool is_wanted(const struct listing *t, const struct audit_entry *e)
{
    const struct audit_query *query = t->query;

    return (query->is_everything || str_eq(e->namespace, t->call->namespace_name)) &&
           matches(query->by, e->by) && matches(query->operation, e->operation) &&
           matches(query->object, e->object);
}

static void print_hex(const uint8_t *bytes, int count, struct buf *out)
{
    for (int i = 0; i < count; i++)
        buf_printf(out, "%02x", bytes[i]);
}

static void put_fingerprint(struct answer *out, const char *name,
                            const struct audit_fingerprint *fingerprint)
{
    char text[2 * AUDIT_FINGERPRINT + 1];
    struct buf hex = BUF(text);

    if (!fingerprint->is_set)
        return;
    print_hex(fingerprint->bytes, AUDIT_FINGERPRINT, &hex);
    answer_put_some(out, name, buf_as_str(&hex));
}

static void print_entry(struct listing *t, const struct audit_row *row, int64_t i,
                        const struct audit_entry *e)
{
    struct answer *out = &t->out;

    t->count++;
    answer_open(out);
    answer_put_instant(out, "at", row->at);
    answer_put_int(out, "node", row->node);
    answer_put_int(out, "seq", row->seq + i);
    answer_put_some(out, "by", e->by);
    answer_put_some(out, "token", e->token);
    answer_put_some(out, "from", e->from);
    answer_put_some(out, "operation", e->operation);
    answer_put_some(out, "namespace", e->namespace);
    answer_put_some(out, "object", e->object);
    answer_put_some(out, "result", str_of(audit_result_text(e->result)));
    if (e->version != 0)
        answer_put_int(out, "version", e->version);
    put_fingerprint(out, "before", &e->before);
    put_fingerprint(out, "after", &e->after);
    answer_put_int(out, "count", e->count);
    answer_put_some(out, "requestId", e->request);
    answer_text(out, "}");
}

/* The entries of the row; NULL: it is damaged. */
static struct audit_entry *unpack_row(const struct audit_row *row, struct arena *arena)
{
    struct audit_entry *entries;
    struct str rest = row->body;
    struct err err;
    bool any;

    if (row->count < 1 || row->count > TURN_COMMANDS_MAX)
        return NULL;
    entries = arena_array(arena, (size_t)row->count, sizeof *entries);
    for (int64_t i = 0; i < row->count; i++)
        if (audit_unpack(&rest, &entries[i], &any, &err) != RC_OK || !any)
            return NULL;
    return rest.len == 0 ? entries : NULL;
}

/*
 * Prints the remaining entries of the row, last first, until the page is full.  A damaged row
 * is printed as one entry for every filter, because its content is unknown.
 */
static void print_row(struct listing *t, const struct audit_row *row)
{
    static const struct audit_entry damaged = {.result = AUDIT_DAMAGED, .count = 1};
    struct audit_entry *entries = unpack_row(row, t->call->arena);

    t->at = *row;
    if (!entries)
        print_entry(t, row, 0, &damaged);
    for (; entries && t->printed < row->count && t->count < t->query->page.limit;
         t->printed++) {
        int64_t i = row->count - 1 - t->printed;

        if (is_wanted(t, &entries[i]))
            print_entry(t, row, i, &entries[i]);
    }
    if (t->printed >= row->count)
        t->printed = 0; /* the next page begins before it */
}

/* Reads and prints rows from t->at on; adds the bytes that were read to *bytes. */
static enum rc print_batch(struct listing *t, struct db *db, int *rows_left, size_t *bytes,
                           struct err *reterr)
{
    struct audit_row next = t->at;
    struct db_result rows = {0};
    enum rc rc;

    next.seq += t->printed > 0 ? 1 : 0; /* read that row again: it was printed in part */
    audit_before(db, &next, ROWS_AT_ONCE, &rows);
    rc = db_flush(db, t->call->arena, reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows && t->count < t->query->page.limit; i++) {
        struct audit_row row;

        audit_read(&rows, i, &row);
        if (row.at < t->query->from) {
            t->is_over = true;
            return RC_OK;
        }
        if (row.node != t->at.node || row.seq != t->at.seq)
            t->printed = 0;
        print_row(t, &row);
        *bytes += row.body.len;
        (*rows_left)--;
    }
    t->is_over = t->is_over || (rows.rows < ROWS_AT_ONCE && t->printed == 0 &&
                                t->count < t->query->page.limit);
    return rc;
}

enum call_step audit_list_read(struct call *call, struct db *db)
{
    const struct audit_query *query = call->arg;
    struct listing t = {call,           query, answer_new(call->arena), 0, query->at,
                        query->printed, false};
    char text[CURSOR_TEXT_MAX];
    struct buf cursor = BUF(text);
    int rows_left = ROWS_SCANNED;
    size_t bytes = 0;
    enum rc rc = RC_OK;
    struct err err;

    page_open(&t.out, "entries");
    while (rc == RC_OK && !t.is_over && t.count < query->page.limit && rows_left > 0 &&
           bytes < BYTES_SCANNED && t.out.buf.len < PAGE_BYTES_MAX)
        rc = print_batch(&t, db, &rows_left, &bytes, &err);
    if (rc != RC_OK)
        return view_failed(call, &err);
    buf_text(&cursor, "");
    if (!t.is_over)
        buf_printf(&cursor, "%" PRId64 ".%" PRId64 ".%" PRId64 ".%" PRId64, t.at.at, t.at.node,
                   t.at.seq, t.printed);
    page_close(&t.out, buf_as_str(&cursor));
    return call_answer(call, 200, answer_done(&t.out));
}

/* ---- verification ---- */

struct audit_check {
    struct audit_row last; /* the previous row; seq 0: none of this node yet */
    int64_t entries;       /* intact ones of this page                       */
    struct damage {
        int64_t seq;
        const char *text;
    } damages[DAMAGED_MAX];
    int damage_count;
};

static bool read_hex(struct str text, uint8_t ret[SHA256_BYTES])
{
    static const char digits[] = "0123456789abcdef";

    if (text.len != (size_t)2 * SHA256_BYTES)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const char *at = memchr(digits, text.ptr[i], 16);

        if (!at)
            return false;
        ret[i / 2] = (uint8_t)(i % 2 == 0 ? (at - digits) << 4 : ret[i / 2] | (at - digits));
    }
    return true;
}

/* "node.seq.count.hash" of the last row that was verified. */
static bool read_position(struct str text, struct audit_row *ret)
{
    struct str hash = {NULL, 0}, numbers = text;
    int64_t at[3];

    if (text.len <= (size_t)2 * SHA256_BYTES + 1)
        return false;
    hash = str_from(text, text.len - (size_t)2 * SHA256_BYTES);
    numbers.len = text.len - hash.len - 1;
    if (numbers.ptr[numbers.len] != '.' || !read_numbers(numbers, at, 3))
        return false;
    *ret = (struct audit_row){.node = at[0], .seq = at[1], .count = at[2]};
    return read_hex(hash, ret->hash);
}

enum call_step audit_verify_begin(struct call *call)
{
    static const char *const names[] = {"cursor"};
    struct audit_check *check = arena_take(call->arena, sizeof *check);
    struct str cursor;
    struct err err;

    if (request_query_check(call, names, 1, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    cursor = request_query(call, "cursor");
    if (cursor.len > 0 && !read_position(cursor, &check->last))
        return call_problem(call, 400, "invalid_field", "invalid cursor; start without it");
    call->arg = check;
    return CALL_READ;
}

static const char *find_damage(const struct audit_row *row, const struct audit_row *last,
                               struct arena *arena)
{
    static const uint8_t none[SHA256_BYTES];
    uint8_t hash[SHA256_BYTES];

    audit_row_hash(row, hash);
    if (!sha256_eq(hash, row->hash))
        return "its content is not what was written";
    if (last->seq > 0 && last->count > 0 && row->seq - last->seq != last->count)
        return "entries before it are missing";
    if (last->seq > 0 && !sha256_eq(row->prior, last->hash))
        return "it does not follow the one before it";
    if (last->seq == 0 && row->seq == 1 && !sha256_eq(row->prior, none))
        return "entries before it are missing";
    return unpack_row(row, arena) ? NULL : "its entries cannot be read";
}

/* An invalid count becomes 0, so that find_damage() does not compare it with the next row. */
static void verify_row(struct audit_check *check, struct audit_row *row, struct arena *arena)
{
    const char *damage = find_damage(row, &check->last, arena);

    if (damage)
        check->damages[check->damage_count++] = (struct damage){row->seq, damage};
    if (row->count < 1 || row->count > TURN_COMMANDS_MAX)
        row->count = 0;
    check->entries += damage ? 0 : row->count;
    check->last = *row;
}

static bool is_full(const struct audit_check *check)
{
    return check->damage_count == DAMAGED_MAX;
}

/* Verifies the next rows of the node; sets *ret_is_over if none are left. */
static enum rc verify_batch(struct audit_check *check, struct call *call, struct db *db,
                            size_t *bytes, bool *ret_is_over, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    audit_of(db, check->last.node, check->last.seq, ROWS_AT_ONCE, &rows);
    rc = db_flush(db, call->arena, reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows && !is_full(check); i++) {
        struct audit_row row;

        audit_read(&rows, i, &row);
        *bytes += row.body.len;
        verify_row(check, &row, call->arena);
    }
    *ret_is_over = rows.rows < ROWS_AT_ONCE && !is_full(check);
    return rc;
}

static void print_node(const struct audit_check *check, struct str name, struct answer *out)
{
    answer_reserve(out, 4 * SHA256_BYTES);
    answer_open(out);
    answer_put_int(out, "node", check->last.node);
    answer_put_some(out, "name", name);
    answer_put_int(out, "entries", check->entries);
    answer_put_int(out, "to",
                   check->last.seq + (check->last.count > 1 ? check->last.count - 1 : 0));
    answer_text(out, ",\"head\":\"");
    answer_reserve(out, (size_t)2 * SHA256_BYTES);
    print_hex(check->last.hash, SHA256_BYTES, &out->buf);
    answer_text(out, "\"");
    answer_put_word(out, "broken", check->damage_count > 0 ? check->damages[0].text : NULL);
    answer_text(out, ",\"damaged\":[");
    for (int i = 0; i < check->damage_count; i++) {
        answer_open(out);
        answer_put_int(out, "seq", check->damages[i].seq);
        answer_put_word(out, "reason", check->damages[i].text);
        answer_text(out, "}");
    }
    answer_text(out, "]}");
}

/* A page covers one node, or a part of it. */
enum call_step audit_verify_read(struct call *call, struct db *db)
{
    struct audit_check check = *(const struct audit_check *)call->arg;
    struct answer out = answer_new(call->arena);
    struct db_result node = {0};
    char text[CURSOR_TEXT_MAX];
    struct buf cursor = BUF(text);
    bool is_over = false;
    size_t bytes = 0;
    enum rc rc;
    struct err err;

    /* The node that the cursor is in, or the next one. */
    audit_next_node(db, check.last.seq > 0 ? check.last.node - 1 : check.last.node, &node);
    rc = db_flush(db, call->arena, &err);
    if (rc == RC_OK && node.rows == 1 && db_int_at(&node, 0, 0) != check.last.node)
        check.last = (struct audit_row){.node = db_int_at(&node, 0, 0)};
    for (int i = 0; rc == RC_OK && node.rows == 1 && !is_over && !is_full(&check) &&
                    i < ROWS_SCANNED / ROWS_AT_ONCE && bytes < BYTES_SCANNED;
         i++)
        rc = verify_batch(&check, call, db, &bytes, &is_over, &err);
    if (rc != RC_OK)
        return view_failed(call, &err);
    answer_text(&out, check.damage_count > 0 ? "{\"intact\":false,\"nodes\":["
                                             : "{\"intact\":true,\"nodes\":[");
    if (node.rows == 1)
        print_node(&check, text_or_empty(&node, 0, 1), &out);
    if (is_over)
        check.last = (struct audit_row){.node = check.last.node};
    buf_text(&cursor, "");
    if (node.rows == 1) {
        buf_printf(&cursor, "%" PRId64 ".%" PRId64 ".%" PRId64 ".", check.last.node,
                   check.last.seq, check.last.count);
        print_hex(check.last.hash, SHA256_BYTES, &cursor);
    }
    page_close(&out, buf_as_str(&cursor));
    return call_answer(call, 200, answer_done(&out));
}
