/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that runs whenever its server dies: its schedule is quarantined, the server says so
 * everywhere, and `belfry schedule release` ends it.
 */
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "prometheus_text.h"
#include "request.h"

enum { DEATHS = 3, LINE_ROOM = 64, METRICS_ROOM = 1 << 20 };

static int count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[LINE_ROOM];
    int count = 0;

    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        count++;
    fclose(file);
    return count;
}

static double metric(struct server *d, const char *series)
{
    static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
                                  "Connection: close\r\n\r\n";
    static char text[METRICS_ROOM];
    int fd = request_connect(d);
    size_t len = 0;
    ssize_t n;
    char *body;

    assert_int_equal(write(fd, request, sizeof request - 1), sizeof request - 1);
    while (len < sizeof text - 1 && (n = read(fd, text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)n;
    close(fd);
    text[len] = '\0';
    body = strstr(text, "\r\n\r\n");
    assert_non_null(body);
    return prometheus_value(body + 4, series);
}

/* Kills the server during each attempt of the only program: the third time is evidence. */
static struct server *kill_until_quarantined(struct world *w, const char *mark)
{
    const struct server_start start = {.args = WORDS("--exec", "--node-lease", "2s")};
    struct server *d = server_start(w, &start);

    make_schedule(
        d, "x",
        "'spec':{'cron':['0 0 1 1 *']},'action':{'type':'exec','argv':['/bin/sh','-c',"
        "'echo $$ >> %s; exec sleep 600']}",
        mark);
    trigger(d, "x");
    for (int i = 1; i <= DEATHS; i++) {
        UNTIL(count_lines(mark) == i);
        server_kill(d);
        d = server_restart(d, &start);
    }
    return d;
}

static void the_command_releases_what_the_server_reports(void **state)
{
    struct world *w = *state;
    const char *mark = world_path(w, "pids");
    struct server *d = kill_until_quarantined(w, mark);
    struct command_result result;

    /* Its first turn has taken the run back, before it was ready. */
    assert_true(server_has_logged(d, "level=error msg=\"schedule quarantined\""));
    assert_true(server_has_logged(d, "belfry schedule release"));
    assert_string_equal(text_at(schedule_state(d, "x"), "status"), "paused");
    assert_string_equal(text_at(schedule_state(d, "x"), "pausedReason"), "quarantined");
    assert_has(BELFRY(d, "schedule", "health", "x").out, "belfry schedule release");
    assert_has(BELFRY(d, "events", "--type", "schedule.quarantined", "--all").out, "x");
    assert_true(metric(d, "belfry_schedules_quarantined_total") == 1);

    result = BELFRY(d, "schedule", "release", "x");
    assert_has(result.out, "x: released");
    assert_string_equal(text_at(schedule_state(d, "x"), "status"), "active");
    result = REFUSED(d, 1, "schedule", "release", "x");
    assert_has(result.err, "not quarantined");
    assert_has(BELFRY(d, "events", "--type", "schedule.released", "--all").out, "x");
    assert_int_equal(count_lines(mark), DEATHS); /* nothing has run in between */
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_command_releases_what_the_server_reports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
