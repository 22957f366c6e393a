/* SPDX-License-Identifier: Apache-2.0 */
#include "api/page.h"

#include "base/must.h"

enum { PARAMETERS_MAX = 14 };

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

void page_open(struct answer *out, const char *name)
{
    answer_text(out, "{\"");
    answer_text(out, name);
    answer_text(out, "\":[");
}

void page_close(struct answer *out, struct str cursor)
{
    answer_text(out, "],\"cursor\":");
    if (cursor.len > 0)
        answer_quoted(out, cursor);
    else
        answer_text(out, "null");
    answer_text(out, "}");
}
