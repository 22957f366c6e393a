/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the path of an upstream's URL and that of a request.
 */
#include "server/forward/forward_path.h"

#include <string.h>

#include "base/buf.h"
#include "base/must.h"

/* The part of a text from its next slash on; empty if it has none. */
static struct str from_slash(struct str text, size_t at)
{
    while (at < text.len && text.ptr[at] != '/')
        at++;
    return str_from(text, at);
}

/* The part after "scheme://host". */
static struct str after_host(struct str url)
{
    struct str scheme, rest;

    must(str_cut(url, ':', &scheme, &rest));
    return from_slash(rest, 2);
}

void forward_path_split(struct str url, struct str *ret_origin, struct str *ret_path)
{
    struct str path = after_host(url);

    *ret_path = path;
    *ret_origin = (struct str){url.ptr, url.len - path.len};
}

struct str forward_path(const struct http1_request *request, struct str base,
                        struct arena *arena)
{
    struct str path = request->is_absolute ? after_host(request->target) : request->target;
    struct str rest = from_slash(path, 1); /* after /api, however it was encoded */
    struct buf out = {.cap = base.len + rest.len + 1};

    out.ptr = arena_take_raw(arena, out.cap);
    buf_str(&out, base);
    buf_str(&out, rest);
    must(!out.cut);
    return buf_as_str(&out);
}
