/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operator: makes one request after the other about its own schedules, and records each
 * request before it is sent and its result after.
 *
 * Every request has a key, and is mostly repeated with the same key until its result is known.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "actor.h"
#include "base/buf.h"
#include "book.h"
#include "forms.h"
#include "io/clock.h"
#include "journal.h"
#include "request.h"

enum {
    OWN_MAX = 24, /* schedules at a time */
    BODY_MAX = 4096,
    NAME_MAX_BYTES = 32,
    PATH_MAX_BYTES = 96,
    PATIENCE_MS = 4000, /* for one answer */
    TRIES_MAX = 400,    /* with pauses between: at least 16 s without a server */
    DELETE_TRIES = 8,
    NAP_MS = 40,
    PAUSE_MS = 30,       /* between two requests, at most    */
    SLOW_PAUSE_MS = 400, /* likewise, if the receiver is slow */
};

struct owned {
    char name[NAME_MAX_BYTES];
    char run[RUN_ID_TEXT_MAX]; /* the last that was answered; its key is known then */
    int64_t version;           /* as last answered */
};

struct operator
{
    struct actor *actor;
    struct owned owned[OWN_MAX];
    int owned_count;
    int64_t number, made;
};

/* One request. */
struct operation {
    enum op_kind kind;
    const char *method;
    char path[PATH_MAX_BYTES], name[NAME_MAX_BYTES];
    const char *if_match;
    struct str body;
};

struct op_result {
    enum op_end end;
    int64_t version;
    char run[RUN_ID_TEXT_MAX];
};

/* ---- requests ---- */

static void read_run(const struct request_answer *answer, struct op_result *ret)
{
    json_t *json = json_loadb(answer->body.ptr, answer->body.len, 0, NULL);
    const char *id = json_string_value(json_object_get(json, "id"));

    if (id)
        snprintf(ret->run, sizeof ret->run, "%s", id);
    json_decref(json);
}

/*
 * Whether the answer is final.  A rejection after a lost answer proves nothing: the first
 * request may have been executed.
 */
static bool is_settled(const struct operation *operation, const struct request_answer *answer,
                       bool was_lost, struct op_result *ret)
{
    if (answer->status >= 500 || answer->status == 429)
        return false;
    if (answer->status >= 300) {
        ret->end = was_lost ? OP_INFO : OP_FAIL;
        return true;
    }
    ret->end = OP_OK;
    ret->version = journal_number(str_of(answer->etag));
    if (operation->kind == OP_TRIGGER)
        read_run(answer, ret);
    return true;
}

static struct op_result request_until(struct operator* o, const struct operation *operation,
                                      bool is_stubborn)
{
    struct op_result outcome = {.end = OP_INFO};
    bool is_stop = operation->kind == OP_CANCEL || operation->kind == OP_TERMINATE;
    struct str sent = is_stop ? STR("{}") : operation->body; /* the path names the run */
    bool was_lost = false;
    char key[64];

    snprintf(key, sizeof key, "key-%d-%" PRId64, o->actor->number, o->number);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        struct request_answer answer;
        enum request_end end = request_do(&(struct request){.port = actor_node(o->actor),
                                                            .method = operation->method,
                                                            .path = operation->path,
                                                            .key = key,
                                                            .if_match = operation->if_match,
                                                            .body = sent,
                                                            .patience_ms = PATIENCE_MS},
                                          &answer);

        if (end == REQUEST_ANSWERED && is_settled(operation, &answer, was_lost, &outcome))
            return outcome;
        was_lost = was_lost || end != REQUEST_REFUSED;
        if (was_lost && !is_stubborn && prng_below(&o->actor->prng, 4) == 0)
            return outcome;
        request_nap(NAP_MS);
    }
    return outcome;
}

static struct op_result ask(struct operator* o, struct operation *operation, bool is_stubborn)
{
    struct op_result outcome;
    int64_t number = (int64_t)o->actor->number * 1000000 + ++o->number;

    journal_write(o->actor->journal, "ask\t%" PRId64 "\t%" PRId64 "\t%s\t%s\t%.*s", clock_now(),
                  number, op_names[operation->kind], operation->name, (int)operation->body.len,
                  operation->body.ptr);
    outcome = request_until(o, operation, is_stubborn);
    journal_write(o->actor->journal, "reply\t%" PRId64 "\t%" PRId64 "\t%s\t%" PRId64 "\t%s",
                  clock_now(), number, op_ends[outcome.end], outcome.version, outcome.run);
    return outcome;
}

/* ---- kinds of requests ---- */

static struct form form_of(struct operator* o, const char *name)
{
    return (struct form){.prng = &o->actor->prng,
                         .id = str_of(name),
                         .receiver = o->actor->receiver,
                         .is_slow = o->actor->is_slow,
                         .now = clock_now()};
}

static void create(struct operator* o, bool is_spoiled)
{
    char text[BODY_MAX];
    struct buf body = BUF(text);
    struct operation operation = {
        .kind = OP_CREATE, .method = "POST", .path = "/api/v1/schedules"};
    struct form form;

    snprintf(operation.name, sizeof operation.name, "op%d-%" PRId64, o->actor->number,
             ++o->made);
    form = form_of(o, operation.name);
    if (is_spoiled)
        form_spoil(&form, &body);
    else
        form_draw(&form, &body);
    operation.body = buf_as_str(&body);
    if (ask(o, &operation, false).end == OP_FAIL || is_spoiled)
        return;
    /* Whether or not it exists: further requests will show it. */
    o->owned[o->owned_count] = (struct owned){.version = 1};
    snprintf(o->owned[o->owned_count++].name, NAME_MAX_BYTES, "%s", operation.name);
}

/* Creates a schedule whose name exists. */
static void create_again(struct operator* o, const struct owned *owned)
{
    char text[BODY_MAX];
    struct buf body = BUF(text);
    struct operation operation = {
        .kind = OP_CREATE, .method = "POST", .path = "/api/v1/schedules"};
    struct form form = form_of(o, owned->name);

    snprintf(operation.name, sizeof operation.name, "%s", owned->name);
    form_draw(&form, &body);
    operation.body = buf_as_str(&body);
    (void)ask(o, &operation, false);
}

static void put(struct operator* o, struct owned *owned, bool is_rest, bool is_stale)
{
    char text[BODY_MAX];
    struct buf body = BUF(text);
    struct operation operation = {.kind = OP_PUT, .method = "PUT"};
    struct form form = form_of(o, owned->name);
    struct op_result outcome;

    snprintf(operation.path, sizeof operation.path, "/api/v1/schedules/%s", owned->name);
    snprintf(operation.name, sizeof operation.name, "%s", owned->name);
    if (is_rest)
        form_rest(&form, &body);
    else
        form_draw(&form, &body);
    operation.body = buf_as_str(&body);
    operation.if_match = is_stale ? "999999" : NULL;
    outcome = ask(o, &operation, is_rest);
    if (outcome.end == OP_OK)
        owned->version = outcome.version;
}

static struct op_result request_plain(struct operator* o, struct owned *owned,
                                      enum op_kind kind, bool is_stubborn)
{
    static const char *const paths[OP_KINDS] = {
        [OP_PAUSE] = "/pause", [OP_RESUME] = "/resume", [OP_TRIGGER] = "/trigger"};
    struct operation operation = {.kind = kind,
                                  .method = kind == OP_DELETE ? "DELETE" : "POST",
                                  .body = kind == OP_DELETE ? STR("") : STR("{}")};

    snprintf(operation.path, sizeof operation.path, "/api/v1/schedules/%s%s", owned->name,
             paths[kind] ? paths[kind] : "");
    snprintf(operation.name, sizeof operation.name, "%s", owned->name);
    return ask(o, &operation, is_stubborn);
}

/* Sometimes the run is cancelled again. */
static void trigger(struct operator* o, struct owned *owned)
{
    struct op_result outcome = request_plain(o, owned, OP_TRIGGER, false);
    bool is_hard = prng_below(&o->actor->prng, 2) == 0;
    struct operation operation = {.kind = is_hard ? OP_TERMINATE : OP_CANCEL, .method = "POST"};

    if (outcome.end != OP_OK)
        return;
    memcpy(owned->run, outcome.run, sizeof owned->run);
    if (prng_below(&o->actor->prng, 5) > 0)
        return;
    snprintf(operation.path, sizeof operation.path, "/api/v1/runs/%s/%s", owned->run,
             op_names[operation.kind]);
    snprintf(operation.name, sizeof operation.name, "%s", owned->name);
    operation.body = str_of(owned->run);
    (void)ask(o, &operation, false);
}

/* Only if a run was triggered: its id has the schedule's key, which identifies the events. */
static void delete (struct operator* o, struct owned *owned)
{
    bool has_run = owned->run[0] != '\0';
    enum op_end end = has_run ? OP_INFO : OP_FAIL;

    /* Until it is known to be deleted: an edit must not create its name again. */
    for (int tries = 0; end == OP_INFO && tries < DELETE_TRIES; tries++)
        end = request_plain(o, owned, OP_DELETE, true).end;
    if (has_run)
        *owned = o->owned[--o->owned_count];
}

static void make_request(struct operator* o)
{
    struct owned *owned = &o->owned[prng_below(&o->actor->prng, OWN_MAX)];

    if (owned >= o->owned + o->owned_count) {
        create(o, prng_below(&o->actor->prng, 8) == 0);
        return;
    }
    if (o->actor->is_slow) {
        (void)request_plain(o, owned, OP_TRIGGER, false);
        return;
    }
    switch (prng_below(&o->actor->prng, 16)) {
    case 0:
        delete (o, owned);
        break;
    case 1:
        create_again(o, owned);
        break;
    case 2:
        put(o, owned, false, true);
        break;
    case 3:
    case 4:
    case 5:
        put(o, owned, false, false);
        break;
    case 6:
    case 7:
        (void)request_plain(o, owned, OP_PAUSE, false);
        break;
    case 8:
    case 9:
    case 10:
        (void)request_plain(o, owned, OP_RESUME, false);
        break;
    default:
        trigger(o, owned);
        break;
    }
}

int operator_act(struct actor *actor)
{
    struct operator o = {.actor = actor};

    while (!actor_is_over()) {
        make_request(&o);
        request_nap((int)prng_below(&actor->prng, actor->is_slow ? SLOW_PAUSE_MS : PAUSE_MS));
    }
    for (int i = 0; i < o.owned_count; i++) {
        (void)request_plain(&o, &o.owned[i], OP_RESUME, true);
        put(&o, &o.owned[i], true, false);
    }
    return 0;
}
