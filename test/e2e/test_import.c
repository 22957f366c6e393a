/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry import crontab`: the schedules must do what the lines did under cron.
 */
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

static void lines_are_explained_and_proved(void **state)
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
    assert_says(run, 0, "not mailed to ops@example.com\n", "");
    assert_says(run, 0, "\n2 schedules\n", "");
    assert_says(run, 0, "--exec", "");
}

static void programs_read_it_as_json(void **state)
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
    assert_int_equal(number_at(json, "[0].proved"), 1000);
    assert_string_equal(text_at(json, "[0].notes[0]"),
                        "output is stored as the run's log and not mailed to ops");
    assert_string_equal(text_at(json, "[0].document.id"), "cron-a.sh");
    run = RUN_WITH("30 2 1 1 * /opt/a.sh\n", "import", "crontab", "-", "--tz", "UTC", "-o",
                   "name");
    assert_string_equal(run->out, "cron-a.sh\n");
    assert_says(RUN_WITH("", "import", "crontab", "-", "--tz", "UTC", "-o", "xml"), 2, "",
                "--output must be table, json or name");
}

/* A wrong zone would pass verification too: against cron in that zone, not in the local one. */
static void a_zone_without_a_name_is_asked_for(void **state)
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

static void what_cannot_be_expressed_is_told_and_nothing_is_written(void **state)
{
    struct world *w = *state;
    const char *path = world_path(w, "out.yaml");
    const struct run *run = RUN_WITH("0 1 * * * ok\n"
                                     "@reboot x\n"
                                     "61 * * * * x\n"
                                     "* * * *\n"
                                     "1~9 * * * * x\n"
                                     "CRON_TZ=Nowhere/At_All\n"
                                     "0 1 * * * x\n",
                                     "import", "crontab", "-", "--tz", "UTC", "--to", path);

    assert_says(run, 2, "", "-:2: @reboot has no time");
    assert_says(run, 2, "", "-:3: minute 61 is out of range");
    assert_says(run, 2, "", "-:4: incomplete line; use five time fields and a command");
    assert_says(run, 2, "", "-:5: a~b is random");
    assert_says(run, 2, "", "-:7: ");
    assert_says(run, 2, "", "5 of 6 lines cannot be imported; nothing was imported");
    assert_int_equal(access(path, F_OK), -1);
    assert_says(RUN_WITH("@reboot x\n", "import", "crontab", "-", "--tz", "UTC"), 2, "",
                "1 of 1 lines cannot be imported; nothing was imported");
    assert_says(RUN("import"), 2, "", "belfry import crontab FILE");
    assert_says(RUN("import", "anacron", "x"), 2, "", "belfry import crontab FILE");
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

static void a_system_table_names_users(void **state)
{
    const struct run *run = RUN_WITH("17 * * * * root cd / && run-parts /etc/cron.hourly\n",
                                     "import", "crontab", "-", "--system", "--tz", "UTC",
                                     "--to", "-", "--prefix", "etc");

    (void)state;
    assert_says(run, 0, "id: etc-cd\n", ", as root\n");
    assert_says(run, 0, "  user: root\n", "");
    assert_says(run, 0, "  overlap: allowAll\n  catchup:\n    mode: none\n", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(lines_are_explained_and_proved),
        E2E_TEST(programs_read_it_as_json),
        E2E_TEST(a_zone_without_a_name_is_asked_for),
        E2E_TEST(what_cannot_be_expressed_is_told_and_nothing_is_written),
        E2E_TEST(commands_run_as_under_cron),
        E2E_TEST(a_system_table_names_users),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
