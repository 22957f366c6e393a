/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the operation of a request in the table, and the API that a path belongs to.
 */
#include "api/call/api_dialect.h"
#include "api/call/operation.h"
#include "base/buf.h"
#include "base/must.h"

enum {
    ALLOW_MAX = 64,          /* bytes: all methods             */
    IGNORED_BODY_MAX = 4096, /* bytes: clients send {} or null */
};

int32_t operation_body_max(const struct operation *operation)
{
    if (operation->body_max > 0 || operation->dialect == DIALECTS_NATIVE)
        return operation->body_max;
    return IGNORED_BODY_MAX;
}

/*
 * Returns the rest of `path` after its first segment if that matches `segment`, else NULL.
 * Compares character by character, because most segments differ in the first one.  A slash
 * inside the segment was percent-encoded in the request.
 */
static const char *skip_segment(const char *path, struct str segment)
{
    size_t i = 0;

    if (*path == '{') {
        while (*path != '/' && *path != '\0')
            path++;
        return path;
    }
    while (i < segment.len && path[i] == segment.ptr[i] && path[i] != '/')
        i++;
    return i == segment.len && (path[i] == '/' || path[i] == '\0') ? path + i : NULL;
}

bool operation_path_matches(const char *path, const struct str *segments, int count)
{
    if (count == 0)
        return strcmp(path, "/") == 0;
    for (int i = 0; i < count; i++) {
        if (*path != '/')
            return false;
        path = skip_segment(path + 1, segments[i]);
        if (!path)
            return false;
    }
    return *path == '\0';
}

/* Compares `path` with the segments of the request from segment i on. */
static bool matches(const char *path, const struct http1_request *request, int i)
{
    return operation_path_matches(path, request->segments + i, request->segment_count - i);
}

void operation_params(const struct operation *operation, const struct http1_request *request,
                      struct arena *arena, struct str params[CALL_PARAMS_MAX])
{
    const char *path = operation->path;
    int count = 0;

    for (int i = 0; path && strchr(path, '{'); i++, path = strchr(path + 1, '/'))
        if (path[1] == '{') {
            must(count < CALL_PARAMS_MAX);
            params[count++] = arena_str(arena, request->segments[i]);
        }
}

static bool has_method(const struct operation *operation, struct str method)
{
    return str_eq(str_of(operation->method), method);
}

/* Whether the list, such as "GET, HEAD", has the method. */
static bool has_word(struct str list, struct str method)
{
    struct str one, rest = list;

    while (str_cut(rest, ',', &one, &rest))
        if (str_eq(str_trim(one), method))
            return true;
    return str_eq(str_trim(rest), method);
}

static void add_method(struct buf *out, const char *method)
{
    if (has_word(buf_as_str(out), str_of(method)))
        return;
    if (out->len > 0)
        buf_text(out, ", ");
    buf_text(out, method);
    if (str_eq(str_of(method), STR("GET")))
        buf_text(out, ", HEAD");
}

/*
 * The methods of all operations of the path, each once; empty: it has none.  Several paths of
 * the table can match: /schedules/search is also the path of a schedule called "search".
 */
static struct str methods_of(const struct http1_request *request, struct arena *arena)
{
    struct buf allowed = {.ptr = arena_take(arena, ALLOW_MAX), .cap = ALLOW_MAX};

    for (int i = 0; i < operation_count && !request->is_server_wide; i++)
        if (matches(operations[i].path, request, 0))
            add_method(&allowed, operations[i].method);
    must(!allowed.cut);
    return buf_as_str(&allowed);
}

/* Most paths have this prefix; it is compared once per request, not once per operation. */
static const struct str prefix = {"/api/v1", 7};

static bool has_prefix(const struct http1_request *request)
{
    return request->segment_count > 2 && str_eq(request->segments[0], STR("api")) &&
           str_eq(request->segments[1], STR("v1"));
}

static bool is_at(const struct operation *operation, const struct http1_request *request,
                  bool is_prefixed)
{
    if (is_prefixed && strncmp(operation->path, prefix.ptr, prefix.len) == 0)
        return matches(operation->path + prefix.len, request, 2);
    return matches(operation->path, request, 0);
}

/* Rejects most operations by one byte: requests of gRPC begin with another than /api. */
static bool may_be_at(const struct operation *operation, const struct http1_request *request)
{
    char first = operation->path[1];

    return request->segment_count == 0 || request->segments[0].len == 0 || first == '{' ||
           first == request->segments[0].ptr[0];
}

const struct operation *operation_find(const struct http1_request *request, struct arena *arena,
                                       struct str params[CALL_PARAMS_MAX], int *ret_status,
                                       struct str *ret_allow)
{
    /* HEAD is handled as GET; the body is not sent. */
    struct str method = str_eq(request->method, STR("HEAD")) ? STR("GET") : request->method;
    bool is_prefixed = has_prefix(request);

    for (int i = 0; i < operation_count && !request->is_server_wide; i++) {
        const struct operation *operation = &operations[i];

        if (may_be_at(operation, request) && is_at(operation, request, is_prefixed) &&
            has_method(operation, method)) {
            operation_params(operation, request, arena, params);
            return operation;
        }
    }
    if (!ret_allow)
        return NULL;
    *ret_allow = methods_of(request, arena);
    *ret_status = ret_allow->len > 0 ? 405 : 404;
    return NULL;
}

static bool has_segment(const struct api_dialect *api, struct str segment)
{
    for (int i = 0; api->prefixes[i]; i++)
        if (str_eq(segment, str_of(api->prefixes[i])))
            return true;
    return false;
}

enum dialects operation_dialect(const struct operation *operation,
                                const struct http1_request *request)
{
    bool is_below_api = request->segment_count >= 2 && str_eq(request->segments[0], STR("api"));
    bool is_grpc;
    struct str type;

    if (operation)
        return operation->dialect;
    is_grpc = http1_find(request, STR("Content-Type"), &type) &&
              str_starts(type, STR("application/grpc"));
    for (int i = 0; i < DIALECTS_COUNT; i++) {
        const struct api_dialect *api = &api_dialects[i];

        if (is_grpc ? api->is_grpc : is_below_api && has_segment(api, request->segments[1]))
            return (enum dialects)i;
    }
    /* Everything else below /api belongs to Conductor: see conductor_paths.c. */
    return is_below_api && request->segments[1].len > 0 &&
                   !str_eq(request->segments[1], STR("v1"))
               ? DIALECTS_CONDUCTOR
               : DIALECTS_NATIVE;
}
