/* SPDX-License-Identifier: Apache-2.0 */
#include "api/operation.h"
#include "base/buf.h"
#include "base/must.h"

enum { ALLOW_MAX = 64 }; /* bytes: every method there is */

/* Splits off the next segment of a path of the table; false at its end. */
static bool next_segment(const char **path, struct str *ret)
{
    const char *end;

    if (**path == '\0')
        return false;
    must(**path == '/');
    end = *path + 1;
    while (*end != '/' && *end != '\0')
        end++;
    *ret = (struct str){*path + 1, (size_t)(end - *path - 1)};
    *path = end;
    return true;
}

static bool is_variable(struct str segment)
{
    return segment.len > 0 && segment.ptr[0] == '{';
}

/* Letter by letter, since most differ in the first.  A slash of the segment was escaped. */
static bool is_at(const char *path, struct str segment)
{
    size_t i = 0;

    while (i < segment.len && path[i] == segment.ptr[i] && path[i] != '/')
        i++;
    return i == segment.len && (path[i] == '/' || path[i] == '\0');
}

static bool fits(const char *path, const struct http1_request *request)
{
    for (int i = 0; i < request->segment_count; i++) {
        if (*path != '/')
            return false;
        path++;
        if (*path != '{' && !is_at(path, request->segments[i]))
            return false;
        while (*path != '/' && *path != '\0')
            path++;
    }
    return *path == '\0';
}

void operation_params(const struct operation *operation, const struct http1_request *request,
                      struct arena *arena, struct str params[CALL_PARAMS_MAX])
{
    const char *path = operation->path;
    struct str segment;
    int count = 0;

    for (int i = 0; next_segment(&path, &segment); i++)
        if (is_variable(segment)) {
            must(count < CALL_PARAMS_MAX);
            params[count++] = arena_str(arena, request->segments[i]);
        }
}

/* HEAD is GET whose body stays at home. */
static bool has_method(const struct operation *operation, struct str method)
{
    struct str own = str_of(operation->method);

    return str_eq(own, method) || (str_eq(own, STR("GET")) && str_eq(method, STR("HEAD")));
}

static void allow(struct buf *out, const char *method)
{
    if (out->len > 0)
        buf_text(out, ", ");
    buf_text(out, method);
    if (str_eq(str_of(method), STR("GET")))
        buf_text(out, ", HEAD");
}

/* The first letter of a path that could fit; 0 where there is none. */
static char first_letter(const struct http1_request *request)
{
    return request->segment_count > 0 && request->segments[0].len > 0
               ? request->segments[0].ptr[0]
               : '\0';
}

const struct operation *operation_find(const struct http1_request *request, struct arena *arena,
                                       struct str params[CALL_PARAMS_MAX], int *ret_status,
                                       struct str *ret_allow)
{
    struct buf allowed = {.ptr = arena_take(arena, ALLOW_MAX), .cap = ALLOW_MAX};
    char first = first_letter(request);

    for (int i = 0; i < operation_count && !request->is_server_wide; i++) {
        const struct operation *operation = &operations[i];
        char letter = operation->path[1];

        if ((letter != first && letter != '{') || !fits(operation->path, request))
            continue;
        if (has_method(operation, request->method)) {
            operation_params(operation, request, arena, params);
            return operation;
        }
        allow(&allowed, operation->method);
    }
    must(!allowed.cut);
    *ret_status = allowed.len > 0 ? 405 : 404;
    *ret_allow = buf_as_str(&allowed);
    return NULL;
}

/* The first two segments tell. */
static enum dialects dialect_of_path(const struct http1_request *request)
{
    static const struct {
        const char *segment;
        enum dialects dialect;
    } list[] = {
        {"scheduler", DIALECTS_CONDUCTOR}, {"workflow", DIALECTS_CONDUCTOR},
        {"token", DIALECTS_CONDUCTOR},     {"metadata", DIALECTS_CONDUCTOR},
        {"schedules", DIALECTS_AGENTS},    {"executions", DIALECTS_AGENTS},
        {"orgs", DIALECTS_JOBS},
    };

    if (request->segment_count < 2 || !str_eq(request->segments[0], STR("api")))
        return DIALECTS_NATIVE;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (str_eq(request->segments[1], str_of(list[i].segment)))
            return list[i].dialect;
    return DIALECTS_NATIVE;
}

enum dialects operation_dialect(const struct operation *operation,
                                const struct http1_request *request)
{
    struct str type;

    if (operation)
        return operation->dialect;
    if (http1_find(request, STR("Content-Type"), &type) &&
        str_starts(type, STR("application/grpc")))
        return DIALECTS_TEMPORAL;
    return dialect_of_path(request);
}
