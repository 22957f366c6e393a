/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry schedule edit`, `resume` and `backfill`: show the effect first, then change.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/confirm.h"
#include "cli/frame/progress.h"
#include "cli/frame/report.h"
#include "cli/remote/schedule_commands.h"
#include "cli/remote/schedule_view.h"
#include "io/clock.h"

enum { NAME_TEXT_MAX = 256, WAIT_MS = 250, NO_MATCH = 412 };

static const struct request_command schedule_desc = {.view = &schedule_view};

static int get_schedule(struct remote *remote, const char *id, struct remote_answer *ret)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.path = path};

    path_object(&out, "schedules", id, NULL);
    return remote_call(remote, &request, ret);
}

/* ---- edit ---- */

/* Runs $VISUAL, $EDITOR or vi on the file. */
static int run_editor(const char *path)
{
    const char *editor = getenv("VISUAL");
    int status = 0;
    pid_t pid;

    if (!editor || editor[0] == '\0')
        editor = getenv("EDITOR");
    if (!editor || editor[0] == '\0')
        editor = "vi";
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        /* EDITOR may contain arguments, which the shell splits. */
        execl("/bin/sh", "sh", "-c", "exec $0 \"$1\"", editor, path, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return STATUS_OK;
    report_note("editor \"%s\" failed; nothing was changed", editor);
    return STATUS_FAILED;
}

/* Writes the schedule without the state that the server adds. */
static bool write_document(int fd, const json_t *schedule)
{
    json_auto_t *document = json_deep_copy(schedule);
    FILE *file = fdopen(fd, "w");
    bool ok;

    must(document && file);
    json_object_del(document, "state");
    ok = json_dumpf(document, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF;
    return fclose(file) == 0 && ok;
}

static json_t *read_document(const char *path)
{
    size_t len;
    char *text = read_whole(path, &len);
    json_t *document = NULL;
    struct err err;

    if (text && json_read((struct str){text, len}, &document, &err) != RC_OK) {
        report_err(&err, (struct str){text, len});
        document = NULL;
    }
    free(text);
    return document;
}

/* Sends the edited text; the caller keeps the file if this fails. */
static int send_edit(struct remote *remote, const char *id, const char *path, const char *etag,
                     const json_t *before)
{
    char url[REMOTE_PATH_MAX];
    struct buf out = BUF(url);
    json_auto_t *document = read_document(path), *same = json_deep_copy(before);
    struct remote_request request = {.method = "PUT", .path = url, .if_match = etag};
    struct remote_answer answer;
    int status;

    if (!document)
        return STATUS_FAILED;
    json_object_del(same, "state");
    if (json_equal(document, same)) {
        report_note("nothing was changed");
        return STATUS_OK;
    }
    path_object(&out, "schedules", id, NULL);
    request.body = document;
    status = remote_fetch(remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    status = remote_check(remote, &request, &answer);
    if (status == STATUS_OK)
        status = request_command_print(remote, &schedule_desc, &answer, id);
    else if (answer.status == NO_MATCH)
        report_note("%s was changed by another client in the meantime", id);
    answer_free(&answer);
    return status;
}

static int edit(struct remote *remote, const char *id, const struct remote_answer *now)
{
    const char *dir = getenv("TMPDIR");
    char path[NAME_TEXT_MAX];
    int fd, status;

    snprintf(path, sizeof path, "%.200s/belfry-XXXXXX.json", dir && dir[0] ? dir : "/tmp");
    fd = mkstemps(path, (int)strlen(".json"));
    if (fd < 0) {
        report_note("cannot write %s: %s", path, strerror(errno));
        return STATUS_FAILED;
    }
    if (!write_document(fd, now->json)) {
        report_note("cannot write %s: %s", path, strerror(errno));
        unlink(path);
        return STATUS_FAILED;
    }
    status = run_editor(path);
    if (status == STATUS_OK) {
        status = send_edit(remote, id, path, now->etag, now->json);
        if (status != STATUS_OK) {
            report_note("your text is saved in %s", path);
            return status;
        }
    }
    unlink(path);
    return status;
}

int edit_call(struct remote *remote, const struct args *args)
{
    struct remote_answer answer;
    int status = get_schedule(remote, args->operand[0], &answer);

    if (status != STATUS_OK)
        return status;
    if (answer.etag[0] == '\0' || !json_is_object(answer.json)) {
        report_note("response from %s has no ETag; is it a Belfry server?",
                    remote_server(remote));
        status = STATUS_PROTOCOL;
    } else {
        status = edit(remote, args->operand[0], &answer);
    }
    answer_free(&answer);
    return status;
}

/* ---- resume ---- */

/* POST to /schedules/ID/VERB. */
static int post_verb(struct remote *remote, const char *id, const char *verb, json_t *body,
                     struct remote_answer *ret)
{
    char path[REMOTE_PATH_MAX], tail[32];
    struct buf out = BUF(path);
    struct remote_request request = {.method = "POST", .path = path, .body = body};

    snprintf(tail, sizeof tail, "/%s", verb);
    path_object(&out, "schedules", id, tail);
    return remote_call(remote, &request, ret);
}

static void print_text(const json_t *answer, const char *name, const struct when *when,
                       struct printer *out)
{
    (void)when;
    printer_safe(out, str_of(name));
    printer_text(out, ": ");
    printer_safe(out, str_of(member_text(answer, "text")));
    printer_text(out, "\n");
}

static int resume_one(struct remote *remote, const struct args *args, const char *id)
{
    static const struct request_command resumed = {.done = "resumed",
                                                   .print_done = print_schedule},
                                        preview = {.print = print_text};
    json_auto_t *dry_run = json_new_object(), *body = json_new_object();
    struct remote_answer answer;
    bool is_dry = args->value[RESUME_DRY_RUN] != NULL;
    int status;

    json_put(dry_run, "dryRun", json_true());
    status = post_verb(remote, id, "resume", dry_run, &answer);
    if (status != STATUS_OK)
        return status;
    if (is_dry)
        status = request_command_print(remote, &preview, &answer, id);
    else if (!args->value[RESUME_YES])
        report_note("%s: %s", id, member_text(answer.json, "text"));
    if (!is_dry && !args->value[RESUME_YES] && isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
        status = confirm("Resume %s?", id);
    answer_free(&answer);
    if (is_dry || status != STATUS_OK)
        return status;
    status = post_verb(remote, id, "resume", body, &answer);
    if (status != STATUS_OK)
        return status;
    status = request_command_print(remote, &resumed, &answer, id);
    answer_free(&answer);
    return status;
}

int resume_call(struct remote *remote, const struct args *args)
{
    int status = STATUS_OK, worst = STATUS_OK;

    for (int i = 0; i < args->operands && status != STATUS_UNREACHABLE; i++) {
        status = resume_one(remote, args, args->operand[i]);
        worst = status != STATUS_OK ? status : worst;
    }
    return worst;
}

/* ---- backfill ---- */

static void print_backfill(const json_t *answer, const char *name, const struct when *when,
                           struct printer *out)
{
    static const struct field columns[] = {
        {"FIRST", "first", SHAPE_TIME, false, NULL},
        {"LAST", "last", SHAPE_TIME, false, NULL},
        {"RUNS", "count", SHAPE_NUMBER, false, NULL},
    };
    static const struct view view = {"ranges", "", FIELDS(columns), NULL, 0};

    printer_safe(out, str_of(name));
    printer_printf(out, ": %" PRId64 " run%s\n",
                   (int64_t)json_integer_value(json_object_get(answer, "count")),
                   json_integer_value(json_object_get(answer, "count")) == 1 ? "" : "s");
    view_rows(&view, json_object_get(answer, "ranges"), when, out);
}

/* The schedule's runs that have not ended. */
static int64_t open_runs(const json_t *schedule)
{
    return json_integer_value(member_at(schedule, "state.open")) +
           json_integer_value(member_at(schedule, "state.waiting"));
}

/* The slots that the schedule has accounted for, with any outcome. */
static int64_t accounted_slots(const json_t *schedule)
{
    static const char *const names[] = {"started", "skipped", "missed", "dropped", "cancelled"};
    const json_t *counters = member_at(schedule, "state.counters");
    int64_t sum = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        sum += json_integer_value(json_object_get(counters, names[i]));
    return sum;
}

/* Waits until `count` more slots than `before` are accounted for and no run is open. */
static int wait_for_backfill(struct remote *remote, const char *id, int64_t before,
                             int64_t count)
{
    struct progress progress;
    int64_t done = 0, left = 1;
    int status = STATUS_OK;

    progress_open(&progress, "Backfill");
    while (status == STATUS_OK && (done < count || left > 0)) {
        struct remote_answer answer;

        status = get_schedule(remote, id, &answer);
        if (status != STATUS_OK)
            break;
        left = open_runs(answer.json);
        done = accounted_slots(answer.json) - before;
        answer_free(&answer);
        progress_show(&progress, done > left ? done - left : 0, count);
        if (done < count || left > 0)
            poll(NULL, 0, WAIT_MS);
    }
    progress_close(&progress);
    return status;
}

static int backfill(struct remote *remote, const struct args *args, json_t *body,
                    const struct request_command *desc)
{
    const char *id = args->operand[0];
    struct remote_answer answer;
    int64_t before, count;
    int status = get_schedule(remote, id, &answer);

    if (status != STATUS_OK)
        return status;
    before = accounted_slots(answer.json);
    answer_free(&answer);
    json_object_del(body, "dryRun");
    status = post_verb(remote, id, "backfill", body, &answer);
    if (status != STATUS_OK)
        return status;
    count = json_integer_value(json_object_get(answer.json, "count"));
    if (args->value[BACKFILL_WAIT])
        status = wait_for_backfill(remote, id, before, count);
    if (status == STATUS_OK)
        status = request_command_print(remote, desc, &answer, id);
    answer_free(&answer);
    return status;
}

static int check_and_backfill(struct remote *remote, const struct args *args, json_t *body)
{
    static const struct request_command desc = {.print = print_backfill};
    const char *id = args->operand[0];
    struct remote_answer answer;
    int64_t count;
    int status;

    json_put(body, "dryRun", json_true());
    status = post_verb(remote, id, "backfill", body, &answer);
    if (status != STATUS_OK)
        return status;
    count = json_integer_value(json_object_get(answer.json, "count"));
    if (args->value[BACKFILL_DRY_RUN])
        status = request_command_print(remote, &desc, &answer, id);
    else if (count == 0)
        report_note("%s has no slots in that range", id);
    else if (!args->value[BACKFILL_YES])
        status = confirm("Start %" PRId64 " run%s of %s?", count, count == 1 ? "" : "s", id);
    answer_free(&answer);
    if (status != STATUS_OK || count == 0 || args->value[BACKFILL_DRY_RUN])
        return status;
    return backfill(remote, args, body, &desc);
}

int backfill_call(struct remote *remote, const struct args *args)
{
    json_auto_t *body = body_from_options(args);

    if (!body)
        return STATUS_USAGE;
    if (!args->value[BACKFILL_TO]) {
        char now[INSTANT_TEXT_MAX];
        struct buf out = BUF(now);

        instant_format_ms(clock_now(), &out);
        json_put(body, "to", json_new_str(buf_as_str(&out)));
    }
    return check_and_backfill(remote, args, body);
}
