/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry import crontab`: the schedules must do what the lines did under cron.
 */
#include <sys/resource.h>

#include "base/buf.h"
#include "request.h"

#include "../cli/run.h"

static const char *server_url(const struct server *d)
{
    static char url[64];

    snprintf(url, sizeof url, "http://127.0.0.1:%d", d->port);
    return url;
}

static void assert_says(const struct run *run, int status, const char *out, const char *err)
{
    if (run->status != status || !strstr(run->out, out) || !strstr(run->err, err))
        fail_msg("status %d, not `%s` or not `%s`:\n%s%s", run->status, out, err, run->out,
                 run->err);
}

static bool holds(const char *path, const char *text)
{
    char got[256] = "";
    FILE *file = fopen(path, "r");

    if (!file)
        return false;
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    return strcmp(got, text) == 0;
}

static void lines_are_explained_and_verified(void **state)
{
    const struct run *run = RUN_WITH("MAILTO=ops@example.com\n"
                                     "# Nightly\n"
                                     "30 2 * * 1-5 /opt/backup.sh\n"
                                     "CRON_TZ=America/New_York\n"
                                     "0 0 29 2 * X=1 /opt/backup.sh\n",
                                     "import", "crontab", "-", "--tz", "Europe/Dublin");

    (void)state;
    assert_says(run, 0, "-:3: 30 2 * * 1-5  /opt/backup.sh\n", "");
    assert_says(run, 0, "\n  cron-backup.sh: At 02:30 on weekdays, Dublin time\n", "");
    assert_says(run, 0, "\n  cron-backup.sh-2: At 00:00 on 29 February, New York time\n", "");
    assert_says(run, 0, "-02-29T00:00:00-05:00\n", "");
    assert_says(run, 0, "  verified: the next 1000 times match cron\n", "");
    assert_says(run, 0, "  verified: the times of the next 100 years (", "");
    assert_says(run, 0, "not mailed to ops@example.com\n", "");
    assert_says(run, 0, "\n2 schedules\n", "");
    assert_says(run, 0, "--exec", "");
}

static void the_import_is_printed_as_json(void **state)
{
    const struct run *run = RUN_WITH("MAILTO=ops\n30 2 1 1 * /opt/a.sh\n", "import", "crontab",
                                     "-", "--tz", "UTC", "-o", "json");
    json_t *json = world_keep(*state, json_loads(run->out, 0, NULL));

    assert_non_null(json);
    assert_int_equal(json_array_size(json), 1);
    assert_int_equal(number_at(json, "[0].line"), 2);
    assert_string_equal(text_at(json, "[0].id"), "cron-a.sh");
    assert_string_equal(text_at(json, "[0].when"), "30 2 1 1 *");
    assert_int_equal(json_array_size(at(json, "[0].next")), 5);
    assert_non_null(strstr(text_at(json, "[0].next[0]"), "-01-01T02:30:00.000Z"));
    assert_in_range(number_at(json, "[0].proved"), 100, 101); /* of a hundred years */
    assert_string_equal(text_at(json, "[0].notes[0]"),
                        "output is stored as the run's log and not mailed to ops");
    assert_string_equal(text_at(json, "[0].document.id"), "cron-a.sh");
    run = RUN_WITH("30 2 1 1 * /opt/a.sh\n", "import", "crontab", "-", "--tz", "UTC", "-o",
                   "name");
    assert_string_equal(run->out, "cron-a.sh\n");
    assert_says(RUN_WITH("", "import", "crontab", "-", "--tz", "UTC", "-o", "xml"), 2, "",
                "--output must be table, json or name");
}

/* With a wrong zone, verification would succeed: it compares with cron in the same zone. */
static void a_local_zone_without_a_name_needs_an_option(void **state)
{
    static const char *const zones[] = {"CET-1CEST,M3.5.0,M10.5.0/3", "UTC-2", "Nowhere/X"};
    char before[64];

    (void)state;
    snprintf(before, sizeof before, "%s", getenv("TZ") ? getenv("TZ") : "");
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        setenv("TZ", zones[i], 1);
        assert_says(RUN_WITH("30 2 * * * x\n", "import", "crontab", "-"), 2, "", "--tz");
    }
    setenv("TZ", ":/usr/share/zoneinfo/Asia/Tokyo", 1);
    assert_says(RUN_WITH("30 2 * * * x\n", "import", "crontab", "-"), 0, "Tokyo time\n", "");
    if (before[0] != '\0')
        setenv("TZ", before, 1);
    else
        unsetenv("TZ");
}

static void invalid_lines_are_reported_and_nothing_is_written(void **state)
{
    struct world *w = *state;
    const char *path = world_path(w, "out.yaml");
    const struct run *run = RUN_WITH("0 1 * * * ok\n"
                                     "@weekly\n"
                                     "61 * * * * x\n"
                                     "* * * *\n"
                                     "1~9 * * * * x\n"
                                     "CRON_TZ=Nowhere/At_All\n"
                                     "0 1 * * * x\n",
                                     "import", "crontab", "-", "--tz", "UTC", "--to", path);

    assert_says(run, 2, "", "-:2: incomplete line");
    assert_says(run, 2, "", "-:3: minute 61 is out of range");
    assert_says(run, 2, "", "-:4: incomplete line; use five time fields and a command");
    assert_says(run, 2, "", "-:5: a~b is random");
    assert_says(run, 2, "", "-:7: ");
    assert_says(run, 2, "", "5 of 6 lines cannot be imported; nothing was imported");
    assert_int_equal(access(path, F_OK), -1);
    assert_says(RUN("import"), 2, "", "Usage: belfry import COMMAND");
    assert_says(RUN("import", "anacron", "x"), 2, "", "import anacron");
    assert_says(RUN("import", "crontab"), 2, "", "missing argument");
    assert_says(RUN("import", "crontab", world_path(w, "none")), 1, "", "No such file");
    assert_says(RUN_WITH("", "import", "crontab", "-", "--tz", "Nowhere"), 2, "", "Nowhere");
}

/* Shell, settings, directory, input and ${…} are the same as under cron. */
static void commands_run_as_under_cron(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, &(struct server_start){.args = WORDS("--exec")});
    char table[2048], out[WORLD_PATH_MAX], yaml[WORLD_PATH_MAX], wanted[256];
    const struct run *run;

    snprintf(out, sizeof out, "%s", world_path(w, "out"));
    snprintf(yaml, sizeof yaml, "%s", world_path(w, "table.yaml"));
    snprintf(table, sizeof table,
             "# As it was\n"
             "HOME=%s\n"
             "X=a ${b}\n"
             "0 0 1 1 * (pwd; echo \"${X}\" 50\\%%; cat) > %s.part; mv %s.part %s%%one%%two\n",
             w->dir, out, out, out);
    run = RUN_WITH(table, "import", "crontab", "-", "--tz", "UTC", "--to", yaml, "--apply",
                   "--server", server_url(d));
    assert_says(run, 0, "+ schedule cron-pwd\n1 created, 0 changed, 0 unchanged\n", "");
    trigger(d, "cron-pwd");
    snprintf(wanted, sizeof wanted, "%s\na ${b} 50%%\none\ntwo\n", w->dir);
    UNTIL(holds(out, wanted));
    /* The file has the same schedule, and a second import changes nothing. */
    assert_says(RUN("diff", "-f", yaml, "--server", server_url(d)), 0, "", "");
    run = RUN_WITH(table, "import", "crontab", "-", "--tz", "UTC", "--apply", "--server",
                   server_url(d));
    assert_says(run, 0, "no changes; 1 unchanged\n", "");
    assert_says(RUN_WITH(table, "import", "crontab", "-", "--tz", "UTC", "--to", yaml), 1, "",
                "File exists");
}

static void a_system_crontab_names_users(void **state)
{
    const struct run *run = RUN_WITH("17 * * * * root cd / && run-parts /etc/cron.hourly\n",
                                     "import", "crontab", "-", "--system", "--tz", "UTC",
                                     "--to", "-", "--prefix", "etc");

    (void)state;
    assert_says(run, 0, "id: etc-run-parts\n", ", as root\n");
    assert_says(run, 0, "  user: root\n", "");
    assert_says(run, 0, "  overlap: allowAll\n  catchup:\n    mode: none\n", "");
}

static void reboot_lines_are_reported_and_skipped(void **state)
{
    const struct run *run = RUN_WITH("@reboot /opt/a\n0 1 * * * /opt/a\n", "import", "crontab",
                                     "-", "--tz", "UTC");
    json_t *json;

    assert_says(run, 0, "\n1 schedule, 1 skipped\n",
                "belfry: -:1: @reboot is skipped: it has no time; use a system service\n");
    run = RUN_WITH("@reboot /opt/a\n0 1 * * * /opt/b\n", "import", "crontab", "-", "--tz",
                   "UTC", "--to", "-");
    assert_null(strstr(run->out, "/opt/a"));
    run = RUN_WITH("@reboot /opt/a\n0 1 * * * /opt/b\n", "import", "crontab", "-", "--tz",
                   "UTC", "-o", "json");
    json = world_keep(*state, json_loads(run->out, 0, NULL));
    assert_string_equal(text_at(json, "[0].when"), "@reboot");
    assert_null(json_object_get(at(json, "[0]"), "document"));
    assert_string_equal(text_at(json, "[1].id"), "cron-b");
}

/* With the wrong format, the user would become the command, or the command's first word. */
static void the_format_is_checked(void **state)
{
    static const char titles[] = "# m h dom mon dow user\tcommand\n0 1 * * * nobody-here x y\n";
    static const char *const bad[][2] = {
        {"0 1 * * * root /opt/a\n", "-:1: \"root\" is a user; use --system"},
        {"0 1 * * * a\n@daily\troot\t/opt/a b\n", "-:2: \"root\" is a user; use --system"},
        {titles, "-: this is a system crontab"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_says(RUN_WITH(bad[i][0], "import", "crontab", "-", "--tz", "UTC"), 2, "",
                    bad[i][1]);
        assert_says(
            RUN_WITH(bad[i][0], "import", "crontab", "-", "--tz", "UTC", "--system=false"), 0,
            "", "");
    }
    assert_says(RUN_WITH(titles, "import", "crontab", "-", "--tz", "UTC", "--system"), 0,
                ", as nobody-here\n", "run commands as other users: nobody-here\n");
    assert_says(
        RUN_WITH("0 1 * * * /opt/a b\n", "import", "crontab", "-", "--tz", "UTC", "--system"),
        2, "", "-:1: \"/opt/a\" is not a user; omit --system");
    assert_says(RUN_WITH("0 1 * * * cd /tmp && x\n", "import", "crontab", "-", "--tz", "UTC",
                         "--system"),
                2, "", "\"cd\" is not a user");
    /* `sync` is a user of some systems and a program of all. */
    assert_says(RUN_WITH("0 1 * * * sync x\n", "import", "crontab", "-", "--tz", "UTC"), 0, "",
                "");
    assert_says(RUN_WITH("", "import", "crontab", "-", "--tz", "UTC", "--system=x"), 2, "",
                "--system must be true or false");
}

static void commands_can_go_to_a_queue(void **state)
{
    struct server *d = server_start(*state, NULL);
    json_t *json;

    assert_says(RUN_WITH("A=${b}\n0 1 * * * deploy-x echo ${A}\n", "import", "crontab", "-",
                         "--tz", "UTC", "--system", "--as", "queue", "--queue", "legacy",
                         "--apply", "--server", server_url(d)),
                0, "workers poll the queue legacy\n", "");
    json = api(d, 200, "GET", "/api/v1/schedules/cron-echo", NULL);
    assert_string_equal(text_at(json, "action.type"), "queue");
    assert_string_equal(text_at(json, "action.queue"), "legacy");
    assert_string_equal(text_at(json, "action.input.argv[0]"), "/bin/sh");
    assert_string_equal(text_at(json, "action.input.argv[2]"), "echo ${A}");
    assert_string_equal(text_at(json, "action.input.env.A"), "${b}");
    assert_string_equal(text_at(json, "action.input.user"), "deploy-x");
    assert_says(RUN_WITH("", "import", "crontab", "-", "--as", "http"), 2, "",
                "--as must be exec or queue");
    assert_says(RUN_WITH("", "import", "crontab", "-", "--queue", "q"), 2, "",
                "--queue must be used with --as queue");
}

static void ids_are_readable_and_unique(void **state)
{
    static const char table[] =
        "0 1 * * * cd / && run-parts --report /etc/cron.daily\n"
        "0 1 * * * test -x /sbin/anacron || ( cd / && run-parts --report /etc/cron.weekly )\n"
        "0 1 * * * X=1 nice -n 19 flock -n /tmp/l timeout 10m /opt/backup.sh full >/dev/null\n"
        "0 1 * * * /usr/bin/php /srv/artisan schedule:run >> /dev/null 2>&1\n"
        "0 1 * * * /bin/sh -c 'exec /opt/a'\n"
        "0 1 * * * /opt/b\n"
        "0 1 * * * /opt/b # again\n"
        "0 1 * * * /opt/b\n"
        "0 1 * * * /opt/b-2\n"
        "0 1 * * * $((1))\n"
        "0 1 * * * :\n"
        "0 1 * * * ../../..\n";
    char prefix[100];

    (void)state;
    assert_string_equal(
        RUN_WITH(table, "import", "crontab", "-", "--tz", "UTC", "-o", "name")->out,
        "cron-run-parts-report-cron.daily\n"
        "cron-run-parts-report-cron.weekly\n"
        "cron-backup.sh\n"
        "cron-artisan\n"
        "cron-a\n"
        "cron-b\n"
        "cron-b-again\n"
        "cron-b-2\n"
        "cron-b-2-2\n"
        "cron-1\n"
        "cron-job\n"
        "cron-job-2\n");
    assert_string_equal(RUN_WITH("0 1 * * * é\n", "import", "crontab", "-", "--tz", "UTC", "-o",
                                 "name", "--prefix", "")
                            ->out,
                        "job\n");
    memset(prefix, 'x', sizeof prefix);
    prefix[81] = '\0';
    assert_says(RUN_WITH("", "import", "crontab", "-", "--prefix", prefix), 2, "",
                "--prefix has 81 bytes; the limit is 80");
}

enum { MANY_LINES = 5000 };

/* 5,000 lines take less than five seconds of processor time; sanitizers take more. */
static void assert_quick(void **state, const char *text, const char *file)
{
    enum { SECONDS = 5 };
    const char *path = world_write(*state, "table", text), *to = world_path(*state, file);
    struct rusage before, after;

    getrusage(RUSAGE_CHILDREN, &before);
    assert_says(
        RUN("import", "crontab", path, "--tz", "Europe/Berlin", "--to", to, "-o", "name"), 0,
        "\ncron-same.sh-2\n", "");
    getrusage(RUSAGE_CHILDREN, &after);
#ifndef __SANITIZE_ADDRESS__
    assert_in_range(after.ru_utime.tv_sec - before.ru_utime.tv_sec, 0, SECONDS - 1);
#endif
    assert_int_equal(access(to, F_OK), 0);
}

static void a_long_crontab_is_imported_quickly(void **state)
{
    static char text[MANY_LINES * 64];
    struct buf out = BUF(text);

    for (int i = 0; i < MANY_LINES; i++)
        buf_printf(&out, "%d %s %s * %s /opt/same.sh\n", i % 60,
                   i % 3 == 0   ? "*"
                   : i % 3 == 1 ? "1-5"
                                : "7",
                   i % 4 == 0 ? "15" : "*", i % 5 == 0 ? "1-5" : "*");
    assert_quick(state, text, "often.yaml");
}

/* Once a year, and once in four years; no two lines are equal. */
static void rare_lines_are_imported_quickly(void **state)
{
    static char text[MANY_LINES * 64];
    struct buf out = BUF(text);

    for (int i = 0; i < MANY_LINES; i++)
        buf_printf(&out, "%d %d %d %d * /opt/same.sh\n", i % 60, i / 60 % 24,
                   i % 5 == 0 ? 29 : 1 + i % 28, i % 5 == 0 ? 2 : 1 + i % 12);
    assert_quick(state, text, "rare.yaml");
}

/* Each line gets the settings above it, so a small crontab can become large. */
static void settings_that_would_grow_too_large_are_refused(void **state)
{
    enum { BYTES = 100 * 1024, LINES = 2000 };
    static char text[BYTES + LINES * 16];
    struct buf out = BUF(text);

    (void)state;
    buf_text(&out, "A=");
    for (int i = 0; i < BYTES - 100; i++)
        buf_char(&out, 'a');
    buf_char(&out, '\n');
    for (int i = 0; i < LINES; i++)
        buf_text(&out, "@daily x\n");
    assert_says(RUN_WITH(text, "import", "crontab", "-", "--tz", "UTC", "--to", "-"), 2, "",
                "split the crontab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(lines_are_explained_and_verified),
        E2E_TEST(the_import_is_printed_as_json),
        E2E_TEST(a_local_zone_without_a_name_needs_an_option),
        E2E_TEST(invalid_lines_are_reported_and_nothing_is_written),
        E2E_TEST(commands_run_as_under_cron),
        E2E_TEST(a_system_crontab_names_users),
        E2E_TEST(reboot_lines_are_reported_and_skipped),
        E2E_TEST(the_format_is_checked),
        E2E_TEST(commands_can_go_to_a_queue),
        E2E_TEST(ids_are_readable_and_unique),
        E2E_TEST(a_long_crontab_is_imported_quickly),
        E2E_TEST(rare_lines_are_imported_quickly),
        E2E_TEST(settings_that_would_grow_too_large_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
