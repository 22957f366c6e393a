/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry schedule create`: builds the schedule's document from options, or from a file that
 * options change.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/schedule_commands.h"
#include "cli/remote/schedule_view.h"
#include "io/clock.h"

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

enum {
    MANY = 64,         /* how often one option may be given         */
    PREVIEW_TIMES = 5, /* times that --dry-run shows                */
    PAIR_NAME_MAX = 256,
};

const struct option create_options[CREATE_OPTION_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_FILE] = {"file", 'f', "FILE", "read the schedule as JSON; - is standard input"},
    [OPT_CRON] = {"cron", 'c', "EXPR", "cron expression; may be repeated"},
    [OPT_DIALECT] = {"dialect", 'd', "DIALECT",
                     "syntax of --cron; see `belfry help next` (default\n"
                     "belfry)"},
    [OPT_EVERY] = {"every", 'e', "SPAN", "interval, such as 15m or 1h30m; may be repeated"},
    [OPT_DAILY] = {"daily", '\0', "HH:MM", "time of day; may be repeated"},
    [OPT_AT] = {"at", '\0', "TIME", "single time, such as now or +30m; may be repeated"},
    [OPT_TZ] = {"tz", 'z', "ZONE", "time zone of the schedule (default UTC)"},
    [OPT_START] = {"start", '\0', "TIME", "no slots before TIME"},
    [OPT_END] = {"end", '\0', "TIME", "no slots after TIME"},
    [OPT_JITTER] = {"jitter", '\0', "SPAN",
                    "delay each slot by up to SPAN, different for each\n"
                    "schedule (default 0s)"},
    [OPT_EXCEPT] = {"except", '\0', "CALENDAR",
                    "no slots on the days of this named calendar; may be\n"
                    "repeated"},
    [OPT_HTTP] = {"http", '\0', "URL", "action: call a URL"},
    [OPT_METHOD] = {"method", '\0', "METHOD", "HTTP method of --http (default POST)"},
    [OPT_HEADER] = {"header", '\0', "NAME: VALUE", "HTTP header of --http; may be repeated"},
    [OPT_BODY] = {"body", '\0', "JSON", "body of --http; JSON or @FILE (default: the run)"},
    [OPT_EXEC] = {"exec", '\0', NULL, "action: run the program after -- on the server"},
    [OPT_QUEUE] = {"queue", 'q', "NAME", "action: give the run to a worker of this queue"},
    [OPT_KIND] = {"kind", '\0', "KIND", "kind of work, for the workers of --queue"},
    [OPT_WORKFLOW] = {"workflow", '\0', "NAME", "action: start a workflow"},
    [OPT_INPUT] = {"input", 'i', "JSON", "input of each run, a JSON object or @FILE"},
    [OPT_OVERLAP] = {"overlap", '\0', "POLICY",
                     "policy while a run is open: skip, bufferOne, bufferAll,\n"
                     "cancelOther, terminateOther or allowAll (default skip)"},
    [OPT_CATCHUP] = {"catchup", '\0', "MODE",
                     "slots to run after a server downtime: latest, all,\n"
                     "oldest or none (default latest)"},
    [OPT_ATTEMPTS] = {"attempts", '\0', "N", "maximum attempts of a run (default 1)"},
    [OPT_TIMEOUT] = {"timeout", '\0', "SPAN", "timeout of one attempt (default none)"},
    [OPT_MAX_RUN_TIME] = {"max-run-time", '\0', "SPAN",
                          "maximum time of a run with all its attempts (default:\n"
                          "the server's max_run_time)"},
    [OPT_PRIORITY] = {"priority", '\0', "N", "priority 1 to 10, higher first (default 5)"},
    [OPT_APPROVAL] = {"approval", '\0', NULL, "each run waits for `belfry run approve`"},
    [OPT_DESCRIPTION] = {"description", 'D', "TEXT", "description of the schedule"},
    [OPT_LABEL] = {"label", 'l', "KEY=VALUE", "label of the schedule; may be repeated"},
    [OPT_PAUSED] = {"paused", '\0', NULL, "create the schedule paused"},
    [OPT_DISABLED] = {"disabled", '\0', NULL, "create the schedule disabled"},
    [OPT_KEY] = {"idempotency-key", '\0', "KEY",
                 "makes it safe to repeat this command with the same KEY"},
    [OPT_DRY_RUN] = {"dry-run", '\0', NULL, "print the next times; create nothing"},
};

/* ---- the document ---- */

/* The member object, created if absent; NULL after reporting that it is not an object. */
static json_t *get_object(json_t *document, const char *name)
{
    json_t *object = json_object_get(document, name);

    if (!object || json_is_null(object)) {
        object = json_new_object();
        json_put(document, name, object);
    }
    if (json_is_object(object))
        return object;
    report_note("%s must be an object", name);
    return NULL;
}

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
        snprintf(err.field, sizeof err.field, "%.60s", args->value[OPT_FILE]);
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

/* All values of an option as a list of strings; NULL if absent or after an error. */
static json_t *text_list(const struct args *args, int option, bool *ok)
{
    const char *values[MANY];
    int count = args_all(args, option, values, MANY);
    json_t *list;

    if (count == 0)
        return NULL;
    if (count > MANY) {
        report_note("--%s may be given at most %d times", create_options[option].name, MANY);
        *ok = false;
        return NULL;
    }
    list = json_new_list();
    for (int i = 0; i < count; i++) {
        if (!str_is_utf8(str_of(values[i]))) {
            report_note("--%s must be UTF-8", create_options[option].name);
            *ok = false;
        } else {
            json_add(list, json_new_str(str_of(values[i])));
        }
    }
    return list;
}

static void put_texts(const struct args *args, int option, const char *name, json_t *to,
                      bool *ok)
{
    json_t *list = text_list(args, option, ok);

    if (list)
        json_put(to, name, list);
}

/* Adds a list of objects {MEMBER: value}. */
static void put_objects(const struct args *args, int option, const char *member,
                        const char *name, json_t *to, bool *ok)
{
    json_auto_t *texts = text_list(args, option, ok);
    json_t *list, *text;
    size_t i;

    if (!texts)
        return;
    list = json_new_list();
    json_array_foreach(texts, i, text)
    {
        json_t *object = json_new_object();

        json_put(object, member, json_incref(text));
        if (option == OPT_CRON && args->value[OPT_DIALECT])
            json_put(object, "dialect", json_new_str(str_of(args->value[OPT_DIALECT])));
        json_add(list, object);
    }
    json_put(to, name, list);
}

/* Adds each "KEY=VALUE" or "Name: value" as a member. */
static void put_pairs(const struct args *args, int option, char sep, json_t *to, bool *ok)
{
    json_auto_t *texts = text_list(args, option, ok);
    json_t *text;
    size_t i;

    json_array_foreach(texts, i, text)
    {
        struct str key, value, whole = str_of(json_string_value(text));
        char name[PAIR_NAME_MAX];

        if (!str_cut(whole, sep, &key, &value) || key.len == 0 || key.len >= sizeof name) {
            report_note("--%s must be %s, not \"%.100s\"", create_options[option].name,
                        create_options[option].value, whole.ptr);
            *ok = false;
            return;
        }
        snprintf(name, sizeof name, "%.*s", (int)key.len, key.ptr);
        json_put(to, name, json_new_str(sep == ':' ? str_trim(value) : value));
    }
}

static bool put_parts(const struct args *args, const struct part *parts, int count, json_t *to)
{
    json_auto_t *members = body_from_options(args, parts, count);

    return members && json_object_update(to, members) == 0;
}

/* Adds the times of --at; converts relative ones such as +30m, the server reads the others. */
static void put_at(const struct args *args, json_t *spec, bool *ok)
{
    json_t *texts = text_list(args, OPT_AT, ok), *text;
    size_t i;

    if (!texts)
        return;
    json_array_foreach(texts, i, text)
    {
        const char *typed = json_string_value(text);
        char time[INSTANT_TEXT_MAX];
        struct err err;

        if (typed[0] != '+' && typed[0] != '-')
            continue;
        if (when_read(typed, NULL, clock_now(), time, &err) != RC_OK) {
            report_note("--at: %s", err.text);
            *ok = false;
            break;
        }
        json_array_set_new(texts, i, json_new_str(str_of(time)));
    }
    json_put(spec, "at", texts);
}

static bool put_spec(const struct args *args, json_t *document)
{
    static const struct part parts[] = {
        {OPT_TZ, "timezone", PART_TEXT},
        {OPT_START, "start", PART_INSTANT},
        {OPT_END, "end", PART_INSTANT},
        {OPT_JITTER, "jitter", PART_TEXT},
    };
    json_t *spec = get_object(document, "spec"), *exclude;
    bool ok = spec != NULL;

    if (!ok)
        return false;
    put_objects(args, OPT_CRON, "expr", "cron", spec, &ok);
    put_objects(args, OPT_EVERY, "every", "intervals", spec, &ok);
    put_texts(args, OPT_DAILY, "timesOfDay", spec, &ok);
    put_at(args, spec, &ok);
    if (args->value[OPT_EXCEPT]) {
        exclude = get_object(spec, "exclude");
        if (!exclude)
            return false;
        put_texts(args, OPT_EXCEPT, "named", exclude, &ok);
    }
    return ok && put_parts(args, parts, sizeof parts / sizeof parts[0], spec);
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

static bool put_action(const struct args *args, json_t *document)
{
    static const struct part parts[] = {
        {OPT_HTTP, "url", PART_TEXT},    {OPT_METHOD, "method", PART_TEXT},
        {OPT_BODY, "body", PART_JSON},   {OPT_QUEUE, "queue", PART_TEXT},
        {OPT_KIND, "kind", PART_TEXT},   {OPT_WORKFLOW, "name", PART_TEXT},
        {OPT_INPUT, "input", PART_JSON},
    };
    bool ok = true;
    const char *type = action_type(args, &ok);
    json_t *action, *argv;

    if (ok && args->program && (!args->value[OPT_EXEC] || !args->program[0])) {
        report_note("use --exec with a program: --exec -- PROGRAM [ARG]...");
        return false;
    }
    if (type)
        json_object_del(document, "action");
    action = ok ? get_object(document, "action") : NULL;
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
    if (args->value[OPT_HEADER]) {
        json_t *headers = get_object(action, "headers");

        if (!headers)
            return false;
        put_pairs(args, OPT_HEADER, ':', headers, &ok);
    }
    return ok && put_parts(args, parts, sizeof parts / sizeof parts[0], action);
}

static bool put_nested(const struct args *args, int option, const char *object,
                       struct part part, json_t *to)
{
    json_t *nested;

    if (!args->value[option])
        return true;
    nested = get_object(to, object);
    return nested && put_parts(args, &part, 1, nested);
}

static bool put_policies(const struct args *args, json_t *document)
{
    static const struct part parts[] = {
        {OPT_OVERLAP, "overlap", PART_TEXT},         {OPT_TIMEOUT, "timeout", PART_TEXT},
        {OPT_MAX_RUN_TIME, "maxRunTime", PART_TEXT}, {OPT_PRIORITY, "priority", PART_NUMBER},
        {OPT_APPROVAL, "approval", PART_TRUE},
    };
    json_t *policies = get_object(document, "policies");

    return policies && put_parts(args, parts, sizeof parts / sizeof parts[0], policies) &&
           put_nested(args, OPT_CATCHUP, "catchup",
                      (struct part){OPT_CATCHUP, "mode", PART_TEXT}, policies) &&
           put_nested(args, OPT_ATTEMPTS, "retry",
                      (struct part){OPT_ATTEMPTS, "attempts", PART_NUMBER}, policies);
}

static bool put_rest(const struct args *args, json_t *document)
{
    static const struct part parts[] = {{OPT_DESCRIPTION, "description", PART_TEXT}};
    bool ok = true;

    if (args->operands > 0) {
        if (!str_is_utf8(str_of(args->operand[0]))) {
            report_note("ID must be UTF-8");
            return false;
        }
        json_put(document, "id", json_new_str(str_of(args->operand[0])));
    }
    if (args->value[OPT_LABEL]) {
        json_t *labels = get_object(document, "labels");

        if (!labels)
            return false;
        put_pairs(args, OPT_LABEL, '=', labels, &ok);
    }
    if (args->value[OPT_DISABLED])
        json_put(document, "enabled", json_false());
    if (args->value[OPT_PAUSED] && !json_is_object(json_object_get(document, "paused")))
        json_put(document, "paused", json_true());
    return ok && put_parts(args, parts, 1, document);
}

static json_t *make_document(const struct args *args)
{
    json_t *document = read_document(args);

    if (!document)
        return NULL;
    if (put_spec(args, document) && put_action(args, document) &&
        put_policies(args, document) && put_rest(args, document)) {
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
    struct remote_request request = {.method = "POST", .path = "/api/v1/preview", .body = body};
    struct remote_answer answer;
    int status;

    json_put(body, "spec", json_incref(json_object_get(document, "spec")));
    json_put(body, "count", json_new_int(PREVIEW_TIMES));
    if (json_is_string(json_object_get(document, "id")))
        json_put(body, "id", json_incref(json_object_get(document, "id")));
    status = remote_call(remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    status = request_command_print(remote, &desc, &answer, member_text(document, "id"));
    answer_free(&answer);
    return status;
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
    print_schedule(is_paused ? "created, paused" : "created", answer, when, out);
}

static int create(struct remote *remote, const struct args *args, const json_t *document)
{
    static const struct request_command desc = {.view = &schedule_view, .print = print_created};
    struct remote_request request = {.method = "POST",
                                     .path = "/api/v1/schedules",
                                     .body = document,
                                     .key = args->value[OPT_KEY]};
    struct remote_answer answer;
    int status;

    if (request.key && !is_header_value(request.key)) {
        report_note("--idempotency-key must be 1 to %d visible ASCII characters",
                    FETCH_VALUE_MAX);
        return STATUS_USAGE;
    }
    status = remote_call(remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    status = request_command_print(remote, &desc, &answer, member_text(answer.json, "id"));
    answer_free(&answer);
    return status;
}

int create_run(const struct args *args)
{
    json_auto_t *document = make_document(args);
    struct remote *remote;
    int status;

    if (!document)
        return STATUS_USAGE;
    status = remote_open(args, args->command->name, &remote);
    if (status != STATUS_OK)
        return status;
    status = args->value[OPT_DRY_RUN] ? preview(remote, document)
                                      : create(remote, args, document);
    remote_close(remote);
    return status;
}
