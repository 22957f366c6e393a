/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers with the web page and its files, which are part of the program, compressed.
 *
 * The path of a file contains the hash over all files, so that browsers may keep it forever and
 * never mix files of two versions.  The page reveals nothing about the server's state.
 */
#include "api/ui/ui.h"

#include <string.h>

#include "api/call/request.h"
#include "api/ui/ui_parts.h"
#include "base/buf.h"
#include "base/must.h"
#include "wire/gunzip.h"

#define FOREVER "public, max-age=31536000, immutable"

/* Scripts, styles and requests only from and to this server, and no HTML from strings. */
#define POLICY                                                                            \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "       \
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " \
    "require-trusted-types-for 'script'; trusted-types 'none'"

static const struct {
    struct str end;
    const char *type;
} types[] = {
    {{".html", 5}, "text/html; charset=utf-8"}, {{".js", 3}, "text/javascript; charset=utf-8"},
    {{".css", 4}, "text/css; charset=utf-8"},   {{".svg", 4}, "image/svg+xml"},
    {{".txt", 4}, "text/plain; charset=utf-8"},
};

static const char *type_of(struct str name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (name.len > types[i].end.len &&
            str_eq(str_from(name, name.len - types[i].end.len), types[i].end))
            return types[i].type;
    return "application/octet-stream";
}

/* Its number; -1: there is none. */
static int find_file(struct str name)
{
    for (int i = 0; i < ui_gzipped_count; i++)
        if (str_eq(str_of(ui_files[i].name), name))
            return i;
    return -1;
}

/* In the form that the client accepts; the compressed one is not copied. */
static struct str read_file(struct call *call, int i)
{
    struct buf plain;

    if (http1_accepts_gzip(call->request)) {
        call_field(call, STR("Content-Encoding"), STR("gzip"));
        return ui_gzipped[i];
    }
    plain = arena_buf(call->arena, ui_files[i].size);
    must(gunzip(ui_gzipped[i], &plain) == GUNZIP_DONE);
    return buf_as_str(&plain);
}

/* The answer without its body. */
static enum call_step answer_head(struct call *call, int i, struct str cache, int status)
{
    call_field(call, STR("Cache-Control"), cache);
    call_field(call, STR("Content-Security-Policy"), STR(POLICY));
    call_field(call, STR("Cross-Origin-Opener-Policy"), STR("same-origin"));
    call_field(call, STR("Referrer-Policy"), STR("no-referrer"));
    call_field(call, STR("Vary"), STR("Accept-Encoding"));
    call_answer(call, status, (struct str){NULL, 0});
    call->content_type = type_of(str_of(ui_files[i].name));
    return CALL_ANSWER;
}

static enum call_step answer_file(struct call *call, int i, struct str cache)
{
    answer_head(call, i, cache, 200);
    call->answer = read_file(call, i);
    return CALL_ANSWER;
}

static enum call_step refuse_path(struct call *call)
{
    return call_problem(call, 404, "not_found", "unknown path \"%.*s\"",
                        STR_ARG(call->request->target));
}

static enum call_step refuse_page(struct call *call)
{
    return call_problem(call, 404, "not_found",
                        "this server serves no web page; set page in its configuration");
}

enum call_step ui_index_begin(struct call *call)
{
    int i = find_file(STR("index.html"));
    struct buf etag;

    if (call->context->has_no_page)
        return refuse_page(call);
    etag = arena_buf(call->arena, strlen(ui_set) + sizeof "W/\"\"");
    buf_printf(&etag, "W/\"%s\"", ui_set); /* weak: the bytes depend on the encoding */
    call_field(call, STR("ETag"), buf_as_str(&etag));
    if (request_has_etag(call, buf_as_str(&etag)))
        return answer_head(call, i, STR("no-cache"), 304);
    return answer_file(call, i, STR("no-cache"));
}

static enum call_step answer_name(struct call *call, struct str name)
{
    bool is_index = str_eq(name, STR("index.html")); /* it is at / only */
    int i = is_index ? -1 : find_file(name);

    if (call->context->has_no_page)
        return refuse_page(call);
    if (i < 0 || !str_eq(call->params[0], str_of(ui_set)))
        return refuse_path(call);
    return answer_file(call, i, STR(FOREVER));
}

enum call_step ui_file_begin(struct call *call)
{
    return answer_name(call, call->params[1]);
}

enum call_step ui_nested_begin(struct call *call)
{
    struct buf name = arena_buf(call->arena, call->params[1].len + call->params[2].len + 2);

    buf_str(&name, call->params[1]);
    buf_char(&name, '/');
    buf_str(&name, call->params[2]);
    return answer_name(call, buf_as_str(&name));
}
