/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry import crontab`: converts a crontab into schedules; prints, writes or applies them.
 */
#include "cli/import/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/apply/apply.h"
#include "cli/frame/commands.h"
#include "cli/frame/progress.h"
#include "cli/frame/report.h"
#include "cli/frame/when.h"
#include "cli/import/import_format.h"
#include "cli/import/import_name.h"
#include "cli/remote/request_commands.h"
#include "core/describe/describe.h"
#include "io/clock.h"
#include "wire/yaml/yaml.h"

enum {
    TEXT_FIRST = 1 << 20,
    TEXT_MAX =
        512 << 20,     /* bytes of the written file: settings are repeated in each schedule */
    USERS_SHOWN = 400, /* bytes of the list of users */
};

#define ARENA_MAX ((size_t)256 << 20)

struct import {
    const char *name; /* of the crontab */
    struct arena *arena;
    struct import_options options;
    struct imported *list; /* by line of the crontab */
    int lines;             /* of the list; those without a document were not imported */
    int count, errors, skipped;
    char *text; /* of the file; NULL: not needed */
    enum output output;
    json_t *json_lines; /* OUTPUT_JSON: an object for each line */
    struct printer out;
    struct progress progress; /* shown if the lines are not printed to the terminal */
};

static void report_line(void *arg, int line, const char *text)
{
    struct import *import = arg;

    import->errors++;
    progress_close(&import->progress);
    report_note("%s:%d: %s", import->name, line, text);
}

/* ---- ids ---- */

static void make_id(const char *prefix, const struct crontab_line *line, bool is_long,
                    struct buf *out)
{
    char room[IMPORT_ID_MAX];
    struct buf name = BUF(room);

    import_name(line->command, is_long, &name);
    buf_printf(out, "%s%s%s", prefix, prefix[0] != '\0' ? "-" : "", room);
    must(!out->cut);
}

/* Lines with the same program have ids with their arguments. */
static void set_ids(struct import *import, const struct crontab *table, const char *prefix)
{
    struct import_ids wanted = import_ids_new(table->count, import->arena);
    struct import_ids taken = import_ids_new(table->count, import->arena);

    for (int i = 0; i < table->count; i++) {
        struct buf id = BUF(import->list[i].id);

        make_id(prefix, &table->lines[i], false, &id);
        import_ids_want(&wanted, id.ptr);
    }
    for (int i = 0; i < table->count; i++) {
        bool is_long = import_ids_count(&wanted, import->list[i].id) > 1;
        struct buf id = BUF(import->list[i].id);

        make_id(prefix, &table->lines[i], is_long, &id);
        import_ids_take(&taken, &id);
    }
}

/* ---- printing ---- */

static void print_times(struct import *import, const struct imported *in)
{
    char text[INSTANT_TEXT_MAX];

    for (int i = 0; i < in->next_count; i++) {
        struct buf time = BUF(text);
        int64_t s = instant_seconds(in->next[i].at);

        instant_format_local(in->next[i].at, tz_offset(in->spec.zones[0].tz, s), &time);
        printer_printf(&import->out, "    %s\n", text);
    }
    if (in->next_count == 0)
        printer_text(&import->out, "    never\n");
    if (in->proved == IMPORT_PROVED)
        printer_printf(&import->out, "  verified: the next %d times match cron\n", in->proved);
    else
        printer_printf(&import->out,
                       "  verified: the times of the next %d years (%d) match cron\n",
                       IMPORT_YEARS, in->proved);
}

#define NOTE_MAIL  "output is stored as the run's log and not mailed to "
#define NOTE_INPUT "the text after % is the command's input"
#define NOTE_USER  "the user does not exist on this machine"

static bool has_unknown_user(const struct imported *in)
{
    return in->line->user.len > 0 && !import_known_here.is_user(in->line->user);
}

static void print_notes(struct import *import, const struct imported *in)
{
    struct str mail = crontab_setting(in->line, STR("MAILTO"));

    if (mail.len > 0) {
        printer_text(&import->out, "  note: " NOTE_MAIL);
        printer_safe(&import->out, mail);
        printer_text(&import->out, "\n");
    }
    if (in->line->has_input)
        printer_text(&import->out, "  note: " NOTE_INPUT "\n");
    if (has_unknown_user(in))
        printer_text(&import->out, "  note: " NOTE_USER "\n");
}

static json_t *notes_json(const struct imported *in, struct arena *arena)
{
    struct str set = crontab_setting(in->line, STR("MAILTO"));
    struct str mail = str_is_utf8(set) ? set : STR("?");
    struct buf text = arena_buf(arena, sizeof NOTE_MAIL + mail.len);
    json_t *notes = json_new_list();

    buf_text(&text, NOTE_MAIL);
    buf_str(&text, mail);
    if (mail.len > 0)
        json_add(notes, json_new_str(buf_as_str(&text)));
    if (in->line->has_input)
        json_add(notes, json_new_str(STR(NOTE_INPUT)));
    if (has_unknown_user(in))
        json_add(notes, json_new_str(STR(NOTE_USER)));
    return notes;
}

/* For -o json: what print_details() prints, and the document. */
static json_t *line_json(struct import *import, const struct imported *in)
{
    static char text[DESCRIBE_SPEC_MAX];
    struct buf words = BUF(text);
    json_t *one = json_new_object(), *next = json_new_list();

    describe_spec(&in->spec, &words);
    for (int i = 0; i < in->next_count; i++) {
        char room[INSTANT_TEXT_MAX];
        struct buf time = BUF(room);

        instant_format_ms(in->next[i].at, &time);
        json_add(next, json_new_str(buf_as_str(&time)));
    }
    json_put(one, "line", json_new_int(in->line->line));
    json_put(one, "when", json_new_str(in->line->when));
    json_put(one, "command", json_new_str(in->line->command));
    json_put(one, "id", json_new_str(str_of(in->id)));
    json_put(one, "description", json_new_str(buf_as_str(&words)));
    json_put(one, "next", next);
    json_put(one, "proved", json_new_int(in->proved));
    json_put(one, "notes", notes_json(in, import->arena));
    json_put(one, "document", json_incref(in->document));
    return one;
}

static void print_details(struct import *import, const struct imported *in)
{
    static char text[DESCRIBE_SPEC_MAX];
    struct buf words = BUF(text);

    describe_spec(&in->spec, &words);
    printer_safe(&import->out, str_of(import->name));
    printer_printf(&import->out, ":%d: ", in->line->line);
    printer_safe(&import->out, in->line->when);
    printer_text(&import->out, "  ");
    printer_safe(&import->out, in->line->command);
    printer_printf(&import->out, "\n  %s: ", in->id);
    printer_safe(&import->out, buf_as_str(&words));
    if (in->line->user.len > 0) {
        printer_text(&import->out, ", as ");
        printer_safe(&import->out, in->line->user);
    }
    printer_text(&import->out, "\n");
    print_times(import, in);
    print_notes(import, in);
}

static void print_line(struct import *import, const struct imported *in)
{
    if (import->output == OUTPUT_JSON)
        json_add(import->json_lines, line_json(import, in));
    else if (import->output == OUTPUT_NAME)
        printer_printf(&import->out, "%s\n", in->id);
    else
        print_details(import, in);
    printer_flush(&import->out); /* verifying the next line takes time */
}

/* ---- reading ---- */

#define SKIPPED "@reboot is skipped: it has no time; use a system service"

static void skip_line(struct import *import, const struct crontab_line *line)
{
    import->skipped++;
    progress_close(&import->progress);
    report_note("%s:%d: " SKIPPED, import->name, line->line);
    if (import->output == OUTPUT_JSON)
        json_add(import->json_lines,
                 json_pack("{s:i,s:s%,s:s%,s:s}", "line", line->line, "when", line->when.ptr,
                           line->when.len, "command", line->command.ptr, line->command.len,
                           "note", SKIPPED));
}

static void import_lines(struct import *import, const struct crontab *table)
{
    for (int i = 0; i < table->count; i++) {
        struct imported *in = &import->list[i];
        struct err err;

        progress_show(&import->progress, i, table->count);
        in->line = &table->lines[i];
        if (import_is_reboot(in->line)) {
            skip_line(import, in->line);
        } else if (import_line(&import->options, import->arena, in, &err) != RC_OK) {
            report_line(import, in->line->line, err.text);
        } else {
            print_line(import, in);
            import->count++;
        }
    }
}

/* Warns about commands of users that only a server with enough rights can run. */
static void report_users(struct import *import, const struct crontab *table)
{
    struct import_ids users = import_ids_new(table->count, import->arena);
    char room[USERS_SHOWN + 100] = "";
    struct buf list = BUF(room);
    int rest = 0;

    for (int i = 0; i < table->count; i++) {
        const char *user = arena_str(import->arena, table->lines[i].user).ptr;

        if (user[0] == '\0' || import_ids_want(&users, user) > 1)
            continue;
        if (list.len + strlen(user) + 2 > USERS_SHOWN)
            rest++;
        else
            buf_printf(&list, "%s%s", list.len > 0 ? ", " : "", user);
    }
    if (rest > 0)
        buf_printf(&list, " and %d more", rest);
    if (list.len > 0)
        report_note("only a server that runs as root can run commands as other users: %s",
                    list.ptr);
}

static int parse_table(struct import *import, struct str text, const struct args *args,
                       struct crontab *table)
{
    const char *system = args->value[CRONTAB_OPT_SYSTEM];
    const struct crontab_options how = {.is_system = system && strcmp(system, "true") == 0,
                                        .on_error = report_line,
                                        .arg = import};
    enum rc rc;
    struct err err;
    int line = 0;

    rc = crontab_read(text, &how, import->arena, table, &err);
    if (rc == RC_OK && (!system || how.is_system))
        rc = import_check_format(import->name, text, table, &import_known_here, &line, &err);
    if (rc == RC_OK)
        return STATUS_OK;
    if (line > 0)
        report_note("%s:%d: %s", import->name, line, err.text);
    else
        report_note("%s: %s", import->name, err.text);
    return STATUS_USAGE;
}

static int read_table(struct import *import, const struct args *args)
{
    const char *prefix = args->value[CRONTAB_OPT_PREFIX] ? args->value[CRONTAB_OPT_PREFIX]
                                                         : "cron";
    struct crontab table;
    struct str text;
    char *bytes = read_whole(import->name, &text.len);

    if (!bytes)
        return STATUS_FAILED;
    text = arena_str(import->arena, (struct str){bytes, text.len});
    free(bytes);
    if (parse_table(import, text, args, &table) != STATUS_OK)
        return STATUS_USAGE;
    import->list = arena_array(import->arena, (size_t)table.count, sizeof *import->list);
    import->lines = table.count;
    set_ids(import, &table, prefix);
    import_lines(import, &table);
    if (import->errors > 0) {
        report_note("%d of %d lines cannot be imported; nothing was imported", import->errors,
                    import->errors + import->count + import->skipped);
        return STATUS_USAGE;
    }
    if (import->options.queue.len == 0)
        report_users(import, &table);
    return STATUS_OK;
}

/* ---- output ---- */

static bool print_documents(const struct import *import, struct buf *out)
{
    for (int i = 0; i < import->lines && !out->cut; i++)
        if (import->list[i].document) {
            buf_text(out, "---\n");
            yaml_print(import->list[i].document, out);
        }
    return !out->cut;
}

/* Sets import->text; it is freed with the import. */
static int make_text(struct import *import, struct str *ret)
{
    struct buf out = {.ptr = NULL};

    for (size_t room = TEXT_FIRST; room <= TEXT_MAX; room *= 2) {
        import->text = realloc(import->text, room);
        must(import->text);
        out = (struct buf){.ptr = import->text, .cap = room};
        if (print_documents(import, &out)) {
            *ret = buf_as_str(&out);
            return STATUS_OK;
        }
    }
    report_note("the schedules together exceed %d bytes; split the crontab", TEXT_MAX);
    return STATUS_FAILED;
}

static int write_file(const char *path, struct str text)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wxe");
    bool is_written;

    if (!file) {
        report_note("cannot write %s: %s", path, strerror(errno));
        return STATUS_FAILED;
    }
    is_written = fwrite(text.ptr, 1, text.len, file) == text.len && fflush(file) == 0;
    if (file != stdout && fclose(file) != 0)
        is_written = false;
    if (!is_written)
        report_note("cannot write %s: %s", path, strerror(errno));
    return is_written ? STATUS_OK : STATUS_FAILED;
}

static int apply_text(const struct args *args, struct str text, enum output output)
{
    struct manifest manifest;
    struct apply apply = {.manifest = &manifest};
    int status = manifest_parse("crontab", text, &manifest);

    if (status == STATUS_OK)
        status = remote_open(args, &apply.remote);
    if (status == STATUS_OK)
        status = apply_compare(&apply);
    if (status == STATUS_OK && output == OUTPUT_TABLE)
        status = apply_show(&apply);
    if (status == STATUS_OK) {
        status = apply_do(&apply);
        if (status == STATUS_OK && output == OUTPUT_TABLE)
            status = apply_print_summary(&apply);
        else if (status == STATUS_FAILED && output == OUTPUT_TABLE)
            (void)apply_print_summary(&apply);
    }
    apply_free(&apply);
    return status;
}

static void print_summary(struct import *import)
{
    struct str queue = import->options.queue;

    printer_printf(&import->out, "%d %s", import->count,
                   import->count == 1 ? "schedule" : "schedules");
    if (import->skipped > 0)
        printer_printf(&import->out, ", %d skipped", import->skipped);
    printer_text(&import->out, "\n");
    if (import->count == 0)
        return;
    if (queue.len == 0) {
        printer_text(&import->out,
                     "the commands run on the server, which must be started with --exec\n");
    } else {
        printer_text(&import->out, "the commands run where workers poll the queue ");
        printer_safe(&import->out, queue);
        printer_text(&import->out, "\n");
    }
}

static int finish(struct import *import, const struct args *args)
{
    bool needs_text = args->value[CRONTAB_OPT_TO] || args->value[CRONTAB_OPT_APPLY];
    struct str text = {NULL, 0};
    int status = needs_text ? make_text(import, &text) : STATUS_OK;

    if (import->output == OUTPUT_JSON)
        print_json(&import->out, import->json_lines);
    if (import->output == OUTPUT_TABLE)
        print_summary(import);
    if (printer_close(&import->out) != STATUS_OK)
        return STATUS_FAILED;
    if (status == STATUS_OK && args->value[CRONTAB_OPT_TO])
        status = write_file(args->value[CRONTAB_OPT_TO], text);
    if (status == STATUS_OK && args->value[CRONTAB_OPT_APPLY])
        status = apply_text(args, text, import->output);
    return status;
}

/* ---- the command ---- */

/* The zone that cron uses; "" when it has no known name. */
static struct str local_zone(const struct args *args, struct arena *arena)
{
    struct when when;
    struct str name = STR("UTC");

    if (args->value[CRONTAB_OPT_TZ])
        return str_of(args->value[CRONTAB_OPT_TZ]);
    when_open(&when, false, clock_now());
    if (!when.is_known)
        name = STR("");
    if (when.tz)
        name = arena_str(arena, str_of(when.tz->name));
    when_close(&when);
    return name;
}

static enum rc read_options(const struct args *args, struct import_options *ret,
                            struct err *reterr)
{
    const char *as = args->value[CRONTAB_OPT_AS] ? args->value[CRONTAB_OPT_AS] : "exec";
    const char *queue = args->value[CRONTAB_OPT_QUEUE],
               *system = args->value[CRONTAB_OPT_SYSTEM];
    const char *prefix = args->value[CRONTAB_OPT_PREFIX] ? args->value[CRONTAB_OPT_PREFIX] : "";

    if (strcmp(as, "exec") != 0 && strcmp(as, "queue") != 0)
        return err_set(reterr, RC_INVALID, -1, 0, "--as must be exec or queue, not \"%.100s\"",
                       as);
    if (queue && strcmp(as, "queue") != 0)
        return err_set(reterr, RC_INVALID, -1, 0, "--queue must be used with --as queue");
    if (system && strcmp(system, "true") != 0 && strcmp(system, "false") != 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "--system must be true or false, not \"%.100s\"", system);
    if (strlen(prefix) > IMPORT_PREFIX_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "--prefix has %zu bytes; the limit is %d",
                       strlen(prefix), IMPORT_PREFIX_MAX);
    if (strcmp(as, "queue") == 0)
        ret->queue = queue ? str_of(queue) : STR("cron");
    return RC_OK;
}

static int run(struct import *import, const struct args *args)
{
    /* With --to - the descriptions go to standard error. */
    int fd = args->value[CRONTAB_OPT_TO] && strcmp(args->value[CRONTAB_OPT_TO], "-") == 0
                 ? STDERR_FILENO
                 : STDOUT_FILENO;
    struct err err;
    int status;

    if (import->options.zone.len == 0) {
        report_note("cannot determine the local time zone; use --tz, such as "
                    "--tz Europe/Berlin");
        return STATUS_USAGE;
    }
    import->options.zones = zoneinfo_open(args->value[CRONTAB_OPT_ZONEINFO], &err);
    if (!import->options.zones ||
        !zoneinfo_find(import->options.zones, import->options.zone, &err)) {
        report_note("%s", err.text);
        return STATUS_USAGE;
    }
    if (output_read(args->value[REMOTE_OUTPUT], &import->output, &err) != RC_OK ||
        read_options(args, &import->options, &err) != RC_OK)
        return report_usage(&err, args->command->name);
    import->json_lines = json_new_list();
    printer_open(&import->out, fd);
    progress_open(&import->progress, "Lines");
    if (isatty(fd) && import->output != OUTPUT_JSON)
        import->progress.is_terminal = false; /* the lines are printed there */
    status = read_table(import, args);
    progress_close(&import->progress);
    if (status == STATUS_OK)
        return finish(import, args);
    (void)printer_close(&import->out);
    return status;
}

int import_crontab_run(const struct args *args)
{
    static struct import import;
    int status;

    import = (struct import){.name = args->operand[0], .arena = arena_new(ARENA_MAX)};
    import.options.now = clock_now();
    import.options.zone = local_zone(args, import.arena);
    status = run(&import, args);
    for (int i = 0; i < import.lines; i++)
        json_decref(import.list[i].document);
    free(import.text);
    json_decref(import.json_lines);
    zoneinfo_close(import.options.zones);
    arena_free(import.arena);
    return status;
}
