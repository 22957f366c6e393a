/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocking API client of the commands: one request at a time, errors reported on standard
 * error.
 *
 * A command's table of options begins with REMOTE_OPTION_ROWS; remote_open() reads them.
 * Functions that return an int return an exit status (cli/frame/report.h).  If it is not
 * STATUS_OK, the error has already been reported and the command should exit with that status.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "cli/frame/args.h"
#include "cli/frame/printer.h"
#include "cli/remote/credentials.h"
#include "io/client/fetch.h"
#include "wire/json/json.h"

enum {
    REMOTE_PATH_MAX = 7 * 1024,    /* with the query; the server reads 8 KB */
    REMOTE_ANSWER_MAX = 512 << 20, /* no server sends more; memory grows with the answer */
    REMOTE_BODY_MAX = 8 << 20,     /* the server's limit */
};

#define REMOTE_CONNECT (5 * SPAN_S)
#define REMOTE_SILENCE (60 * SPAN_S) /* a Belfry server answers or refuses within 30 s */

enum remote_option {
    REMOTE_SERVER,
    REMOTE_TOKEN,
    REMOTE_CACERT,
    REMOTE_NAMESPACE,
    REMOTE_OUTPUT,
    REMOTE_NO_COLOR,
    REMOTE_UTC,
    REMOTE_HELP,
    REMOTE_OPTIONS /* where a command's own options begin: its .own_from */
};

#define REMOTE_OPTION_ROWS                                                                    \
    [REMOTE_SERVER] = {"server", 's', "URL", NULL, SERVER_HELP},                              \
    [REMOTE_TOKEN] = {"token", '\0', "TOKEN", NULL, TOKEN_HELP},                              \
    [REMOTE_CACERT] = {"cacert", '\0', "FILE", NULL, CACERT_HELP},                            \
    [REMOTE_NAMESPACE] = {"namespace", 'N', "NAME", NULL, NAMESPACE_HELP},                    \
    [REMOTE_OUTPUT] = {"output", 'o', "FORMAT", NULL,                                         \
                       "table, json (the API's response) or name (only ids)\n"                \
                       "(default table)"},                                                    \
    [REMOTE_NO_COLOR] = {"no-color", '\0', NULL, NULL, "disable colors, like NO_COLOR"},      \
    [REMOTE_UTC] = {"utc", '\0', NULL, NULL, "print times in UTC (default: the local zone)"}, \
    [REMOTE_HELP] = {"help", 'h', NULL, NULL, "print this help"}

#define OPTIONS(array)                                                    \
    .options = (array), .option_count = sizeof(array) / sizeof(array)[0], \
    .own_from = REMOTE_OPTIONS

enum output { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_NAME };

/* Reads the value of -o; NULL means table. */
MUST_USE enum rc output_read(const char *given, enum output *ret, struct err *reterr);

struct remote; /* opaque */

int remote_open(const struct args *args, struct remote **ret);
struct remote *remote_close(struct remote *remote); /* accepts NULL, returns NULL */

enum output remote_output(const struct remote *remote);
const char *remote_server(const struct remote *remote);

/* Opens a printer on standard output, with colours according to the options. */
void remote_printer(const struct remote *remote, struct printer *ret);

/* ---- paths ---- */

/* Appends "?name=value", or "&name=value" after an existing query; nothing if value is NULL. */
void path_query(struct buf *path, const char *name, const char *value);
/* Appends "/api/v1/KIND/NAME" and TAIL, such as "/pause"; NULL: no tail. */
void path_object(struct buf *path, const char *kind, const char *name, const char *tail);
int path_check(const struct buf *path); /* reports a path that did not fit; a status */

/* ---- requests ---- */

struct remote_request {
    const char *method;   /* NULL: GET                                              */
    const char *path;     /* with its query; remote_fetch() appends the namespace   */
    const json_t *body;   /* NULL: none                                             */
    const char *if_match; /* an ETag; NULL: none                                    */
    const char *key;      /* Idempotency-Key; NULL: none                            */
    bool only_reads;      /* changes nothing, although its method is not GET        */
};

struct remote_answer {
    int status;
    char *text; /* the body, zero-terminated */
    size_t len;
    json_t *json; /* NULL when the body is empty or not JSON */
    char etag[FETCH_VALUE_MAX];
};

/* Frees the contents; does nothing for an empty answer. */
void answer_free(struct remote_answer *answer);

/* STATUS_OK: the server answered, with any status code.  Otherwise *ret is not set. */
int remote_fetch(struct remote *remote, const struct remote_request *request,
                 struct remote_answer *ret);

/*
 * STATUS_OK for a 2xx answer whose body is empty or JSON.  Otherwise reports the server's
 * message, the field, and the position in the field.
 */
int remote_check(const struct remote *remote, const struct remote_request *request,
                 const struct remote_answer *answer);

/* Both of the above: STATUS_OK only for a success; otherwise *ret is not set. */
int remote_call(struct remote *remote, const struct remote_request *request,
                struct remote_answer *ret);

/* Fetches a page of a list; `path` may have a query.  `limit` and `cursor` may be NULL. */
int remote_page(struct remote *remote, const char *path, const char *limit, const char *cursor,
                struct remote_answer *ret);

/* Handles one page; returns an exit status, which ends the list unless it is STATUS_OK. */
typedef int remote_page_fn(void *arg, const json_t *page);

/* The same for all pages from `cursor` on. */
int remote_pages(struct remote *remote, const char *path, const char *limit, const char *cursor,
                 remote_page_fn *each, void *arg);

/* ---- streams ---- */

/* Handles one event; `id` is the cursor to resume from.  Returns false to end the stream. */
typedef bool remote_event(void *arg, struct str id, struct str name, struct str data);

/*
 * Reads text/event-stream until `event` returns false.  A stream that ends or breaks is resumed
 * after its last event; a stream whose events have no ids is over when it ends.
 */
int remote_stream(struct remote *remote, const char *path, remote_event *event, void *arg);

/* ---- output ---- */

/* Prints JSON unchanged; on a terminal indented and with control characters escaped. */
void print_json_text(struct printer *out, const struct remote_answer *answer);
void print_json(struct printer *out, const json_t *value);

/* A member's text; "" when it is absent or not a string. */
const char *member_text(const json_t *object, const char *name);
/* The member at a path such as "state.nextAt"; NULL when it is absent or null. */
const json_t *member_at(const json_t *object, const char *path);
