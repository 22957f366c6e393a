/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs, hashes and stores the rows of the audit log.
 */
#include "store/audit.h"

#include <string.h>

#include "base/unpack.h"
#include "store/columns.h"
#include "store/sql_numbers.h"
#include "store/tables_access.h"

enum {
    ROW_NUMBERS = 4,
    /* Flags that share a byte with the result. */
    HAS_LONG = 0x20, /* lengths have two bytes, because a text has more than SHORT_MAX */
    HAS_BEFORE = 0x40,
    HAS_AFTER = 0x80,
    RESULT_BITS = 0x1f,
    SHORT_MAX = 255,
};

enum { ROW_POSITIONS(AUDIT_COLUMNS) };

#define COLUMNS SQL_NAMES(AUDIT_COLUMNS)

static const struct db_stmt audit_add = {SQL_INSERT("audit", AUDIT_COLUMNS),
                                         SQL_TYPES(AUDIT_COLUMNS)};
static const struct db_stmt audit_end = {
    "SELECT seq + count - 1, hash FROM audit WHERE node = (SELECT id FROM nodes"
    " WHERE name = $1) ORDER BY seq DESC LIMIT 1",
    "t"};
static const struct db_stmt audit_node = {
    "SELECT a.node, n.name FROM audit a LEFT JOIN nodes n ON n.id = a.node WHERE a.node > $1"
    " ORDER BY a.node LIMIT 1",
    "i"};
static const struct db_stmt audit_list = {
    "SELECT " COLUMNS " FROM audit WHERE node = $1 AND seq > $2 ORDER BY seq LIMIT $3", "iii"};
static const struct db_stmt audit_latest = {"SELECT " COLUMNS
                                            " FROM audit WHERE (at, node, seq) < ($1, $2, $3)"
                                            " ORDER BY at DESC, node DESC, seq DESC LIMIT $4",
                                            "iiii"};
static const struct db_stmt audit_prune = {
    "DELETE FROM audit WHERE node = $1 AND at < $2 AND seq <= (SELECT max(seq) FROM"
    " (SELECT seq FROM audit WHERE node = $1 ORDER BY seq LIMIT $3) AS batch)",
    "iii"};
/* As event_down_node in events_requests.c. */
static const struct db_stmt audit_down_node = {
    "SELECT id FROM nodes WHERE id > 0 AND state = " SQL_NODE_DOWN " AND (SELECT at FROM audit"
    " WHERE node = nodes.id ORDER BY seq LIMIT 1) < $1 ORDER BY id LIMIT 1{skip}",
    "i"};

const char *audit_result_text(enum audit_result result)
{
    static const char *const texts[AUDIT_RESULT_COUNT] = {
        [AUDIT_DONE] = "done",           [AUDIT_NOT_FOUND] = "notFound",
        [AUDIT_CONFLICT] = "conflict",   [AUDIT_LIMIT] = "limit",
        [AUDIT_FAILED] = "failed",       [AUDIT_UNAUTHORIZED] = "unauthorized",
        [AUDIT_FORBIDDEN] = "forbidden", [AUDIT_DAMAGED] = "damaged",
    };

    return result > 0 && result < AUDIT_RESULT_COUNT ? texts[result] : "unknown";
}

/* ---- entries ---- */

static void entry_texts(const struct audit_entry *e, struct str ret[AUDIT_TEXTS])
{
    const struct str texts[AUDIT_TEXTS] = {e->by,   e->operation, e->object, e->namespace,
                                           e->from, e->request,   e->token};

    for (int i = 0; i < AUDIT_TEXTS; i++)
        ret[i] = str_head(texts[i], AUDIT_TEXT_MAX);
}

static size_t length_size(const struct str texts[AUDIT_TEXTS])
{
    for (int i = 0; i < AUDIT_TEXTS; i++)
        if (texts[i].len > SHORT_MAX)
            return 2;
    return 1;
}

size_t audit_packed_size(const struct audit_entry *entry)
{
    struct str texts[AUDIT_TEXTS];
    size_t size = AUDIT_HEAD;

    size += entry->before.is_set ? AUDIT_FINGERPRINT : 0;
    size += entry->after.is_set ? AUDIT_FINGERPRINT : 0;
    entry_texts(entry, texts);
    for (int i = 0; i < AUDIT_TEXTS; i++)
        size += length_size(texts) + texts[i].len;
    return size;
}

static void put_fingerprint(struct buf *out, const struct audit_fingerprint *fingerprint)
{
    if (fingerprint->is_set)
        buf_str(out, (struct str){(const char *)fingerprint->bytes, AUDIT_FINGERPRINT});
}

void audit_pack(const struct audit_entry *entry, struct buf *out)
{
    unsigned flags = (entry->before.is_set ? HAS_BEFORE : 0u) |
                     (entry->after.is_set ? HAS_AFTER : 0u);
    struct str texts[AUDIT_TEXTS];

    entry_texts(entry, texts);
    flags |= length_size(texts) > 1 ? HAS_LONG : 0u;
    buf_le(out, (uint64_t)entry->result | flags, 1);
    buf_le(out, (uint64_t)entry->version, 8);
    buf_le(out, (uint64_t)entry->count, 4);
    put_fingerprint(out, &entry->before);
    put_fingerprint(out, &entry->after);
    for (int i = 0; i < AUDIT_TEXTS; i++) {
        buf_le(out, texts[i].len, length_size(texts));
        buf_str(out, texts[i]);
    }
}

/* Earlier versions cut long texts at any byte: the rest of the last character is dropped. */
static bool read_text(struct unpack *in, size_t length, struct str *ret)
{
    *ret = unpack_bytes(in, (size_t)unpack_le(in, length));
    if (ret->len == SHORT_MAX && !str_is_utf8(*ret))
        *ret = str_whole(*ret);
    return str_is_utf8(*ret);
}

static void read_fingerprint(struct unpack *in, struct audit_fingerprint *ret)
{
    struct str bytes = unpack_bytes(in, AUDIT_FINGERPRINT);

    ret->is_set = true;
    memcpy(ret->bytes, bytes.ptr, bytes.len);
}

enum rc audit_unpack(struct str *bytes, struct audit_entry *ret, bool *ret_any,
                     struct err *reterr)
{
    struct unpack in = {.left = *bytes};
    struct audit_entry e = {0};
    struct str *const texts[AUDIT_TEXTS] = {&e.by,   &e.operation, &e.object, &e.namespace,
                                            &e.from, &e.request,   &e.token};
    uint64_t first;

    if (bytes->len == 0) {
        *ret_any = false;
        return RC_OK;
    }
    first = unpack_le(&in, 1);
    e.result = (enum audit_result)(first & RESULT_BITS);
    e.version = (int64_t)unpack_le(&in, 8);
    e.count = (int64_t)unpack_le(&in, 4);
    if (first & HAS_BEFORE)
        read_fingerprint(&in, &e.before);
    if (first & HAS_AFTER)
        read_fingerprint(&in, &e.after);
    for (int i = 0; i < AUDIT_TEXTS; i++)
        in.is_bad = !read_text(&in, first & HAS_LONG ? 2 : 1, texts[i]) || in.is_bad;
    if (in.is_bad)
        return err_set(reterr, RC_CORRUPT, -1, 0, "damaged audit row");
    *bytes = in.left;
    *ret = e;
    *ret_any = true;
    return RC_OK;
}

/* ---- fingerprints ---- */

static void add_number(struct sha256 *sha, int64_t number)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)number >> (8 * i));
    sha256_add(sha, bytes, sizeof bytes);
}

struct audit_fingerprint audit_fingerprint_of(const struct schedule_row *row, bool is_disabled)
{
    const struct str texts[] = {row->spec,   row->action, row->policies,   row->governor,
                                row->labels, row->extra,  row->description};
    struct audit_fingerprint fingerprint = {.is_set = true};
    uint8_t hash[SHA256_BYTES];
    struct sha256 sha;

    sha256_begin(&sha);
    add_number(&sha, row->dialect);
    add_number(&sha, is_disabled);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        add_number(&sha, (int64_t)texts[i].len);
        sha256_add(&sha, texts[i].ptr, texts[i].len);
    }
    sha256_end(&sha, hash);
    memcpy(fingerprint.bytes, hash, sizeof fingerprint.bytes);
    return fingerprint;
}

/* ---- rows ---- */

void audit_row_hash(const struct audit_row *row, uint8_t ret[SHA256_BYTES])
{
    const int64_t numbers[ROW_NUMBERS] = {row->node, row->seq, row->count, row->at};
    char head[ROW_NUMBERS * 8 + 1];
    struct buf out = BUF(head);
    struct sha256 sha;

    for (int i = 0; i < ROW_NUMBERS; i++)
        buf_le(&out, (uint64_t)numbers[i], 8);
    sha256_begin(&sha);
    sha256_add(&sha, row->prior, sizeof row->prior);
    sha256_add(&sha, out.ptr, out.len);
    sha256_add(&sha, row->body.ptr, row->body.len);
    sha256_end(&sha, ret);
}

void audit_insert(struct db *db, const struct audit_row *from)
{
    struct db_value params[] = {ROW_VALUES(AUDIT_COLUMNS)};

    db_send(db, &audit_add, params, NULL);
}

void audit_last(struct db *db, struct str node, struct db_result *ret)
{
    db_send(db, &audit_end, (struct db_value[]){db_text(node)}, ret);
}

void audit_next_node(struct db *db, int64_t node, struct db_result *ret)
{
    db_send(db, &audit_node, (struct db_value[]){db_int(node)}, ret);
}

void audit_of(struct db *db, int64_t node, int64_t seq, int limit, struct db_result *ret)
{
    db_send(db, &audit_list, (struct db_value[]){db_int(node), db_int(seq), db_int(limit)},
            ret);
}

void audit_before(struct db *db, const struct audit_row *before, int limit,
                  struct db_result *ret)
{
    db_send(db, &audit_latest,
            (struct db_value[]){db_int(before->at), db_int(before->node), db_int(before->seq),
                                db_int(limit)},
            ret);
}

/* `ret` is zero.  A hash of another length was not written by Belfry; zero matches no row. */
static void read_hash(const struct db_result *result, int row, int column,
                      uint8_t ret[SHA256_BYTES])
{
    struct str bytes = db_blob_at(result, row, column);

    if (bytes.len == SHA256_BYTES)
        memcpy(ret, bytes.ptr, bytes.len);
}

void audit_read(const struct db_result *result, int row, struct audit_row *ret)
{
    *ret = (struct audit_row){ROW_MEMBERS(AUDIT_COLUMNS)};
    read_hash(result, row, AT_prior, ret->prior);
    read_hash(result, row, AT_hash, ret->hash);
}

void prune_audit(struct db *db, int64_t node, instant before, int limit)
{
    db_send(db, &audit_prune, (struct db_value[]){db_int(node), db_int(before), db_int(limit)},
            NULL);
}

void prune_audit_down_node(struct db *db, instant before, struct db_result *ret)
{
    db_send(db, &audit_down_node, (struct db_value[]){db_int(before)}, ret);
}
