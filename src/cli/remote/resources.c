/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry queue`, `calendar`, `gate`, `namespace` and `node`: the tables of commands.
 */
#include <stdlib.h>

#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/request_commands.h"

static int put_object(struct remote *remote, const struct args *args, const char *kind,
                      const json_t *body, const struct view *view)
{
    const struct request_command desc = {.view = view};
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.method = "PUT", .path = path, .body = body};

    path_object(&out, kind, args->operand[0], NULL);
    return request_command_send(remote, &desc, &request, args->operand[0]);
}

/* ---- queues ---- */

static const struct field queue_columns[] = {
    {"QUEUE", "name", SHAPE_TEXT, true, NULL},
    {"PAUSED", "paused", SHAPE_TEXT, false, NULL},
    {"LIMIT", "limit", SHAPE_NUMBER, false, NULL},
    {"WAITING", "depth", SHAPE_NUMBER, false, NULL},
    {"OLDEST", "oldest", SHAPE_BOTH, false, NULL},
};

static const struct view queue_view = {"queues", "name", FIELDS(queue_columns), NULL, 0};

enum queue_option { QUEUE_LIMIT = REMOTE_OPTIONS, QUEUE_OPTIONS };

static const struct option queue_rows[QUEUE_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    [QUEUE_LIMIT] = {"limit", 0, "N", NULL,
                     "maximum number of runs that workers hold at once, or\n"
                     "none for no limit (required)"},
};

static int queue_set(struct remote *remote, const struct args *args)
{
    json_auto_t *body = json_new_object();
    const char *text = args->value[QUEUE_LIMIT];
    struct str s;
    int64_t limit = 0;

    if (!text) {
        report_note("missing option: --limit N or --limit none");
        return STATUS_USAGE;
    }
    s = str_of(text);
    if (str_eq(s, STR("none"))) {
        json_put(body, "limit", json_null());
    } else if (str_take_number(&s, INT64_MAX - 1, &limit) > 0 && s.len == 0) {
        json_put(body, "limit", json_new_int(limit));
    } else {
        report_note("--limit must be a whole number or none, not \"%.100s\"", text);
        return STATUS_USAGE;
    }
    return put_object(remote, args, "queues", body, &queue_view);
}

static const struct command queue_commands[] = {
    {.name = "queue list",
     .usage = "[OPTION]...",
     .summary = "List queues",
     .examples = "  belfry queue list\n",
     LISTER(list_options, .kind = "queues", .view = &queue_view)},
    {.name = "queue get",
     .usage = "QUEUE... [OPTION]...",
     .summary = "Show a queue: its limit and its waiting runs",
     .examples = "  belfry queue get reports\n",
     REQUEST(plain_options, .kind = "queues", .view = &queue_view)},
    {.name = "queue pause",
     .usage = "QUEUE... [OPTION]...",
     .summary = "Stop giving runs of a queue to workers",
     .about = "Workers finish the runs that they already have.\n",
     .examples = "  belfry queue pause reports\n",
     REQUEST(plain_options, .method = "POST", .kind = "queues", .tail = "/pause",
             .view = &queue_view)},
    {.name = "queue resume",
     .usage = "QUEUE... [OPTION]...",
     .summary = "Give runs of a queue to workers again",
     .examples = "  belfry queue resume reports\n",
     REQUEST(plain_options, .method = "POST", .kind = "queues", .tail = "/resume",
             .view = &queue_view)},
    {.name = "queue set",
     .usage = "QUEUE --limit N|none [OPTION]...",
     .summary = "Limit the runs of a queue that workers hold at once",
     .about = "Creates the queue if it does not exist.  Workers keep the runs that they\n"
              "already have; they get no more while these exceed the limit.\n",
     .examples = "  belfry queue set reports --limit 4\n"
                 "  belfry queue set reports --limit none\n",
     OPTIONS(queue_rows),
     ONE_NAME,
     CALLS(queue_set)},
};

const struct command_group queue_group = {"queue", "List, pause, resume and limit queues",
                                          FIELDS(queue_commands)};

/* ---- calendars ---- */

static const struct field calendar_columns[] = {
    {"CALENDAR", "name", SHAPE_TEXT, true, NULL},
    {"DATES", "count", SHAPE_NUMBER, false, NULL},
    {"UPDATED", "updatedAt", SHAPE_TIME, false, NULL},
};

static const struct field calendar_lines[] = {
    {"Calendar", "name", SHAPE_TEXT, false, NULL},
    {"Dates", "dates", SHAPE_TEXT, false, NULL},
    {"Updated", "updatedAt", SHAPE_TIME, false, NULL},
};

static const struct view calendar_view = {"calendars", "name", FIELDS(calendar_columns),
                                          FIELDS(calendar_lines)};

enum calendar_option { CALENDAR_FILE = REMOTE_OPTIONS, CALENDAR_DATE, CALENDAR_OPTIONS };

static const struct option calendar_rows[CALENDAR_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    [CALENDAR_FILE] = {"file", 'f', "FILE", NULL,
                       "read one date per line; - is standard input"},
    [CALENDAR_DATE] = {"date", 'd', "DATE", NULL,
                       "add a date, such as 2027-12-25; may be repeated"},
};

/* One date per line; ignores blank lines and comments after #. */
static bool add_dates(struct str text, json_t *dates)
{
    struct str line, rest;

    while (text.len > 0) {
        if (!str_cut(text, '\n', &line, &text)) {
            line = text;
            text.len = 0;
        }
        str_cut(line, '#', &line, &rest);
        while (line.len > 0 && (unsigned char)line.ptr[line.len - 1] <= ' ')
            line.len--;
        line = str_trim(line);
        if (line.len == 0)
            continue;
        if (!str_is_utf8(line)) {
            report_note("dates must be UTF-8");
            return false;
        }
        json_add(dates, json_new_str(line));
    }
    return true;
}

static json_t *read_dates(const struct args *args)
{
    const char *given[ARGS_GIVEN_MAX];
    int count = args_all(args, CALENDAR_DATE, given, ARGS_GIVEN_MAX);
    json_t *dates = json_new_list();
    bool ok = true;
    size_t len = 0;

    if (args->value[CALENDAR_FILE]) {
        char *text = read_whole(args->value[CALENDAR_FILE], &len);

        ok = text && add_dates((struct str){text, len}, dates);
        free(text);
    }
    for (int i = 0; i < count && ok; i++)
        ok = add_dates(str_of(given[i]), dates);
    if (ok && !args->value[CALENDAR_FILE] && count == 0) {
        report_note("missing option: --date DATE or -f FILE");
        ok = false;
    }
    if (ok)
        return dates;
    json_decref(dates);
    return NULL;
}

static int calendar_set(struct remote *remote, const struct args *args)
{
    json_auto_t *body = json_new_object();
    json_t *dates = read_dates(args);

    if (!dates)
        return STATUS_USAGE;
    json_put(body, "dates", dates);
    return put_object(remote, args, "calendars", body, &calendar_view);
}

static const struct command calendar_commands[] = {
    {.name = "calendar list",
     .usage = "[OPTION]...",
     .summary = "List named calendars",
     .examples = "  belfry calendar list\n",
     LISTER(list_options, .kind = "calendars", .view = &calendar_view)},
    {.name = "calendar get",
     .usage = "CALENDAR... [OPTION]...",
     .summary = "Show a named calendar",
     .examples = "  belfry calendar get us-holidays\n",
     REQUEST(plain_options, .kind = "calendars", .view = &calendar_view)},
    {.name = "calendar set",
     .usage = "CALENDAR (--date DATE... | -f FILE) [OPTION]...",
     .summary = "Create or replace a named calendar",
     .about = "Schedules that name it in spec.exclude.named get new slots.\n",
     .examples = "  belfry calendar set us-holidays --date 2027-07-04 --date 2027-12-25\n"
                 "  belfry calendar set us-holidays -f holidays.txt\n",
     OPTIONS(calendar_rows),
     ONE_NAME,
     CALLS(calendar_set)},
    {.name = "calendar delete",
     .usage = "CALENDAR... [OPTION]...",
     .summary = "Delete a named calendar",
     .about = "Schedules that name it do not change: a calendar that does not exist counts as\n"
              "empty until it is created again.\n",
     .examples = "  belfry calendar delete us-holidays\n",
     REQUEST(plain_options, .method = "DELETE", .kind = "calendars", .done = "deleted")},
};

const struct command_group calendar_group = {
    "calendar", "Manage named calendars: days on which schedules do not run",
    FIELDS(calendar_commands)};

/* ---- gates ---- */

static const struct field gate_columns[] = {
    {"GATE", "name", SHAPE_TEXT, true, NULL},
    {"LIMIT", "limit", SHAPE_NUMBER, false, NULL},
    {"OPEN", "open", SHAPE_NUMBER, false, NULL},
    {"WAITING", "waiting", SHAPE_NUMBER, false, NULL},
};

static const struct view gate_view = {"gates", "name", FIELDS(gate_columns), NULL, 0};

static int gate_set(struct remote *remote, const struct args *args)
{
    json_auto_t *body = json_new_object();
    struct str s = str_of(args->operand[1]);
    int64_t limit = 0;

    if (str_take_number(&s, INT64_MAX - 1, &limit) == 0 || s.len > 0) {
        report_note("LIMIT must be a whole number, not \"%.100s\"", args->operand[1]);
        return STATUS_USAGE;
    }
    json_put(body, "limit", json_new_int(limit));
    return put_object(remote, args, "gates", body, &gate_view);
}

static const struct command gate_commands[] = {
    {.name = "gate list",
     .usage = "[OPTION]...",
     .summary = "List gates",
     .examples = "  belfry gate list\n",
     LISTER(list_options, .kind = "gates", .view = &gate_view)},
    {.name = "gate get",
     .usage = "GATE... [OPTION]...",
     .summary = "Show a gate: its limit, open runs and waiting runs",
     .examples = "  belfry gate get db\n",
     REQUEST(plain_options, .kind = "gates", .view = &gate_view)},
    {.name = "gate set",
     .usage = "GATE LIMIT [OPTION]...",
     .summary = "Create a gate or change its limit",
     .examples = "  belfry gate set db 4\n",
     PLAIN,
     .counts_operands = true,
     .least = 2,
     .most = 2,
     CALLS(gate_set)},
    {.name = "gate delete",
     .usage = "GATE... [OPTION]...",
     .summary = "Delete an unused gate",
     .about = "A gate cannot be deleted while a schedule or an open run names it as its\n"
              "concurrency key.\n",
     .examples = "  belfry gate delete db\n",
     REQUEST(plain_options, .method = "DELETE", .kind = "gates", .done = "deleted")},
};

const struct command_group gate_group = {"gate", "Manage gates: limits on concurrent runs",
                                         FIELDS(gate_commands)};

/* ---- namespaces and nodes ---- */

static const struct field namespace_columns[] = {
    {"NAMESPACE", "name", SHAPE_TEXT, true, NULL},
    {"CREATED", "createdAt", SHAPE_TIME, false, NULL},
    {"SETTINGS", "settings", SHAPE_TEXT, true, NULL},
};

static const struct view namespace_view = {"namespaces", "name", FIELDS(namespace_columns),
                                           NULL, 0};

static const struct option namespace_rows[] = {
    REMOTE_OPTION_ROWS,
    {"settings", '\0', "JSON", AS_JSON("settings"),
     "settings as a JSON object, or @FILE (default: no\n"
     "change)"},
};

static int namespace_set(struct remote *remote, const struct args *args)
{
    json_auto_t *body = body_from_options(args);

    return body ? put_object(remote, args, "namespaces", body, &namespace_view) : STATUS_USAGE;
}

static const struct command namespace_commands[] = {
    {.name = "namespace list",
     .usage = "[OPTION]...",
     .summary = "List namespaces",
     .examples = "  belfry namespace list\n",
     LISTER(list_options, .kind = "namespaces", .view = &namespace_view)},
    {.name = "namespace get",
     .usage = "NAMESPACE... [OPTION]...",
     .summary = "Show a namespace and its settings, without secrets",
     .examples = "  belfry namespace get billing\n",
     REQUEST(plain_options, .kind = "namespaces", .view = &namespace_view)},
    {.name = "namespace set",
     .usage = "NAMESPACE [OPTION]...",
     .summary = "Create a namespace or change its settings",
     .about = "--settings replaces all settings, including secrets.  NamespaceSettings in the\n"
              "server's /openapi.json lists them.\n",
     .examples = "  belfry namespace set billing\n"
                 "  belfry namespace set billing --settings '{\"quotaSchedules\": 500}'\n",
     OPTIONS(namespace_rows),
     ONE_NAME,
     CALLS(namespace_set)},
};

const struct command_group namespace_group = {"namespace", "List, show and change namespaces",
                                              FIELDS(namespace_commands)};

static const struct field node_columns[] = {
    {"NODE", "id", SHAPE_NUMBER, false, NULL},
    {"NAME", "name", SHAPE_TEXT, true, NULL},
    {"STATE", "state", SHAPE_STATE, false, NULL},
    {"VERSION", "version", SHAPE_TEXT, false, NULL},
    {"SINCE", "startedAt", SHAPE_TIME, false, NULL},
    {"LAST TURN", "lastTurnAt", SHAPE_AWAY, false, NULL},
    {"SKEW MS", "clockSkewMs", SHAPE_NUMBER, false, NULL},
    {"ADDRESS", "address", SHAPE_TEXT, true, NULL},
};

static const struct view node_view = {"nodes", "name", FIELDS(node_columns), NULL, 0};

static const struct command node_commands[] = {
    {.name = "node list",
     .usage = "[OPTION]...",
     .summary = "List the nodes of the database and their state",
     .examples = "  belfry node list\n",
     LISTER(plain_options, .kind = "nodes", .view = &node_view)},
};

const struct command_group node_group = {"node", "List the nodes of the database",
                                         FIELDS(node_commands)};
