/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the paging parameters of lists, seals cursors and prints lists of named objects.
 */
#include "api/schedules/page.h"

#include <inttypes.h>

#include "base/must.h"

enum {
    PARAMETERS_MAX = 14,
    SEAL_LEN = 9, /* bytes after the position: "~1f3a9c0e" */
};

enum rc page_begin(struct call *call, const char *const *more, int count, struct page *ret,
                   struct err *reterr)
{
    const char *names[PARAMETERS_MAX] = {"limit", "cursor"};
    struct page page = {0};
    enum rc rc;

    must(count + 2 <= PARAMETERS_MAX);
    for (int i = 0; i < count; i++)
        names[i + 2] = more[i];
    rc = request_query_check(call, names, count + 2, reterr);
    if (rc == RC_OK)
        rc = request_limit(call, &page.limit, reterr);
    if (rc != RC_OK)
        return rc;
    page.after = request_query(call, "cursor");
    *ret = page;
    return RC_OK;
}

struct str page_seal(const struct digest *context, struct str position, struct arena *arena)
{
    struct buf out = {.cap = position.len + SEAL_LEN + 1};
    struct digest sum = *context;

    digest_add(&sum, position.ptr, position.len);
    out.ptr = arena_take(arena, out.cap);
    buf_str(&out, position);
    buf_printf(&out, "~%08" PRIx32, (uint32_t)(sum.sum >> 32));
    return buf_as_str(&out);
}

enum rc page_unseal(const struct digest *context, struct str cursor, struct str *ret_position,
                    struct err *reterr)
{
    struct str position = {cursor.ptr, cursor.len < SEAL_LEN ? 0 : cursor.len - SEAL_LEN};
    struct digest sum = *context;
    char text[SEAL_LEN + 1];
    struct buf seal = BUF(text);

    digest_add(&sum, position.ptr, position.len);
    buf_printf(&seal, "~%08" PRIx32, (uint32_t)(sum.sum >> 32));
    if (str_eq(str_from(cursor, position.len), buf_as_str(&seal))) {
        *ret_position = position;
        return RC_OK;
    }
    return err_field(reterr, "cursor",
                     "invalid for this list, order and filter; start without a cursor");
}

enum call_step page_list_begin(struct call *call)
{
    struct page *page = arena_take(call->arena, sizeof *page);
    struct err err;

    if (page_begin(call, NULL, 0, page, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = page;
    return CALL_READ;
}

enum call_step page_list_read(struct call *call, struct db *db, const struct named_list *list)
{
    const struct page *page = call->arg;
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0};
    struct str last = {NULL, 0};
    int count = 0, most;
    struct err err;

    list->send(db, call->namespace, page->after, page->limit + 1, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    most = rows.rows > page->limit ? page->limit : rows.rows;
    page_open(&out, list->name);
    while (count < most && out.buf.len <= PAGE_BYTES_MAX)
        last = list->print(call, &rows, count++, &out);
    page_close(&out, rows.rows > count ? last : (struct str){NULL, 0});
    return call_answer(call, 200, answer_done(&out));
}

void page_open(struct answer *out, const char *name)
{
    answer_text(out, "{\"");
    answer_text(out, name);
    answer_text(out, "\":[");
}

void page_close(struct answer *out, struct str cursor)
{
    answer_text(out, "]");
    answer_put_some(out, "cursor", cursor);
    answer_text(out, "}");
}
