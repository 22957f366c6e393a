/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry apply`, `diff` and `export` with a server.
 */
#include <sys/stat.h>

#include "base/buf.h"
#include "request.h"

#include "../cli/run.h"

enum { UNREACHABLE = 69, MANY = 2500 };

static const char *server_url(const struct server *d)
{
    static char url[64];

    snprintf(url, sizeof url, "http://127.0.0.1:%d", d->port);
    return url;
}

#define BELFRY(d, ...) RUN(__VA_ARGS__, "--server", server_url(d))

static void assert_run(const struct run *run, int status, const char *out)
{
    if (run->status != status || (out && strcmp(run->out, out) != 0))
        fail_msg("status %d\n%s%s", run->status, run->out, run->err);
}

static void assert_says(const struct run *run, int status, const char *out, const char *err)
{
    if (run->status != status || !strstr(run->out, out) || !strstr(run->err, err))
        fail_msg("status %d, not `%s` or not `%s`:\n%s%s", run->status, out, err, run->out,
                 run->err);
}

static const char first[] = "id: nightly\n"
                            "labels: {managed: git}\n"
                            "spec:\n"
                            "  cron: ['30 2 * * *']\n"
                            "  timezone: Europe/Dublin\n"
                            "  exclude: {named: [holidays]}\n"
                            "action: {type: queue, queue: no}\n"
                            "policies: {concurrency: {key: db, limit: 9}}\n"
                            "---\n"
                            "- calendar: holidays\n"
                            "  dates: [2031-12-25, 2031-01-01]\n"
                            "- gate: db\n"
                            "  limit: 4\n"
                            "- id: hourly\n"
                            "  labels: {managed: git}\n"
                            "  spec: {intervals: [{every: 1h}]}\n"
                            "  action: {type: queue, queue: q}\n";

static void files_are_applied_once(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const char *path = world_write(w, "a.yaml", first);
    const char *all = "+ calendar holidays\n+ gate db\n+ schedule nightly\n+ schedule hourly\n";
    char done[256];

    assert_run(BELFRY(d, "diff", "-f", path), 1, all);
    assert_int_equal(ask(d, "GET", "/api/v1/schedules/nightly", NULL).status, 404);
    assert_says(BELFRY(d, "apply", "-f", path, "--dry-run"), 0, "+ times of nightly\n", "");
    assert_int_equal(ask(d, "GET", "/api/v1/schedules/nightly", NULL).status, 404);
    snprintf(done, sizeof done, "%s4 created, 0 changed, 0 unchanged\n", all);
    assert_run(BELFRY(d, "apply", "-f", path), 0, done);
    assert_run(BELFRY(d, "apply", "-f", path), 0, "no changes; 4 unchanged\n");
    assert_run(BELFRY(d, "diff", "-f", path), 0, "");
    assert_string_equal(
        text_at(api(d, 200, "GET", "/api/v1/schedules/nightly", NULL), "action.queue"), "no");
    assert_int_equal(
        number_at(api(d, 200, "GET", "/api/v1/schedules/nightly", NULL), "state.version"), 1);
    assert_int_equal(number_at(api(d, 200, "GET", "/api/v1/gates/db", NULL), "limit"), 4);
}

static void apply_warns_of_programs_that_the_server_does_not_run(void **state)
{
    static const char words[] =
        "belfry: schedule \"p\": its runs fail, because this server runs "
        "no programs";
    struct world *w = *state;
    struct server *d = server_start(w, NULL); /* without --exec */
    const char *path = world_write(w, "a.yaml",
                                   "id: p\naction: {type: exec, argv: [/bin/true]}\n");

    assert_says(BELFRY(d, "apply", "-f", path), 0, "1 created, 0 changed", words);
    assert_int_equal(server_stop(d), 0);
    d = server_start(w, &(struct server_start){.args = WORDS("--exec")});
    path = world_write(w, "b.yaml", "id: r\naction: {type: exec, argv: [/bin/true]}\n");
    assert_run(BELFRY(d, "apply", "-f", path), 0,
               "+ schedule r\n1 created, 0 changed, 0 unchanged\n");
}

static void a_dry_run_lists_changed_fields_and_times(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const struct run *run;
    const char *path;

    path = world_write(w, "a.json",
                       "{\"items\":[{\"id\":\"a\",\"spec\":{\"at\":[\"2031-01-01T00:00:00Z\"]},"
                       "\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}]}");
    assert_run(BELFRY(d, "apply", "-f", path), 0, NULL);
    path = world_write(w, "a.json",
                       "{\"id\":\"a\",\"description\":\"x\",\"spec\":{\"at\":"
                       "[\"2032-01-01T00:00:00Z\"]},\"policies\":{\"retry\":{\"attempts\":3}},"
                       "\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}\n"
                       "{\"gate\":\"g\",\"limit\":1}\n");
    run = BELFRY(d, "apply", "-f", path, "--dry-run");
    assert_run(run, 0,
               "+ gate g\n"
               "~ schedule a\n"
               "    description: \"\" → \"x\"\n"
               "    spec.at[0]: \"2031-01-01T00:00:00.000Z\" → \"2032-01-01T00:00:00.000Z\"\n"
               "    policies.retry.attempts: 1 → 3\n"
               "~ times of a\n"
               "    before  2031-01-01T00:00:00.000Z\n"
               "    after   2032-01-01T00:00:00.000Z\n");
    run = BELFRY(d, "apply", "-f", path, "-o", "json");
    assert_says(run, 0, "{\"kind\":\"schedule\",\"id\":\"a\",\"do\":\"change\",\"changes\":[",
                "");
    assert_run(BELFRY(d, "apply", "-f", path), 0, "no changes; 2 unchanged\n");
}

static void prune_deletes_labelled_schedules_that_the_files_lack(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const char *path = world_write(w, "a.yaml", first);

    make_schedule(d, "mine",
                  "'labels':{'managed':'hand'},'action':{'type':'queue','queue':'q'}");
    assert_run(BELFRY(d, "apply", "-f", path), 0, NULL);
    path = world_write(w, "a.yaml",
                       "id: hourly\nlabels: {managed: git}\n"
                       "spec: {intervals: [{every: 1h}]}\n"
                       "action: {type: queue, queue: q}\n");
    /* Standard input is not a terminal. */
    assert_says(BELFRY(d, "apply", "-f", path, "--prune", "-l", "managed=git"), 2,
                "- schedule nightly\n", "--yes");
    assert_int_equal(ask(d, "GET", "/api/v1/schedules/nightly", NULL).status, 200);
    assert_run(BELFRY(d, "diff", "-f", path, "--prune", "-l", "managed=git"), 1,
               "- schedule nightly\n");
    assert_run(BELFRY(d, "apply", "-f", path, "--prune", "-l", "managed=git", "--yes"), 0,
               "- schedule nightly\n0 created, 0 changed, 1 unchanged, 1 deleted\n");
    assert_int_equal(ask(d, "GET", "/api/v1/schedules/nightly", NULL).status, 404);
    assert_int_equal(ask(d, "GET", "/api/v1/schedules/mine", NULL).status, 200);
    /* The empty output of a command that failed. */
    assert_says(RUN_WITH("", "apply", "-f", "-", "--prune", "-l", "managed=git", "--yes",
                         "--server", server_url(d)),
                2, "", "--prune would delete every schedule with the label managed=git");
    assert_int_equal(ask(d, "GET", "/api/v1/schedules/hourly", NULL).status, 200);
    assert_says(BELFRY(d, "apply", "-f", path, "--prune"), 2, "", "must be used together");
    assert_says(BELFRY(d, "apply", "-f", path, "--prune", "-l", "x"), 2, "", "KEY=VALUE");
}

/* Errors name file, line, document and field, and nothing is sent. */
static void an_invalid_file_changes_nothing(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const struct run *run;
    const char *path = world_write(w, "a.yaml",
                                   "id: good\n"
                                   "action: {type: queue, queue: q}\n"
                                   "---\n"
                                   "id: bad\n"
                                   "spec:\n"
                                   "  cron:\n"
                                   "    - '0 9 * * *'\n"
                                   "    - '61 9 * * *'\n"
                                   "action: {type: queue, queue: q}\n"
                                   "---\n"
                                   "- id: worse\n"
                                   "  action: {type: queue, queue: q}\n"
                                   "  polices: {}\n");

    run = BELFRY(d, "apply", "-f", path);
    assert_says(run, 2, "",
                "/a.yaml:8: document 2, schedule \"bad\": spec.cron[1].expr.minute: minute 61");
    assert_says(run, 2, "",
                "/a.yaml:13: document 3, schedule \"worse\": polices: unknown field; did you "
                "mean policies?");
    assert_int_equal(ask(d, "GET", "/api/v1/schedules/good", NULL).status, 404);
}

static int count_parts(const char *text, const char *part)
{
    int count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

static void every_error_of_every_document_is_reported(void **state)
{
    static const char *const fields[] = {
        "polices: ",        "spec.cron[0].expr.minute: ", "spec.timezone: ",
        "action.timeout: ", "policies.retry.attempts: ",  "labels.a: "};
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    static char text[64 * 1024];
    struct buf out = BUF(text);
    const struct run *run;

    buf_text(&out, "id: good\naction: {type: queue, queue: q}\n");
    for (int i = 0; i < 100; i++)
        buf_printf(&out,
                   "---\nid: s%d\npolices: {}\nspec: {cron: ['61 9 * * *'], timezone: X/Y}\n"
                   "action: {type: http, url: 'http://x/', timeout: soon}\n"
                   "policies: {retry: {attempts: 0}}\nlabels: {a: 7}\n",
                   i);
    run = BELFRY(d, "apply", "-f", world_write(w, "a.yaml", text));
    assert_run(run, 2, "");
    assert_int_equal(count_parts(run->err, "\n"), 600);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        assert_int_equal(count_parts(run->err, fields[i]), 100);
    assert_non_null(strstr(run->err, "/a.yaml:698: document 101, schedule \"s99\": polices: "));
    assert_int_equal(ask(d, "GET", "/api/v1/schedules/good", NULL).status, 404);
}

/* --prune would delete the schedules of files that are not read. */
static void directories_that_are_nested_too_deeply_are_an_error(void **state)
{
    struct world *w = *state;
    char path[WORLD_PATH_MAX + 64], name[64] = "deep";

    for (int i = 0; i < 17; i++) {
        assert_int_equal(mkdir(world_path(w, name), 0700), 0);
        if (i == 15 || i == 16) {
            snprintf(path, sizeof path, "%s/a%d.yaml", name, i);
            world_write(w, path, "id: 7\n");
        }
        snprintf(name + strlen(name), sizeof name - strlen(name), "/d");
    }
    /* The directory that was named, and 16 in it. */
    assert_says(RUN("diff", "-f", world_path(w, "deep")), 2, "", "/a16.yaml:1: ");
    assert_int_equal(mkdir(world_path(w, name), 0700), 0);
    assert_says(RUN("diff", "-f", world_path(w, "deep")), 2, "",
                "/d: nested too deeply; the limit is 16 directories\n");
}

static void as_many_files_as_the_limit_are_read(void **state)
{
    enum { LIMIT = 10000 };
    struct world *w = *state;
    char path[64];

    assert_int_equal(mkdir(world_path(w, "many"), 0700), 0);
    for (int i = 0; i < LIMIT; i++) {
        snprintf(path, sizeof path, "many/%d.yaml", i);
        world_write(w, path, "");
    }
    assert_says(BELFRY(server_start(w, NULL), "diff", "-f", world_path(w, "many")), 0, "", "");
    world_write(w, "many/z.yaml", "");
    assert_says(RUN("diff", "-f", world_path(w, "many")), 2, "",
                "too many files; the limit is 10000\n");
}

/* A limit of schedules is checked only when they are written. */
static void refused_entries_are_not_counted_as_created(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(
        w, &(struct server_start){.args = WORDS("--quota-schedules", "1")});
    const char *path = world_write(w, "a.yaml",
                                   "id: a\naction: {type: queue, queue: q}\n---\n"
                                   "id: b\naction: {type: queue, queue: q}\n");
    const struct run *run = BELFRY(d, "apply", "-f", path);

    assert_says(run, 1, "\n1 created, 0 changed, 0 unchanged; 1 failed\n", "schedule \"b\"");
    run = BELFRY(d, "apply", "-f", path);
    assert_says(run, 1, "\n0 created, 0 changed, 1 unchanged; 1 failed\n", "");
    run = BELFRY(d, "apply", "-f", path, "-o", "json");
    assert_says(run, 1, "{\"items\":[],\"same\":1,\"failed\":1}", "");
}

static void output_that_cannot_be_written_is_a_failure(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const char *path = world_write(w, "a.yaml", first);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC), none = run_file("", 0);
    const char *const rows[][9] = {
        {"apply", "-f", path, "--dry-run", "--server", server_url(d)},
        {"apply", "-f", path, "--dry-run", "--server", server_url(d), "-o", "json"},
        {"apply", "-f", path, "--server", server_url(d), "-o", "json"},
        {"apply", "-f", path, "--server", server_url(d)},
    };

    assert_true(full >= 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(run_wait(run_start(rows[i], none, full, none)), 1);
    close(full);
    close(none);
}

/* Errors that need no server, and those that the server finds. */
static void all_kinds_of_errors_are_reported_at_once(void **state)
{
    static const char *const lines[] = {
        "-:2: document 1, calendar \"c\": dates[1]: ",
        "-:3: document 1, calendar \"c\": dats: unknown field",
        "-:4: document 1, calendar \"c\": dtes: unknown field",
        "-:7: document 2, gate \"g\": limit: must be between 1 and 1000000, not 0\n",
        "-:9: document 3: id: ",
        "-:10: document 3: spec.jitter: ",
        "-:13: document 4, schedule \"a\": spec.jitter: ",
    };
    struct server *d = server_start(*state, NULL);
    const struct run *run = RUN_WITH(
        "calendar: c\ndates: [2031-01-01, 2031-13-01]\ndats: []\ndtes: 1\n"
        "---\ngate: g\nlimit: 0\n"
        "---\naction: {type: queue, queue: q}\nspec: {jitter: x}\n"
        "---\nid: a\nspec: {jitter: x}\naction: {type: queue, queue: q}\n",
        "apply", "-f", "-", "--server", server_url(d));

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(run->err, lines[i]))
            fail_msg("no `%s` in\n%s", lines[i], run->err);
    assert_run(run, 2, "");
    assert_int_equal(count_parts(run->err, "\n"), sizeof lines / sizeof lines[0]);
}

/* Errors in the files are reported without a server. */
static void files_are_checked_before_the_first_request(void **state)
{
    static const struct {
        const char *text, *err;
    } rows[] = {
        {"id: a\nid: b\n", "-: line 2, column 1: duplicate key"},
        {"a: *x\n", "-: line 1, column 4: aliases (*) are not supported"},
        {"id: a\n---\nspec: {}\n", "-:3: document 2: id"},
        {"id: a\n---\n7\n", "-:3: document 2: must be a schedule"},
        {"id: ''\n", "-:1: document 1: id: must not be empty"},
        {"id: a\n---\nid: b\n---\n# again\nid: a\n",
         "-:6: document 3, schedule \"a\": duplicate; already in -:1"},
        {"- gate: a\n- gate: b\n  limt: 3\n",
         "-:3: document 1, gate \"b\": limt: unknown field"},
        {"calendar: a\n", "-:1: document 1, calendar \"a\": dates"},
        {"[{\"id\":\"a\"},\n{\"id\":\"b\" \"c\"}]", "-:2: "},
        {"[{\"id\":\"a\"}\n{\"id\":\"b\"}]", "-:2: expected , or ]"},
        {"{\"id\":\"a\"}\n\n{\"id\":}", "-:3: "},
        {"{\"id\":\"a\"", "-:1: the text ends too early"},
        {"\xff", "-: the text is not UTF-8"},
    };
    struct world *w = *state;
    char dir[WORLD_PATH_MAX];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct run *run = RUN_WITH(rows[i].text, "diff", "-f", "-", "--server",
                                         "http://127.0.0.1:1");

        if (run->status != 2 || !strstr(run->err, rows[i].err))
            fail_msg("%s: %d, %s", rows[i].text, run->status, run->err);
    }
    assert_int_equal(
        RUN_WITH("id: a\n", "diff", "-f", "-", "--server", "http://127.0.0.1:1")->status,
        UNREACHABLE);
    snprintf(dir, sizeof dir, "%s", world_path(w, "empty"));
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_says(RUN("apply", "-f", dir), 2, "", "no *.yaml, *.yml or *.json file found");
    assert_says(RUN("apply", "-f", world_path(w, "none.yaml")), 2, "", "No such file");
    assert_says(RUN("apply", "-f", ""), 2, "", "No such file");
    assert_int_equal(rmdir(dir), 0);
    assert_says(RUN("apply"), 2, "", "missing option: -f PATH");
    assert_says(RUN("apply", "x"), 2, "", "unexpected argument \"x\"; use -f x");
}

/* The message names the real limit: a larger entry does not fit into a request. */
static void an_entry_that_is_too_large_is_refused_with_the_limit(void **state)
{
    static char text[8100000] = "{\"id\":\"a\",\"description\":\"";
    size_t len = strlen(text);

    (void)state;
    memset(text + len, 'x', sizeof text - len);
    memcpy(text + sizeof text - sizeof "\"}", "\"}", sizeof "\"}");
    assert_says(RUN_WITH(text, "diff", "-f", "-", "--server", "http://127.0.0.1:1"), 2, "",
                "schedule \"a\": too large; the limit is 8000000 bytes as JSON");
}

static void a_folder_is_read_recursively(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    char dir[WORLD_PATH_MAX], sub[WORLD_PATH_MAX + 8];

    snprintf(dir, sizeof dir, "%s", world_path(w, "conf"));
    snprintf(sub, sizeof sub, "%s/sub", dir);
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(mkdir(sub, 0700), 0);
    world_write(w, "conf/b.yml", "id: b\naction: {type: queue, queue: q}\n");
    world_write(w, "conf/sub/a.json",
                "{\"id\":\"a\",\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}");
    world_write(w, "conf/notes.txt", "id: [");
    world_write(w, "conf/.hidden.yaml", "id: [");
    assert_run(BELFRY(d, "diff", "-f", dir), 1, "+ schedule b\n+ schedule a\n");
}

/* Export, apply and export again give the same bytes, in both formats. */
static void an_export_is_applied_and_exported_again(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const char *path = world_write(w, "a.yaml", first);
    char yaml[RUN_TEXT_MAX], json[RUN_TEXT_MAX], file[WORLD_PATH_MAX];
    const struct run *run;

    assert_run(BELFRY(d, "apply", "-f", path), 0, NULL);
    make_schedule(d, "odd",
                  "'description':'# a: b\\n\\u0085','labels':{'y':'no','12:30':'~'},"
                  "'action':{'type':'http','url':'https://example.com/a?b=%%20c',"
                  "'headers':{'X-A':' b '},'input':{'n':1.5,'deep':[[],{},[{'a':null}]]}}");
    run = BELFRY(d, "export");
    assert_int_equal(run->status, 0);
    snprintf(yaml, sizeof yaml, "%s", run->out);
    snprintf(json, sizeof json, "%s", BELFRY(d, "export", "--format", "json")->out);
    assert_run(RUN_WITH(yaml, "diff", "-f", "-", "--server", server_url(d)), 0, "");
    assert_run(RUN_WITH(json, "diff", "-f", "-", "--server", server_url(d)), 0, "");

    assert_int_equal(server_stop(d), 0);
    unlink(world_path(w, "belfry.db"));
    unlink(world_path(w, "belfry.db-wal"));
    unlink(world_path(w, "belfry.db-shm"));
    snprintf(file, sizeof file, "sqlite:%s", world_path(w, "second.db"));
    d = server_start(w, &(struct server_start){.is_bare = true,
                                               .args = WORDS("--db", file, "--listen",
                                                             "127.0.0.1:0", "--grpc", "none")});
    assert_run(BELFRY(d, "export"), 0, "");
    assert_run(RUN_WITH(yaml, "apply", "-f", "-", "--server", server_url(d)), 0, NULL);
    assert_run(BELFRY(d, "export"), 0, yaml);
    assert_run(BELFRY(d, "export", "-F", "json"), 0, json);
    assert_run(BELFRY(d, "export", "-o", "json"), 0, json);
    assert_says(BELFRY(d, "export", "-o", "name"), 2, "", "--output must be json");
    assert_says(BELFRY(d, "export", "-o", "json", "-F", "yaml"), 2, "", "contradicts");
    path = world_path(w, "out.yaml");
    assert_run(BELFRY(d, "export", path), 0, "");
    assert_run(BELFRY(d, "diff", "-f", path), 0, "");
    assert_says(BELFRY(d, "export", path), 2, "", "--force");
    assert_run(BELFRY(d, "export", path, "--force", "-l", "managed=git"), 0, "");
    assert_says(BELFRY(d, "export", "-F", "xml"), 2, "", "yaml or json");
}

static const char holidays[] = "id: a\n"
                               "paused: {reason: holidays, until: 2031-01-01T00:00:00.000Z}\n"
                               "spec: {intervals: [{every: 24h}]}\n"
                               "action: {type: queue, queue: q}\n";

static void a_pause_is_applied_shown_and_lifted(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const char *path = world_write(w, "a.yaml", holidays);
    const struct run *run;
    json_t *json;

    assert_run(
        BELFRY(d, "diff", "-f", path), 1,
        "+ schedule a\n"
        "    paused: {\"reason\":\"holidays\",\"until\":\"2031-01-01T00:00:00.000Z\"}\n");
    assert_run(BELFRY(d, "apply", "-f", path), 0, NULL);
    json = api(d, 200, "GET", "/api/v1/schedules/a", NULL);
    assert_string_equal(text_at(json, "state.status"), "paused");
    assert_string_equal(text_at(json, "state.pausedReason"), "holidays");
    assert_string_equal(text_at(json, "state.pausedUntil"), "2031-01-01T00:00:00.000Z");
    run = BELFRY(d, "export");
    assert_says(run, 0, "paused:\n  reason: holidays\n  until: ", "");
    assert_run(RUN_WITH(run->out, "apply", "-f", "-", "--server", server_url(d)), 0,
               "no changes; 1 unchanged\n");
    path = world_write(w, "a.yaml",
                       "id: a\nspec: {intervals: [{every: 24h}]}\n"
                       "action: {type: queue, queue: q}\n");
    assert_run(BELFRY(d, "apply", "-f", path), 0, "no changes; 1 unchanged\n");
    path = world_write(w, "a.yaml",
                       "id: a\npaused: false\nspec: {intervals: [{every: 24h}]}\n"
                       "action: {type: queue, queue: q}\n");
    run = BELFRY(d, "apply", "-f", path, "--dry-run");
    assert_says(run, 0,
                "~ schedule a\n    paused: {\"reason\":\"holidays\",\"until\":"
                "\"2031-01-01T00:00:00.000Z\"} → false\n~ resume a\n"
                "    no slot has passed during the pause; next run at ",
                "");
    assert_says(BELFRY(d, "apply", "-f", path), 0, "0 created, 1 changed, 0 unchanged\n", "");
    assert_string_equal(
        text_at(api(d, 200, "GET", "/api/v1/schedules/a", NULL), "state.status"), "active");
}

/* A dry run takes pauses and disabled schedules into account. */
static void a_dry_run_considers_pauses_and_disabled_schedules(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const char *path = world_write(w, "a.yaml",
                                   "id: a\npaused: true\nspec: {at: [2031-01-01T00:00:00Z]}\n"
                                   "action: {type: queue, queue: q}\n");

    assert_says(BELFRY(d, "apply", "-f", path, "--dry-run"), 0,
                "    after   2031-01-01T00:00:00.000Z\n"
                "    note    it does not run while it is paused or disabled\n",
                "");
    path = world_write(w, "a.yaml",
                       "id: a\npaused: {until: 2031-01-02T00:00:00Z}\n"
                       "spec: {at: [2031-01-01T00:00:00Z, 2031-01-03T00:00:00Z]}\n"
                       "action: {type: queue, queue: q}\n");
    assert_says(BELFRY(d, "apply", "-f", path, "--dry-run"), 0,
                "    after   2031-01-03T00:00:00.000Z\n", "");
    assert_says(BELFRY(d, "apply", "-f", path, "--dry-run", "-o", "json"), 0,
                "\"times\":{\"before\":[],\"after\":[\"2031-01-03T00:00:00.000Z\"]}", "");
    assert_run(BELFRY(d, "apply", "-f", path), 0, NULL);
    path = world_write(w, "a.yaml",
                       "id: a\nenabled: false\n"
                       "spec: {at: [2031-01-01T00:00:00Z, 2031-01-03T00:00:00Z]}\n"
                       "action: {type: queue, queue: q}\n");
    assert_says(BELFRY(d, "apply", "-f", path, "--dry-run"), 0,
                "    before  2031-01-03T00:00:00.000Z\n    after   never\n", "");
    assert_says(BELFRY(d, "apply", "-f", path, "--dry-run", "-o", "json"), 0,
                "\"times\":{\"before\":[\"2031-01-03T00:00:00.000Z\"],\"after\":[]}", "");
}

/* More schedules than one request or one page can hold. */
static void thousands_of_schedules_are_sent_in_batches(void **state)
{
    static char text[MANY * 80];
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    size_t len = 0;
    const char *path;

    for (int i = 0; i < MANY; i++)
        len += (size_t)snprintf(
            text + len, sizeof text - len,
            "---\nid: s%d\nlabels: {l: v}\naction: {type: queue, queue: q}\n", i);
    path = world_write(w, "many.yaml", text);
    assert_says(BELFRY(d, "apply", "-f", path), 0, "\n2500 created, 0 changed, 0 unchanged\n",
                "");
    assert_run(BELFRY(d, "apply", "-f", path), 0, "no changes; 2500 unchanged\n");
    assert_int_equal(world_number(w, "SELECT count(*) FROM schedules WHERE deleted_at = 0"),
                     MANY);
    path = world_path(w, "out.yaml");
    assert_run(BELFRY(d, "export", path), 0, "");
    assert_run(BELFRY(d, "diff", "-f", path), 0, "");
    path = world_write(w, "one.yaml",
                       "id: s7\nlabels: {l: v}\naction: {type: queue, queue: q}\n");
    assert_says(BELFRY(d, "apply", "-f", path, "--prune", "-l", "l=v", "-y"), 0,
                "\n0 created, 0 changed, 1 unchanged, 2499 deleted\n", "");
    assert_int_equal(world_number(w, "SELECT count(*) FROM schedules WHERE deleted_at = 0"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(files_are_applied_once),
        E2E_TEST(apply_warns_of_programs_that_the_server_does_not_run),
        E2E_TEST(a_dry_run_lists_changed_fields_and_times),
        E2E_TEST(prune_deletes_labelled_schedules_that_the_files_lack),
        E2E_TEST(an_invalid_file_changes_nothing),
        E2E_TEST(every_error_of_every_document_is_reported),
        E2E_TEST(all_kinds_of_errors_are_reported_at_once),
        E2E_TEST(directories_that_are_nested_too_deeply_are_an_error),
        E2E_TEST(as_many_files_as_the_limit_are_read),
        E2E_TEST(refused_entries_are_not_counted_as_created),
        E2E_TEST(output_that_cannot_be_written_is_a_failure),
        E2E_TEST(files_are_checked_before_the_first_request),
        E2E_TEST(an_entry_that_is_too_large_is_refused_with_the_limit),
        E2E_TEST(a_folder_is_read_recursively),
        E2E_TEST(an_export_is_applied_and_exported_again),
        E2E_TEST(a_pause_is_applied_shown_and_lifted),
        E2E_TEST(a_dry_run_considers_pauses_and_disabled_schedules),
        E2E_TEST(thousands_of_schedules_are_sent_in_batches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
