/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of commands on a terminal: width, colours, confirmations, help and completion.
 */
#include <sys/wait.h>

#include "command.h"
#include "request.h"

static struct command_result on_screen(struct server *d, int columns, const char *input,
                                       const char *const *words)
{
    struct command command = {.server = d, .words = words, .columns = columns, .input = input};

    return command_run(d->world, &command);
}

/* Columns of the longest line of ASCII; "…" counts as one, colours as none. */
static int longest_line(const char *text)
{
    int longest = 0, columns = 0;

    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\033')
            p = strchr(p, 'm');
        else if (*p == '\n' || *p == '\r')
            columns = 0;
        else if (((unsigned char)*p & 0xc0) != 0x80)
            columns++;
        assert_non_null(p);
        if (columns > longest)
            longest = columns;
    }
    return longest;
}

static void a_table_fits_the_screen(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    make_schedule(d, "a-schedule-with-a-long-name-that-takes-much-room",
                  "'description':'and a description that takes even more of it, by far',"
                  "'spec':{'cron':['0 3 * * *']},'action':{'type':'queue','queue':'reports'}");
    for (int columns = 40; columns <= 200; columns += 20) {
        result = on_screen(d, columns, NULL, WORDS("schedule", "list"));
        assert_int_equal(result.status, 0);
        assert_in_range(longest_line(result.out), columns / 2, columns);
    }
    assert_has(on_screen(d, 90, NULL, WORDS("schedule", "list")).out, "\u2026");
    assert_lacks(on_screen(d, 250, NULL, WORDS("schedule", "list")).out, "\u2026");
    /* A file has no width. */
    assert_has(BELFRY(d, "schedule", "list").out, "even more of it, by far");
}

static void notes_are_printed_after_the_table(void **state)
{
    struct server *d = server_start(*state, NULL);
    const char *out, *row, *more;

    make_schedule(d, "a", "'spec':{},'action':{'type':'queue','queue':'q'}");
    make_schedule(d, "b", "'spec':{},'action':{'type':'queue','queue':'q'}");
    out = on_screen(d, 100, NULL, WORDS("events", "--limit", "1")).out;
    row = strstr(out, "schedule.created");
    more = strstr(out, "more events; use --all");
    assert_true(row && more && row < more);
}

static void colours_are_printed_only_on_a_terminal(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct command plain = {.server = d,
                            .words = WORDS("schedule", "list"),
                            .columns = 120,
                            .env = WORDS("NO_COLOR=1")};

    make_schedule(d, "a", "'spec':{},'action':{'type':'queue','queue':'q'}");
    assert_has(on_screen(d, 120, NULL, WORDS("schedule", "list")).out, "\033[32mactive\033[0m");
    assert_lacks(on_screen(d, 120, NULL, WORDS("schedule", "list", "--no-color")).out, "\033");
    assert_lacks(command_run(world, &plain).out, "\033");
    assert_lacks(BELFRY(d, "schedule", "list").out, "\033");
}

static void control_characters_are_escaped(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    make_schedule(d, "a",
                  "'description':'x\\u001b[2Jy\\u009bz\\u202e','spec':{},"
                  "'action':{'type':'queue','queue':'q'}");
    for (int i = 0; i < 3; i++) {
        static const char *const words[][5] = {{"schedule", "list", NULL},
                                               {"schedule", "get", "a", NULL},
                                               {"schedule", "get", "a", "-ojson", NULL}};

        result = on_screen(d, 200, NULL, words[i]);
        assert_int_equal(result.status, 0);
        assert_lacks(result.out, "\033[2J");
        assert_lacks(result.out, "\xc2\x9b");
        assert_lacks(result.out, "\u202e");
        assert_has(result.out, i < 2 ? "x\\x1b[2Jy\\u009bz\\u202e" : "\\u009bz\\u202e");
    }
}

/* The closed descriptor's number must not be reused for a file or connection. */
static void a_closed_output_is_an_error(void **state)
{
    struct world *world = *state;
    struct command list = {.server = server_start(world, NULL),
                           .words = WORDS("namespace", "list")};

    assert_int_equal(command_end(command_begin(world, &list, -1)), 1);
    list.words = WORDS("export", world_path(world, "export.yaml"));
    assert_int_equal(command_end(command_begin(world, &list, -1)), 0); /* there is no output */
}

static void a_question_needs_a_yes(void **state)
{
    struct server *d = server_start(*state, NULL);
    const char *const words[] = {"schedule",
                                 "backfill",
                                 "a",
                                 "--from",
                                 "2026-01-01T00:00:00Z",
                                 "--to",
                                 "2026-01-02T00:00:00Z",
                                 NULL};
    struct command_result result;

    make_schedule(d, "a",
                  "'spec':{'cron':['0 3 * * *']},'action':{'type':'queue','queue':'q'}");
    result = on_screen(d, 120, "n\n", words);
    assert_int_equal(result.status, 1);
    assert_has(result.out, "Start 1 run of a? [y/N]");
    assert_has(result.out, "aborted; nothing was changed");
    assert_int_equal(number_at(schedule_state(d, "a"), "open"), 0);
    result = on_screen(d, 120, "y\n", words);
    assert_int_equal(result.status, 0);
    UNTIL(number_at(schedule_state(d, "a"), "open") == 1);
    BELFRY(d, "schedule", "pause", "a");
    assert_int_equal(on_screen(d, 120, "\n", WORDS("schedule", "resume", "a")).status, 1);
    assert_string_equal(text_at(schedule_state(d, "a"), "status"), "paused");
    assert_int_equal(on_screen(d, 120, "y\n", WORDS("schedule", "resume", "a")).status, 0);
    assert_string_equal(text_at(schedule_state(d, "a"), "status"), "active");
}

static void a_long_command_shows_its_progress(void **state)
{
    struct server *d = server_start(*state, &(struct server_start){.args = WORDS("--exec")});
    struct command_result result;

    make_schedule(
        d, "a", "'spec':{'cron':['0 3 * * *']},'action':{'type':'exec','argv':['/bin/true']}");
    result = on_screen(d, 120, NULL,
                       WORDS("schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z",
                             "--to", "2026-01-06T00:00:00Z", "--overlap", "allowAll", "--yes",
                             "--wait"));
    assert_int_equal(result.status, 0);
    assert_has(result.out, "Backfill");
    assert_has(result.out, "5 succeeded, 0 failed, 0 cancelled");
    assert_lacks(BELFRY(d, "schedule", "backfill", "a", "--from", "2026-02-01T00:00:00Z",
                        "--to", "2026-02-06T00:00:00Z", "--overlap", "allowAll", "--yes",
                        "--wait")
                     .err,
                 "Backfill");
}

/* ---- help of every command ---- */

/* The first words of the indented lines. */
static int names_in(const char *text, char names[][64], int max)
{
    int count = 0;

    for (const char *p = text; (p = strstr(p, "\n  ")) != NULL && count < max;) {
        p += strlen("\n  ");
        snprintf(names[count++], 64, "%.*s", (int)strcspn(p, " "), p);
    }
    return count;
}

/* man/meson.build must list a manual page for the command. */
static void has_page(const char *word)
{
    static char list[8192];
    char item[80];
    FILE *file = fopen("man/meson.build", "r");

    assert_non_null(file);
    list[fread(list, 1, sizeof list - 1, file)] = '\0';
    fclose(file);
    snprintf(item, sizeof item, "\n  '%.60s',\n", word);
    if (!strstr(list, item))
        fail_msg("add a line `  '%s',` to the list of man/meson.build", word);
}

static void every_command_has_help_with_examples(void **state)
{
    struct world *world = *state;
    char names[64][64];
    struct command_result result;
    int count;

    result = command_run(world, &(struct command){.words = WORDS("help")});
    assert_int_equal(result.status, 0);
    assert_string_equal(result.out,
                        command_run(world, &(struct command){.words = WORDS(NULL)}).out);
    count = names_in(result.out, names, 64);
    assert_true(count >= 17);
    for (int i = 0; i < count; i++) {
        char verbs[32][64];
        int verb_count;

        if (strcmp(names[i], "help") == 0)
            continue;
        result = command_run(world, &(struct command){.words = WORDS("help", names[i])});
        assert_int_equal(result.status, 0);
        verb_count = strstr(result.out, "\nExamples:\n") ? 0 : names_in(result.out, verbs, 32);
        if (verb_count == 0)
            assert_has(result.out, "\nExamples:\n  ");
        for (int k = 0; k < verb_count; k++) {
            struct command_result one = command_run(
                world, &(struct command){.words = WORDS(names[i], verbs[k], "--help")});

            assert_int_equal(one.status, 0);
            assert_has(one.out, "\nExamples:\n  belfry ");
            assert_lacks(one.out, "\n\n\n");
        }
        has_page(names[i]);
        result = command_run(world,
                             &(struct command){.words = WORDS("help", "--roff", names[i])});
        assert_int_equal(result.status, 0);
        assert_has(result.out, ".SH EXAMPLES\n");
        assert_has(result.out, ".SH SYNOPSIS\n");
    }
}

/* The completions that bash offers for a line, one per line. */
static const char *offered(struct world *world, const char *words, int at)
{
    static char out[8192];
    char script[1024];
    FILE *bash;
    size_t n;

    snprintf(script, sizeof script,
             "bash --norc -c 'source <(%s completion bash); COMP_WORDS=(%s); COMP_CWORD=%d; "
             "_belfry; printf \"%%s\\n\" \"${COMPREPLY[@]}\"'",
             world->program, words, at);
    bash = popen(script, "r");
    assert_non_null(bash);
    n = fread(out, 1, sizeof out - 1, bash);
    out[n] = '\0';
    assert_int_equal(pclose(bash), 0);
    return out;
}

static void bash_completes_commands_and_options(void **state)
{
    struct world *world = *state;

    assert_string_equal(offered(world, "belfry sche", 1), "schedule\n");
    assert_string_equal(offered(world, "belfry schedule re", 2),
                        "resume\nrelease\nreset-failures\n");
    assert_string_equal(offered(world, "belfry schedule create --ov", 3), "--overlap\n");
    assert_string_equal(offered(world, "belfry run list -o j", 4), "json\n");
    assert_string_equal(offered(world, "belfry help run ter", 3), "terminate\n");
    /* The values that the help of each option lists. */
    assert_string_equal(offered(world, "belfry run list --state r", 4), "ready\nrunning\n");
    assert_string_equal(offered(world, "belfry run list --outcome t", 4),
                        "timedOut\nterminated\n");
    assert_string_equal(offered(world, "belfry schedule create --catchup l", 4), "latest\n");
    assert_string_equal(offered(world, "belfry schedule list --sort -u", 4), "-updatedAt\n");
    assert_string_equal(offered(world, "belfry export --format y", 3), "yaml\n");
    assert_string_equal(offered(world, "belfry serve --log-level w", 3), "warn\n");
    assert_string_equal(offered(world, "belfry worker -Q q -- prog --ser", 6), "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_table_fits_the_screen),
        E2E_TEST(notes_are_printed_after_the_table),
        E2E_TEST(colours_are_printed_only_on_a_terminal),
        E2E_TEST(control_characters_are_escaped),
        E2E_TEST(a_closed_output_is_an_error),
        E2E_TEST(a_question_needs_a_yes),
        E2E_TEST(a_long_command_shows_its_progress),
        E2E_TEST(every_command_has_help_with_examples),
        E2E_TEST(bash_completes_commands_and_options),
    };

    return cmocka_run_group_tests_name("cli_screen", tests, NULL, NULL);
}
