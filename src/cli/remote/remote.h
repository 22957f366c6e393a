/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server, as the commands ask it: one request after the other, and what goes wrong is told.
 *
 * A command's table of options begins with REMOTE_OPTION_ROWS; remote_open() reads them.
 * Functions that return an int return an exit status (cli/frame/report.h): what is not
 * STATUS_OK has been told on standard error, and the command ends with it.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "cli/frame/args.h"
#include "cli/frame/printer.h"
#include "io/client/fetch.h"
#include "wire/json/json.h"

enum {
    REMOTE_PATH_MAX = 6 * 1024, /* with its query; a server takes 8 KB as a request line */
    REMOTE_ANSWER_MAX =
        512 << 20, /* no server of ours sends more, and only what comes is held */
    REMOTE_BODY_MAX = 1024 * 1024, /* as the server takes it */
};

#define REMOTE_CONNECT (5 * SPAN_S)
#define REMOTE_SILENCE (60 * SPAN_S) /* a server of ours answers or refuses within 30 s */

enum remote_option {
    REMOTE_SERVER,
    REMOTE_TOKEN,
    REMOTE_CACERT,
    REMOTE_NAMESPACE,
    REMOTE_OUTPUT,
    REMOTE_NO_COLOR,
    REMOTE_UTC,
    REMOTE_HELP,
    REMOTE_OPTIONS /* where a command's own begin: its .own_from */
};

#define REMOTE_OPTION_ROWS                                                                 \
    [REMOTE_SERVER] = {"server", 's', "URL",                                               \
                       "the server; default BELFRY_SERVER, else http://127.0.0.1:7227"},   \
    [REMOTE_TOKEN] = {"token", '\0', "TOKEN",                                              \
                      "default BELFRY_TOKEN, else the file ~/.config/belfry/token"},       \
    [REMOTE_CACERT] = {"cacert", '\0', "FILE",                                             \
                       "trust these certificates (PEM); default BELFRY_CACERT, else the\n" \
                       "system's"},                                                        \
    [REMOTE_NAMESPACE] = {"namespace", 'N', "NAME",                                        \
                          "default BELFRY_NAMESPACE, else the server's own"},              \
    [REMOTE_OUTPUT] = {"output", 'o', "FORM",                                              \
                       "table, json (what the API answers) or name (ids only)"},           \
    [REMOTE_NO_COLOR] = {"no-color", '\0', NULL, "no colours, as with NO_COLOR set"},      \
    [REMOTE_UTC] = {"utc", '\0', NULL, "show times in UTC, not in the local zone"},        \
    [REMOTE_HELP] = {"help", 'h', NULL, "print this"}

enum output { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_NAME };

/* The value of -o; NULL: a table. */
MUST_USE enum rc output_read(const char *given, enum output *ret, struct err *reterr);

struct remote; /* opaque */

int remote_open(const struct args *args, const char *command, struct remote **ret);

/* Accepts NULL, returns NULL. */
struct remote *remote_close(struct remote *remote);

enum output remote_output(const struct remote *remote);
const char *remote_server(const struct remote *remote);

/* Standard output, with colours as the command line says. */
void remote_printer(const struct remote *remote, struct printer *ret);

/* ---- paths ---- */

/* One part of a path, or a value of a query, escaped. */
void path_escape(struct buf *path, struct str part);
/* "?name=value", or with & where there is a query already; nothing when value is NULL. */
void path_query(struct buf *path, const char *name, const char *value);
/* "/api/v1/KIND/NAME" and TAIL, such as "/pause"; NULL: none. */
void path_object(struct buf *path, const char *kind, const char *name, const char *tail);

/* ---- requests ---- */

struct remote_request {
    const char *method;   /* NULL: GET                                        */
    const char *path;     /* with its query; the namespace is put behind it   */
    const json_t *body;   /* NULL: none                                       */
    const char *if_match; /* an ETag; NULL: none                              */
    const char *key;      /* Idempotency-Key; NULL: none                      */
};

struct remote_answer {
    int status;
    char *text; /* as it came, terminated */
    size_t len;
    json_t *json; /* NULL when it is no JSON, or empty */
    char etag[FETCH_VALUE_MAX];
};

/* Frees what it holds; good for one that holds nothing. */
void answer_free(struct remote_answer *answer);

/* STATUS_OK: the server answered, whatever it was.  *ret holds nothing otherwise. */
int remote_fetch(struct remote *remote, const struct remote_request *request,
                 struct remote_answer *ret);

/*
 * STATUS_OK for a success, whose body, if any, is JSON.  Of anything else it tells: the
 * sentence, the field, the place in the field.
 */
int remote_check(const struct remote *remote, const struct remote_request *request,
                 const struct remote_answer *answer);

/* Both: STATUS_OK only for a success; *ret holds nothing otherwise. */
int remote_call(struct remote *remote, const struct remote_request *request,
                struct remote_answer *ret);

/* The lines that remote_check() writes; for those who tell of many at once. */
void problem_report(const json_t *problem, const json_t *body, const char *before);

/* ---- streams ---- */

/* One event of a stream; `id` is what to go on from.  False: that is enough. */
typedef bool remote_event(void *arg, struct str id, struct str name, struct str data);

/*
 * Reads text/event-stream until `event` wants no more.  A stream that ends or breaks is taken
 * up again behind its last event; one whose events have no ids is over when it ends.
 */
int remote_stream(struct remote *remote, const char *path, remote_event *event, void *arg);

/* ---- what is printed ---- */

/* As the API said it; on a terminal indented, and nothing in it is obeyed. */
void print_json_text(struct printer *out, const struct remote_answer *answer);
void print_json(struct printer *out, const json_t *value);

/* A member's text; "" when it is not there or no text. */
const char *member_text(const json_t *object, const char *name);
/* "state.nextAt": through objects; NULL when it is not there or null. */
const json_t *member_at(const json_t *object, const char *path);
