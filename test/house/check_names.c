/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that names which were replaced by plain ones do not come back.
 *
 * A row forbids names of files, tags, functions or constants in some folders.  Many of the
 * words are good elsewhere: a lane of the core, the journal of a test, a static function whose
 * name is a verb and an object (tell_row).  So most rows apply to one layer, and few to static
 * functions.
 *
 * Also forbidden: words of iso646.h and a few others as names of variables, and static
 * functions whose name is a verb without an object.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"
#include "source.h"
#include "tokens.h"

enum kind {
    FILES = 1,   /* names of files, without test_ and the ending     */
    TAGS = 2,    /* of structs, enums and unions                     */
    EXPORTS = 4, /* functions of other files, and inline in a header */
    STATICS = 8, /* functions of one file, but not those of tests    */
    MACROS = 16, /* and enumerators                                  */
    CODE = EXPORTS | STATICS | MACROS,
    ALL = FILES | TAGS | CODE,
};

struct row {
    const char *names; /* in lower case, with * as in the shell */
    unsigned kinds;
    const char *where;   /* folders; "*" for all */
    const char *instead; /* NULL: these stay, although a row below names them */
};

#define ENGINE "src/engine test/engine"
#define SERVER "src/server test/server"
#define SIM    "sim test/sim test/torture"

static const struct row rows[] = {
    {"desk desk_*", ALL, "*", "workset"},
    {"seat seat_* gate_seat", ALL, "*", "work_schedule, work_gate"},
    {"*_seat *_seat_*", TAGS | CODE, "src/engine", "work_schedule, work_gate"},
    {"place place_*", TAGS | CODE, "src/engine src/cli/worker", "work_run, worker_run"},
    {"work", TAGS, "src", "assignment"},
    {"making", FILES | TAGS, "src/engine", "turn_state"},
    {"memory", FILES | TAGS, "src/engine", "engine_memory"},
    {"state", FILES, "src/engine", "engine_internal"},
    {"moves moves_*", FILES | TAGS | EXPORTS | MACROS, ENGINE, "transitions"},
    {"settle settle_*", FILES, "src/engine", "reports"},
    {"settle_*", EXPORTS | MACROS, "src/engine", "reports"},
    {"fire fire_*", FILES, "src/engine", "start_slots"},
    {"fire_*", EXPORTS | MACROS, "src/engine", "start_slots"},
    {"follow follow_*", FILES, "src/engine", "next_slot"},
    {"follow_*", EXPORTS | MACROS, "src/engine", "next_slot"},
    {"sweep sweep_*", FILES, "src/engine", "periodic"},
    {"sweep_*", EXPORTS | MACROS, "src/engine", "periodic"},
    {"polls polls_*", FILES | TAGS, ENGINE, "waiting_workers"},
    {"polls_*", CODE, "src/engine", "waiting_workers"},
    {"watch watch_*", FILES | TAGS | EXPORTS | MACROS, "src/engine", "restricted_queues"},
    {"flights flights_*", ALL, "*", "inflight"},
    {"known known_*", FILES | TAGS | CODE, ENGINE, "committed_cache"},
    {"recall recall_*", FILES | TAGS | EXPORTS, "src", "bounded_cache"},
    {"plans plans_*", ALL, ENGINE, "plan_cache"},
    {"witness witness_*", ALL, "*", "audit_write"},
    {"tell tell_*", FILES | EXPORTS, "src", "event_write"},
    {"figures figures_* *_figures", FILES | TAGS | EXPORTS, "src", "daily_stats"},
    {"figures_*", STATICS, "src/engine", "daily_stats"},
    {"days days_*", FILES | TAGS | EXPORTS, "src/engine", "day_events"},
    {"alone alone_*", FILES | TAGS | EXPORTS, "src/engine", "retry_alone"},

    {"task", FILES | TAGS, SERVER, "dispatch_order"},
    {"task_queue*", ALL, "*", NULL}, /* Temporal's word */
    {"task_*", EXPORTS | MACROS, "src/server", "dispatch_order"},
    {"told told_*", TAGS | MACROS, "*", "dispatch_report"},
    {"told told_*", FILES | EXPORTS, "src", "dispatch_report"},
    {"parcel parcel_*", ALL, "*", "dispatch_report_node"},
    {"errand errand_*", ALL, "*", "dispatch"},
    {"letter", FILES | TAGS, "*", "http_draft"},
    {"calls calls_*", ALL, SERVER, "dispatch"},
    {"call_http call_http_* call_exec call_exec_*", ALL, SERVER,
     "dispatch_http, dispatch_exec"},
    {"call_flow call_flow_* call_temporal call_temporal_*", ALL, SERVER, "dispatch_workflow"},
    {"door door_*", ALL, "*", "frontend"},
    {"porter porter_*", ALL, "*", "admission"},
    {"ear ear_*", ALL, "*", "postgres_notify"},
    {"sweeper sweeper_*", ALL, "*", "checkpointer"},
    {"sqlite_log sqlite_log_*", ALL, "*", "sqlite_wal"},
    {"sqlite_sweep sqlite_sweep_*", ALL, "*", "wal_writeback"},
    {"db_lend_log lend_log", EXPORTS | STATICS, "*", "db_lend_wal"},
    {"memo memo_*", ALL, SERVER, "writer_msg"},
    {"notice notice_*", ALL, SERVER, "io_msg"},
    {"news news_* *_news", ALL, "src", "commit_signal"},
    {"stride stride_*", ALL, SERVER, "batch_size"},
    {"pace pace_*", ALL, SERVER, "clock_guard"},
    {"lag lag_*", ALL, SERVER, "db_clock"},
    {"spaces spaces_*", FILES | TAGS | EXPORTS | MACROS, "src", "namespace_cache"},
    {"settings settings_*", ALL, SERVER, "namespace_settings"},
    {"sow sow_*", ALL, "src", "apply_seeds"},
    {"ring ring_*", ALL, SERVER, "event_ring"},
    {"feed feed_*", ALL, SERVER, "streams"},
    {"meters meters_*", ALL, "*", "counters"},
    {"serve_own serve_own_*", ALL, "*", "self_targets"},
    {"serve_named serve_named_*", ALL, "*", "serve_reports"},

    {"portion portion_* *_portion", FILES | TAGS, "src test/api", "read_size"},
    {"portion_*", CODE, "src", "read_size"},
    {"refusal refusal_* *_refusal", FILES | TAGS, "src test/api", "error_reply"},
    {"refusal_* temporal_refusal temporal_refusal_*", CODE, "src", "error_reply"},
    {"planned planned_*", ALL, "src", "schedule_times"},
    {"run_found run_found_*", ALL, "*", "run_lookup"},
    {"run_ends run_ends_*", ALL, "*", "end_snapshot"},
    {"looks looks_*", FILES | TAGS | EXPORTS | MACROS, "src test/api", "part_cache"},
    {"temporal_kept temporal_kept_*", ALL, "*", "temporal_stored"},

    {"names", FILES, "src/store", "named_objects"},
    {"names_*", EXPORTS, "src/store", "named_objects"},
    {"journal journal_* *_journal", ALL, "src test/store", "events_requests"},
    {"beside beside_*", FILES, "src", "exceptions_backfills"},
    {"*beside*", TAGS | EXPORTS, "src", "a plain word"},
    {"piece", FILES, "src/base", "thread_cache"},
    {"piece piece_*", TAGS | CODE, "src/base", "thread_cache"},

    {"keeper keeper_*", ALL, "*", "supervisor"},
    {"exec_tap exec_tap_*", ALL, "*", "exec_output"},
    {"guard guard_*", ALL, "src/io test/io", "address_policy"},
    {"peers peers_*", ALL, "src/io test/io", "peer_limits"},
    {"lanes lanes_*", ALL, "src/io test/io", "fair_queue"},
    {"process", FILES, "src/io", "process_usage"},

    {"things things_*", ALL, "*", "resources"},
    {"ask ask_*", FILES | TAGS, "src", "request_commands"},
    {"ask_*", CODE, "src", "request"},
    {"question question_*", ALL, "src", "batch_query"},
    {"subject subject_*", ALL, "src/cli", "spec_argument"},
    {"worker_place worker_place_*", ALL, "*", "worker_run"},
    {"worker_lane worker_lane_*", ALL, "*", "report_batch"},

    {"tape tape_*", ALL, SIM, "recorder"},
    {"swarm swarm_*", ALL, SIM, "world_profile"},
    {"court court_*", ALL, SIM, "judge_case"},
    {"exhibit exhibit_*", ALL, SIM, "a plain word"},
    {"piles piles_*", ALL, SIM, "a plain word"},
    {"life life_*", ALL, SIM, "a plain word"},

    {"audit_print audit_print_*", ALL, "*", "audit_fingerprint"},
    {"daemon daemon_* *_daemon", ALL, "*", "server"},
};

static const char variables[] =
    "and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq own with";
static const char bare_verbs[] = "begin go_on take tell text_of";

/* A row applies to its folders; for names of files also to the tests of those folders. */
static bool holds_at(const struct row *row, enum kind kind, const char *path)
{
    const char *slash = strrchr(path, '/');
    char mirrored[WORD_BYTES_MAX];

    if (list_has_path(row->where, path))
        return true;
    if (kind != FILES || !path_is_below(path, "test") || strncmp(slash, "/test_", 6) != 0)
        return false;
    snprintf(mirrored, sizeof mirrored, "src%s", path + strlen("test"));
    return list_has_path(row->where, mirrored);
}

static int check_name(const struct source *source, int line, enum kind kind, const char *name)
{
    static const char *const nouns[] = {
        [FILES] = "file",       [TAGS] = "tag",        [EXPORTS] = "function",
        [STATICS] = "function", [MACROS] = "constant",
    };
    char lower[WORD_BYTES_MAX];
    size_t len = 0;

    for (; name[len] != '\0' && len < sizeof lower - 1; len++)
        lower[len] = name[len] >= 'A' && name[len] <= 'Z' ? (char)(name[len] + 'a' - 'A')
                                                          : name[len];
    lower[len] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];

        if (!(row->kinds & kind) || !holds_at(row, kind, source->path) ||
            !list_matches(row->names, lower))
            continue;
        if (!row->instead)
            return 0;
        return source_complain(source, line, "%s \"%s\" is a former name; use %s", nouns[kind],
                               name, row->instead);
    }
    return 0;
}

static int check_token(const struct source *source, enum kind kind, const struct token *token)
{
    char name[WORD_BYTES_MAX];

    snprintf(name, sizeof name, "%.*s", token->len, token->at);
    return check_name(source, token->line, kind, name);
}

static int check_file_name(const struct source *source)
{
    const char *slash = strrchr(source->path, '/');
    const char *base = slash + (strncmp(slash, "/test_", 6) == 0 ? 6 : 1);
    char name[WORD_BYTES_MAX];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
    return check_name(source, 1, FILES, name);
}

/* The names between the braces of an enum. */
static int check_enumerators(const struct source *source, const struct token *brace)
{
    const struct token *end = skip_group(brace);
    int found = 0;

    for (const struct token *t = brace + 1; t < end - 1;) {
        found += token_is_word(t) ? check_token(source, MACROS, t) : 0;
        while (t < end && !token_is(t, ","))
            t = strchr("([{", t->at[0]) ? skip_group(t) : t + 1;
        t++;
    }
    return found;
}

static int check_tags(const struct source *source, const struct token *tokens)
{
    static const char *const keywords[] = {"struct", "enum", "union", NULL};
    int found = 0;

    for (const struct token *t = tokens; t->len > 0; t++) {
        const struct token *brace = t + 1;

        if (!token_is_one_of(t, keywords))
            continue;
        if (token_is_word(brace))
            brace++;
        if (!token_is(brace, "{"))
            continue;
        if (brace == t + 2)
            found += check_token(source, TAGS, t + 1);
        if (token_is(t, "enum"))
            found += check_enumerators(source, brace);
    }
    return found;
}

static int check_function(const struct source *source, const struct declaration *declaration)
{
    bool is_static = false;
    char name[WORD_BYTES_MAX];

    for (const struct token *t = declaration->from; t < declaration->name; t++)
        is_static = is_static || token_is(t, "static");
    snprintf(name, sizeof name, "%.*s", declaration->name->len, declaration->name->at);
    if (!is_static || path_ends(source->path, ".h"))
        return check_token(source, EXPORTS, declaration->name);
    if (!declaration->body) /* reported where it is defined */
        return 0;
    if (list_has(bare_verbs, name, strlen(name)))
        return source_complain(source, declaration->name->line,
                               "static %s(): name a verb and its object", name);
    if (path_is_below(source->path, "test"))
        return 0;
    return check_token(source, STATICS, declaration->name);
}

/* The names of #define lines; `at` is the first character of a line. */
static int check_define(const struct source *source, const char *at, int line)
{
    struct token name = {.line = line};

    at += strspn(at, " \t");
    if (*at++ != '#')
        return 0;
    at += strspn(at, " \t");
    if (strncmp(at, "define", 6) != 0)
        return 0;
    name.at = at + 6 + strspn(at + 6, " \t");
    while (is_word_char(name.at[name.len]))
        name.len++;
    return check_token(source, MACROS, &name);
}

static int check_defines(const struct source *source)
{
    int found = 0, line = 1;

    for (const char *p = source->code; *p != '\0'; line++) {
        found += check_define(source, p, line);
        p += strcspn(p, "\n");
        p += *p == '\n' ? 1 : 0;
    }
    return found;
}

/* Reports each word once, although it occurs more than once. */
static int check_variables(const struct source *source, const struct token *tokens)
{
    const char *list = variables;
    char word[WORD_BYTES_MAX];
    int found = 0;

    while (next_word(&list, word)) {
        const struct token *t = tokens;

        while (t->len > 0 && !token_is(t, word))
            t++;
        if (t->len > 0)
            found += source_complain(source, t->line, "\"%s\" as an identifier: use a noun",
                                     word);
    }
    return found;
}

static int check_names(const struct source *source)
{
    struct token *tokens = tokens_of(source);
    const struct token *t = tokens;
    struct declaration declaration;
    int found = check_file_name(source);

    found += check_defines(source);
    found += check_tags(source, tokens);
    while (next_declaration(&t, &declaration))
        found += declaration.name ? check_function(source, &declaration) : 0;
    found += check_variables(source, tokens);
    free(tokens);
    return found;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: check_names ROOT\n");
        return 2;
    }
    return sources_check(argv[1], check_names);
}
