/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry schedule create`: builds the schedule's document from options, or from a file that
 * options change.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/schedule_commands.h"
#include "cli/remote/schedule_view.h"

enum create_option {
    OPT_FILE = REMOTE_OPTIONS,
    OPT_CRON,
    OPT_DIALECT,
    OPT_EVERY,
    OPT_DAILY,
    OPT_AT,
    OPT_TZ,
    OPT_START,
    OPT_END,
    OPT_JITTER,
    OPT_EXCEPT,
    OPT_HTTP,
    OPT_METHOD,
    OPT_HEADER,
    OPT_BODY,
    OPT_EXEC,
    OPT_QUEUE,
    OPT_KIND,
    OPT_WORKFLOW,
    OPT_INPUT,
    OPT_OVERLAP,
    OPT_CATCHUP,
    OPT_ATTEMPTS,
    OPT_TIMEOUT,
    OPT_MAX_RUN_TIME,
    OPT_PRIORITY,
    OPT_APPROVAL,
    OPT_DESCRIPTION,
    OPT_LABEL,
    OPT_PAUSED,
    OPT_DISABLED,
    OPT_KEY,
    OPT_DRY_RUN,
    OPT_COUNT
};

static_assert((int)OPT_COUNT == (int)CREATE_OPTION_COUNT, "the header declares the count");

enum { PREVIEW_TIMES = 5 }; /* times that --dry-run shows */

const struct option create_options[CREATE_OPTION_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_FILE] = {"file", 'f', "FILE", NULL, "read the schedule as JSON; - is standard input"},
    [OPT_CRON] = {"cron", 'c', "EXPR", PART("spec.cron", OBJECTS, "expr"),
                  "cron expression; may be repeated"},
    [OPT_DIALECT] = {"dialect", 'd', "DIALECT", NULL,
                     "syntax of --cron; see `belfry help next` (default\n"
                     "belfry)"},
    [OPT_EVERY] = {"every", 'e', "SPAN", PART("spec.intervals", OBJECTS, "every"),
                   "interval, such as 15m or 1h30m; may be repeated"},
    [OPT_DAILY] = {"daily", '\0', "HH:MM", PART("spec.timesOfDay", TEXTS, NULL),
                   "time of day; may be repeated"},
    [OPT_AT] = {"at", '\0', "TIME", PART("spec.at", TIMES, NULL),
                "single time, such as now or +30m; may be repeated"},
    [OPT_TZ] = {"tz", 'z', "ZONE", AS_TEXT("spec.timezone"),
                "time zone of the schedule (default UTC)"},
    [OPT_START] = {"start", '\0', "TIME", PART("spec.start", INSTANT, NULL),
                   "no slots before TIME"},
    [OPT_END] = {"end", '\0', "TIME", PART("spec.end", INSTANT, NULL), "no slots after TIME"},
    [OPT_JITTER] = {"jitter", '\0', "SPAN", AS_TEXT("spec.jitter"),
                    "delay each slot by up to SPAN, different for each\n"
                    "schedule (default 0s)"},
    [OPT_EXCEPT] = {"except", '\0', "CALENDAR", PART("spec.exclude.named", TEXTS, NULL),
                    "no slots on the days of this named calendar; may be\n"
                    "repeated"},
    [OPT_HTTP] = {"http", '\0', "URL", AS_TEXT("action.url"), "action: call a URL"},
    [OPT_METHOD] = {"method", '\0', "METHOD", AS_TEXT("action.method"),
                    "HTTP method of --http (default POST)"},
    [OPT_HEADER] = {"header", '\0', "NAME: VALUE", PART("action.headers", PAIRS, ":"),
                    "HTTP header of --http; may be repeated"},
    [OPT_BODY] = {"body", '\0', "JSON", AS_JSON("action.body"),
                  "body of --http; JSON or @FILE (default: the run)"},
    [OPT_EXEC] = {"exec", '\0', NULL, NULL, "action: run the program after -- on the server"},
    [OPT_QUEUE] = {"queue", 'q', "NAME", AS_TEXT("action.queue"),
                   "action: give the run to a worker of this queue"},
    [OPT_KIND] = {"kind", '\0', "KIND", AS_TEXT("action.kind"),
                  "kind of work, for the workers of --queue"},
    [OPT_WORKFLOW] = {"workflow", '\0', "NAME", AS_TEXT("action.name"),
                      "action: start a workflow"},
    [OPT_INPUT] = {"input", 'i', "JSON", AS_JSON("action.input"),
                   "input of each run, a JSON object or @FILE"},
    [OPT_OVERLAP] = {"overlap", '\0', "POLICY", AS_TEXT("policies.overlap"),
                     "policy while a run is open: skip, bufferOne, bufferAll,\n"
                     "cancelOther, terminateOther or allowAll (default skip)"},
    [OPT_CATCHUP] = {"catchup", '\0', "MODE", AS_TEXT("policies.catchup.mode"),
                     "slots to run after a server downtime: latest, all,\n"
                     "oldest or none (default latest)"},
    [OPT_ATTEMPTS] = {"attempts", '\0', "N", AS_NUMBER("policies.retry.attempts"),
                      "maximum attempts of a run (default 1)"},
    [OPT_TIMEOUT] = {"timeout", '\0', "SPAN", AS_TEXT("policies.timeout"),
                     "timeout of one attempt (default none)"},
    [OPT_MAX_RUN_TIME] = {"max-run-time", '\0', "SPAN", AS_TEXT("policies.maxRunTime"),
                          "maximum time of a run with all its attempts (default:\n"
                          "the server's max_run_time)"},
    [OPT_PRIORITY] = {"priority", '\0', "N", AS_NUMBER("policies.priority"),
                      "priority 1 to 10, higher first (default 5)"},
    [OPT_APPROVAL] = {"approval", '\0', NULL, PART("policies.approval", TRUE, NULL),
                      "each run waits for `belfry run approve`"},
    [OPT_DESCRIPTION] = {"description", 'D', "TEXT", AS_TEXT("description"),
                         "description of the schedule"},
    [OPT_LABEL] = {"label", 'l', "KEY=VALUE", PART("labels", PAIRS, "="),
                   "label of the schedule; may be repeated"},
    [OPT_PAUSED] = {"paused", '\0', NULL, NULL, "create the schedule paused"},
    [OPT_DISABLED] = {"disabled", '\0', NULL, PART("enabled", FALSE, NULL),
                      "create the schedule disabled"},
    [OPT_KEY] = {"idempotency-key", '\0', "KEY", NULL,
                 "makes it safe to repeat this command with the same KEY"},
    [OPT_DRY_RUN] = {"dry-run", '\0', NULL, NULL, "print the next times; create nothing"},
};

/* ---- the document ---- */

static json_t *read_document(const struct args *args)
{
    size_t len = 0;
    char *text;
    json_t *document = NULL;
    struct err err;

    if (!args->value[OPT_FILE])
        return json_new_object();
    text = read_whole(args->value[OPT_FILE], &len);
    if (!text)
        return NULL;
    if (json_read((struct str){text, len}, &document, &err) != RC_OK) {
        err_rename(&err, args->value[OPT_FILE]);
        report_err(&err, (struct str){text, len});
        document = NULL;
    } else if (!json_is_object(document)) {
        report_note("%s must contain one JSON object, a schedule", args->value[OPT_FILE]);
        json_decref(document);
        document = NULL;
    }
    free(text);
    return document;
}

static json_t *argv_list(char **program)
{
    json_t *list = json_new_list();

    for (int i = 0; program && program[i]; i++) {
        if (str_is_utf8(str_of(program[i]))) {
            json_add(list, json_new_str(str_of(program[i])));
            continue;
        }
        report_note("program arguments must be UTF-8");
        json_decref(list);
        return NULL;
    }
    return list;
}

/* The option that gives the action; there may be only one. */
static const char *action_type(const struct args *args, bool *ok)
{
    static const int options[] = {OPT_HTTP, OPT_EXEC, OPT_QUEUE, OPT_WORKFLOW};
    const char *type = NULL;

    for (int i = 0; i < 4; i++) {
        if (!args->value[options[i]])
            continue;
        if (type) {
            report_note("--%s and --%s are two actions; a schedule has one", type,
                        create_options[options[i]].name);
            *ok = false;
        }
        type = create_options[options[i]].name;
    }
    return type;
}

/* Sets the action's type and program; an action from the options replaces that of -f. */
static bool put_action(const struct args *args, json_t *document)
{
    bool ok = true;
    const char *type = action_type(args, &ok);
    json_t *action, *argv;

    if (ok && args->program && (!args->value[OPT_EXEC] || !args->program[0])) {
        report_note("use --exec with a program: --exec -- PROGRAM [ARG]...");
        return false;
    }
    if (type)
        json_object_del(document, "action");
    action = ok ? body_object(document, "action") : NULL;
    if (!action)
        return false;
    if (type)
        json_put(action, "type", json_new_str(str_of(type)));
    if (args->value[OPT_EXEC]) {
        argv = argv_list(args->program);
        if (!argv)
            return false;
        json_put(action, "argv", argv);
    }
    return true;
}

/* --dialect is the dialect of each --cron. */
static bool put_dialect(const struct args *args, const json_t *document)
{
    const char *dialect = args->value[OPT_DIALECT];
    json_t *cron;
    size_t i;

    if (!dialect || !args->value[OPT_CRON])
        return true;
    if (!str_is_utf8(str_of(dialect))) {
        report_note("--dialect must be UTF-8");
        return false;
    }
    json_array_foreach(member_at(document, "spec.cron"), i, cron)
        json_put(cron, "dialect", json_new_str(str_of(dialect)));
    return true;
}

static bool put_options(const struct args *args, json_t *document)
{
    if (!body_object(document, "spec") || !put_action(args, document) ||
        !body_object(document, "policies") || !body_add_options(args, document) ||
        !put_dialect(args, document))
        return false;
    if (args->value[OPT_PAUSED] && !json_is_object(json_object_get(document, "paused")))
        json_put(document, "paused", json_true());
    if (args->operands == 0)
        return true;
    if (!str_is_utf8(str_of(args->operand[0]))) {
        report_note("ID must be UTF-8");
        return false;
    }
    json_put(document, "id", json_new_str(str_of(args->operand[0])));
    return true;
}

static json_t *make_document(const struct args *args)
{
    json_t *document = read_document(args);

    if (!document)
        return NULL;
    if (put_options(args, document)) {
        if (json_object_size(json_object_get(document, "action")) > 0)
            return document;
        report_note("no action given; use --http URL, --exec -- PROGRAM, --queue NAME, "
                    "--workflow NAME or -f FILE");
    }
    json_decref(document);
    return NULL;
}

/* ---- the requests ---- */

static int preview(struct remote *remote, const json_t *document)
{
    static const struct request_command desc = {.print = print_preview};
    json_auto_t *body = json_new_object();
    struct remote_request request = {
        .method = "POST", .path = "/api/v1/preview", .body = body, .only_reads = true};

    json_put(body, "spec", json_incref(json_object_get(document, "spec")));
    json_put(body, "count", json_new_int(PREVIEW_TIMES));
    if (json_is_string(json_object_get(document, "id")))
        json_put(body, "id", json_incref(json_object_get(document, "id")));
    return request_command_send(remote, &desc, &request, member_text(document, "id"));
}

/* A valid value of a header field: visible ASCII. */
static bool is_header_value(const char *text)
{
    size_t n = 0;

    while (text[n] > ' ' && text[n] < 0x7f)
        n++;
    return n > 0 && n <= FETCH_VALUE_MAX && text[n] == '\0';
}

static void print_created(const json_t *answer, const char *name, const struct when *when,
                          struct printer *out)
{
    bool is_paused = strcmp(member_text(answer, "state.status"), "paused") == 0;

    (void)name;
    print_schedule_done(is_paused ? "created, paused" : "created", answer, when, out);
}

static int create(struct remote *remote, const struct args *args, const json_t *document)
{
    static const struct request_command desc = {.view = &schedule_view, .print = print_created};
    struct remote_request request = {.method = "POST",
                                     .path = "/api/v1/schedules",
                                     .body = document,
                                     .key = args->value[OPT_KEY]};

    if (request.key && !is_header_value(request.key)) {
        report_note("--idempotency-key must be 1 to %d visible ASCII characters",
                    FETCH_VALUE_MAX);
        return STATUS_USAGE;
    }
    return request_command_send(remote, &desc, &request, "");
}

int create_call(struct remote *remote, const struct args *args)
{
    json_auto_t *document = make_document(args);

    if (!document)
        return STATUS_USAGE;
    return args->value[OPT_DRY_RUN] ? preview(remote, document)
                                    : create(remote, args, document);
}
