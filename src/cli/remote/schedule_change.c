/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry schedule edit` and `resume`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/confirm.h"
#include "cli/frame/report.h"
#include "cli/remote/schedule_commands.h"
#include "cli/remote/schedule_view.h"

enum { NAME_TEXT_MAX = 256, HTTP_PRECONDITION_FAILED = 412 };

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
    else if (answer.status == HTTP_PRECONDITION_FAILED)
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
    struct remote_request request = {.method = "POST",
                                     .path = path,
                                     .body = body,
                                     .only_reads = json_is_true(member_at(body, "dryRun"))};

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

/* Prints what happens to the slots of the pause, and asks; STATUS_OK: go on. */
static int preview_resume(struct remote *remote, const struct args *args, const char *id)
{
    static const struct request_command preview = {.print = print_text};
    json_auto_t *dry_run = json_new_object();
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
    return status;
}

static int resume_one(struct remote *remote, const struct args *args, const char *id)
{
    static const struct request_command resumed = {.done = "resumed",
                                                   .print_done = print_schedule_done};
    json_auto_t *body = json_new_object();
    struct remote_answer answer;
    int status = STATUS_OK;

    if (!body_add_options(args, body))
        return STATUS_USAGE;
    if (!args->value[RESUME_FROM] || args->value[RESUME_DRY_RUN])
        status = preview_resume(remote, args, id);
    if (status != STATUS_OK || args->value[RESUME_DRY_RUN])
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
    int status = STATUS_OK, last_failure = STATUS_OK;
    struct err err;

    if (args->value[RESUME_FROM] && args->value[RESUME_DRY_RUN]) {
        err_set(&err, RC_INVALID, -1, 0,
                "--from cannot be combined with --dry-run; use belfry schedule backfill "
                "--only missed --dry-run");
        return report_usage(&err, args->command->name);
    }
    for (int i = 0; i < args->operands && status != STATUS_UNREACHABLE; i++) {
        status = resume_one(remote, args, args->operand[i]);
        last_failure = status != STATUS_OK ? status : last_failure;
    }
    return last_failure;
}
