/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the connection settings of a command, builds paths and sends requests.
 */
#include "cli/remote/remote.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/credentials.h"
#include "cli/remote/remote_parts.h"

static enum rc check_server(struct str server, struct err *reterr)
{
    bool is_http = str_starts(server, STR("http://")) || str_starts(server, STR("https://"));

    if (!is_http || memchr(server.ptr, '?', server.len) || memchr(server.ptr, '#', server.len))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid server URL \"%.200s\"; use one such as "
                       "https://belfry.example:7227",
                       server.ptr);
    if (server.len > REMOTE_SERVER_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "server URL is %zu bytes; the limit is %d",
                       server.len, REMOTE_SERVER_MAX);
    return RC_OK;
}

static enum rc read_server(struct remote *remote, const char *given, struct err *reterr)
{
    struct str server = str_of(setting_find(given, "BELFRY_SERVER", SERVER_DEFAULT));
    enum rc rc = check_server(server, reterr);
    struct buf out = BUF(remote->server);

    if (rc)
        return rc;
    while (server.ptr[server.len - 1] == '/')
        server.len--;
    buf_str(&out, server);
    return RC_OK;
}

enum rc output_read(const char *given, enum output *ret, struct err *reterr)
{
    static const char *const names[] = {"table", "json", "name"};

    for (int i = 0; i < 3; i++) {
        if (given && strcmp(given, names[i]) != 0)
            continue;
        *ret = (enum output)i;
        return RC_OK;
    }
    return err_set(reterr, RC_INVALID, -1, 0,
                   "--output must be table, json or name, not \"%.100s\"", given);
}

static enum rc read_namespace(struct remote *remote, const char *given, struct err *reterr)
{
    const char *name = setting_find(given, "BELFRY_NAMESPACE", "");
    struct buf out = BUF(remote->namespace);

    buf_text(&out, name);
    if (out.cut || !str_is_utf8(str_of(name)))
        return err_set(reterr, RC_INVALID, -1, 0, "namespace must be UTF-8 of at most %d bytes",
                       REMOTE_NAME_MAX);
    return RC_OK;
}

static enum rc read_args(struct remote *remote, const struct args *args, struct err *reterr)
{
    char token[TOKEN_MAX] = "";
    struct buf field = BUF(remote->authorization);
    const char *cacert = setting_find(args->value[REMOTE_CACERT], "BELFRY_CACERT", NULL);
    enum rc rc = read_server(remote, args->value[REMOTE_SERVER], reterr);

    if (!rc)
        rc = output_read(args->value[REMOTE_OUTPUT], &remote->output, reterr);
    if (!rc)
        rc = read_namespace(remote, args->value[REMOTE_NAMESPACE], reterr);
    if (!rc)
        rc = token_find(args->value[REMOTE_TOKEN], token, reterr);
    if (!rc && cacert && access(cacert, R_OK) != 0)
        rc = err_set(reterr, RC_INVALID, -1, 0, "--cacert: cannot read %.200s", cacert);
    if (rc)
        return rc;
    if (token[0] != '\0')
        buf_printf(&field, "Authorization: Bearer %s", token);
    remote->has_colours = !args->value[REMOTE_NO_COLOR];
    remote->is_utc = args->value[REMOTE_UTC] != NULL;
    remote->fetch = fetch_new("belfry/" BELFRY_VERSION, cacert);
    return RC_OK;
}

int remote_open(const struct args *args, struct remote **ret)
{
    struct remote *remote = calloc(1, sizeof *remote);
    struct err err;

    must(remote);
    if (read_args(remote, args, &err) != RC_OK) {
        free(remote);
        return report_usage(&err, args->command->name);
    }
    *ret = remote;
    return STATUS_OK;
}

struct remote *remote_close(struct remote *remote)
{
    if (!remote)
        return NULL;
    fetch_free(remote->fetch);
    when_close(&remote->when);
    free(remote);
    return NULL;
}

int remote_run(const struct args *args)
{
    struct remote *remote;
    int status = remote_open(args, &remote);

    if (status != STATUS_OK)
        return status;
    status = args->command->call(remote, args);
    remote_close(remote);
    return status;
}

enum output remote_output(const struct remote *remote)
{
    return remote->output;
}

const char *remote_server(const struct remote *remote)
{
    return remote->server;
}

void remote_printer(const struct remote *remote, struct printer *ret)
{
    printer_open(ret, STDOUT_FILENO);
    ret->colours = ret->colours && remote->has_colours;
}

/* ---- paths ---- */

/* Appends one segment of a path, or a query value, percent-encoded. */
static void path_escape(struct buf *path, struct str part)
{
    for (size_t i = 0; i < part.len; i++) {
        char c = part.ptr[i];

        if (char_is_alpha(c) || char_is_digit(c) || (c != '\0' && strchr("-._~:", c)))
            buf_char(path, c);
        else
            buf_printf(path, "%%%02X", (unsigned)(unsigned char)c);
    }
}

void path_query(struct buf *path, const char *name, const char *value)
{
    if (!value)
        return;
    buf_char(path, memchr(path->ptr, '?', path->len) ? '&' : '?');
    buf_text(path, name);
    buf_char(path, '=');
    path_escape(path, str_of(value));
}

void path_object(struct buf *path, const char *kind, const char *name, const char *tail)
{
    buf_text(path, "/api/v1/");
    buf_text(path, kind);
    buf_char(path, '/');
    /* HTTP clients resolve the segments "." and "..", so they must be escaped. */
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        buf_text(path, name[1] == '\0' ? "%2E" : "%2E%2E");
    else
        path_escape(path, str_of(name));
    buf_text(path, tail ? tail : "");
}

/* ---- requests ---- */

enum { RECEIVED_SPARE = 16 * 1024 }; /* so that short answers need one allocation */

/* The body received so far. */
struct received {
    char *text;
    size_t len, room;
    bool is_too_much; /* it exceeds REMOTE_ANSWER_MAX */
};

static bool keep_part(void *arg, struct str bytes)
{
    struct received *received = arg;

    if (bytes.len > REMOTE_ANSWER_MAX - received->len) {
        received->is_too_much = true;
        return false;
    }
    if (received->len + bytes.len + 1 > received->room) {
        received->room = 2 * (received->len + bytes.len) + RECEIVED_SPARE;
        received->text = realloc(received->text, received->room);
        must(received->text);
    }
    memcpy(received->text + received->len, bytes.ptr, bytes.len);
    received->len += bytes.len;
    received->text[received->len] = '\0';
    return true;
}

/* Writes the header fields up to NULL; `room` holds the text of those that are built here. */
static void write_headers(const struct remote *remote, const struct remote_request *request,
                          struct buf room[static 2], const char **headers)
{
    if (remote->authorization[0] != '\0')
        *headers++ = remote->authorization;
    if (request->body)
        *headers++ = "Content-Type: application/json";
    if (request->if_match) {
        buf_printf(&room[0], "If-Match: %s", request->if_match);
        *headers++ = room[0].ptr;
    }
    if (request->key) {
        buf_printf(&room[1], "Idempotency-Key: %s", request->key);
        *headers++ = room[1].ptr;
    }
    if (remote->is_streaming)
        *headers++ = "Accept: text/event-stream";
    if (remote->stream_from[0] != '\0')
        *headers++ = remote->stream_from;
    *headers = NULL;
}

int remote_send(struct remote *remote, const struct remote_request *request, fetch_part *part,
                void *arg, struct fetch_answer *ret)
{
    char url[REMOTE_SERVER_MAX + REMOTE_PATH_MAX], match[FETCH_VALUE_MAX + 32],
        key[sizeof match];
    struct buf out = BUF(url), room[2] = {BUF(match), BUF(key)};
    const char *headers[FETCH_HEADERS_MAX + 1];
    char *body = request->body ? json_dumps(request->body, JSON_COMPACT) : NULL;
    struct fetch_request fetch = {
        .method = request->method ? request->method : "GET",
        .url = url,
        .headers = headers,
        .has_body = request->body != NULL,
        .body = str_of(body),
        .connect = REMOTE_CONNECT,
        .silence = REMOTE_SILENCE,
        .part = part,
        .arg = arg,
    };
    struct err err;
    enum rc rc;

    must(body || !request->body);
    buf_text(&out, remote->server);
    buf_text(&out, request->path);
    path_query(&out, "namespace", remote->namespace[0] != '\0' ? remote->namespace : NULL);
    write_headers(remote, request, room, headers);
    if (out.cut || room[0].cut || room[1].cut)
        rc = err_set(&err, RC_INVALID, -1, 0,
                     "request is too long; a name has at most %d bytes", REMOTE_NAME_MAX);
    else
        rc = fetch_run(remote->fetch, &fetch, ret, &err);
    free(body);
    return rc ? remote_report_error(remote, request, &err) : STATUS_OK;
}

int remote_fetch(struct remote *remote, const struct remote_request *request,
                 struct remote_answer *ret)
{
    struct received received = {.len = 0};
    struct fetch_answer answer;
    int status = remote_send(remote, request, keep_part, &received, &answer);

    if (status == STATUS_OK && received.is_too_much) {
        report_note("response from %s exceeds %d bytes", remote->server, REMOTE_ANSWER_MAX);
        status = STATUS_PROTOCOL;
    }
    if (status != STATUS_OK) {
        free(received.text);
        return status;
    }
    *ret = (struct remote_answer){
        .status = answer.status, .text = received.text, .len = received.len};
    memcpy(ret->etag, answer.etag, sizeof ret->etag);
    if (received.len > 0)
        ret->json = json_loadb(received.text, received.len, JSON_REJECT_DUPLICATES, NULL);
    return STATUS_OK;
}

void answer_free(struct remote_answer *answer)
{
    json_decref(answer->json);
    free(answer->text);
    *answer = (struct remote_answer){.status = 0};
}

int remote_call(struct remote *remote, const struct remote_request *request,
                struct remote_answer *ret)
{
    struct remote_answer answer;
    int status = remote_fetch(remote, request, &answer);

    if (status != STATUS_OK)
        return status;
    status = remote_check(remote, request, &answer);
    if (status != STATUS_OK)
        answer_free(&answer);
    else
        *ret = answer;
    return status;
}

/* ---- pages ---- */

enum { PAGES_MAX = 1000 * 1000 }; /* no list or audit log is longer */

int path_check(const struct buf *path)
{
    if (!path->cut)
        return STATUS_OK;
    report_note("request is too long; use fewer or shorter filters");
    return STATUS_USAGE;
}

int remote_page(struct remote *remote, const char *path, const char *limit, const char *cursor,
                struct remote_answer *ret)
{
    char full[REMOTE_PATH_MAX];
    struct buf out = BUF(full);
    struct remote_request request = {.path = full};
    int status;

    buf_text(&out, path);
    path_query(&out, "limit", limit);
    path_query(&out, "cursor", cursor);
    status = path_check(&out);
    return status == STATUS_OK ? remote_call(remote, &request, ret) : status;
}

int remote_pages(struct remote *remote, const char *path, const char *limit, const char *cursor,
                 remote_page_fn *each, void *arg)
{
    char next[REMOTE_PATH_MAX];
    int status = STATUS_OK;

    for (int i = 0; i < PAGES_MAX && status == STATUS_OK && (i == 0 || next[0] != '\0'); i++) {
        struct remote_answer page;

        status = remote_page(remote, path, limit, i == 0 ? cursor : next, &page);
        if (status != STATUS_OK)
            break;
        status = each(arg, page.json);
        snprintf(next, sizeof next, "%s", member_text(page.json, "cursor"));
        answer_free(&page);
    }
    return status;
}
