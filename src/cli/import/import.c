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
#include "cli/remote/request_commands.h"
#include "core/describe/describe.h"
#include "io/clock.h"
#include "wire/yaml/yaml.h"

enum {
    OPT_SYSTEM = REMOTE_OPTIONS,
    OPT_TZ,
    OPT_PREFIX,
    OPT_TO,
    OPT_APPLY,
    OPT_ZONEINFO,
    OPT_COUNT,
    TEXT_MAX = 16 << 20, /* bytes of the written file: 16 times the largest crontab */
};

#define ARENA_MAX ((size_t)256 << 20)

struct import {
    const char *name; /* of the crontab */
    struct arena *arena;
    struct import_options options;
    struct imported *list;
    int count, errors;
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

static bool is_taken(const struct import *import, const char *id)
{
    for (int i = 0; i < import->count; i++)
        if (strcmp(import->list[i].id, id) == 0)
            return true;
    return false;
}

static void set_id(const struct import *import, const char *prefix, struct imported *in)
{
    struct buf out = BUF(in->id);
    size_t len;

    buf_printf(&out, "%.80s-", prefix);
    import_name(in->line->command, &out);
    len = out.len;
    for (int i = 2; is_taken(import, in->id); i++) {
        out.len = len;
        buf_printf(&out, "-%d", i);
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
    printer_printf(&import->out,
                   in->proved == IMPORT_PROVED
                       ? "  verified: the next %d times match cron\n"
                       : "  verified: all %d remaining times match cron\n",
                   in->proved);
}

#define NOTE_MAIL  "output is stored as the run's log and not mailed to "
#define NOTE_INPUT "the text after % is the command's input"

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
    return notes;
}

/* The same facts as print_words(), and the document. */
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

static void print_words(struct import *import, const struct imported *in)
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
        print_words(import, in);
    printer_flush(&import->out); /* verifying the next line takes time */
}

/* ---- reading ---- */

static void import_lines(struct import *import, const struct crontab *table, const char *prefix)
{
    import->list = arena_array(import->arena, (size_t)table->count, sizeof *import->list);
    for (int i = 0; i < table->count; i++) {
        struct imported *in = &import->list[import->count];
        struct err err;

        progress_show(&import->progress, i, table->count);
        *in = (struct imported){.line = &table->lines[i]};
        set_id(import, prefix, in);
        if (import_line(&import->options, import->arena, in, &err) != RC_OK) {
            report_line(import, in->line->line, err.text);
            continue;
        }
        print_line(import, in);
        import->count++;
    }
}

static int read_table(struct import *import, const struct args *args)
{
    const char *prefix = args->value[OPT_PREFIX] ? args->value[OPT_PREFIX] : "cron";
    const struct crontab_options how = {
        .is_system = args->value[OPT_SYSTEM] != NULL, .on_error = report_line, .arg = import};
    struct crontab table;
    struct str text;
    struct err err;
    char *bytes = read_whole(import->name, &text.len);

    if (!bytes)
        return STATUS_FAILED;
    text = arena_str(import->arena, (struct str){bytes, text.len});
    free(bytes);
    if (crontab_read(text, &how, import->arena, &table, &err) != RC_OK) {
        report_note("%s: %s", import->name, err.text);
        return STATUS_USAGE;
    }
    import_lines(import, &table, prefix);
    if (import->errors > 0) {
        report_note("%d of %d lines cannot be imported; nothing was imported", import->errors,
                    import->errors + import->count);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* ---- output ---- */

static struct str file_text(const struct import *import)
{
    struct buf out = arena_buf(import->arena, TEXT_MAX);

    for (int i = 0; i < import->count; i++) {
        buf_text(&out, "---\n");
        yaml_print(import->list[i].document, &out);
    }
    must(!out.cut); /* a crontab is limited to 1 MiB */
    return buf_as_str(&out);
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
    if (status == STATUS_OK) {
        if (output == OUTPUT_TABLE)
            apply_show(&apply);
        status = apply_do(&apply);
        if ((status == STATUS_OK || status == STATUS_FAILED) && output == OUTPUT_TABLE)
            apply_print_summary(&apply);
    }
    apply_free(&apply);
    return status;
}

static int finish(struct import *import, const struct args *args)
{
    struct str text = file_text(import);
    int status = STATUS_OK;

    if (import->output == OUTPUT_JSON)
        print_json(&import->out, import->json_lines);
    if (import->output == OUTPUT_TABLE)
        printer_printf(&import->out, "%d %s\n", import->count,
                       import->count == 1 ? "schedule" : "schedules");
    if (import->output == OUTPUT_TABLE && import->count > 0)
        printer_text(&import->out,
                     "the commands run on the server, which must be started with --exec\n");
    if (printer_close(&import->out) != STATUS_OK)
        return STATUS_FAILED;
    if (args->value[OPT_TO])
        status = write_file(args->value[OPT_TO], text);
    if (status == STATUS_OK && args->value[OPT_APPLY])
        status = apply_text(args, text, import->output);
    return status;
}

/* ---- the command ---- */

/* The zone that cron uses; "" when it has no known name. */
static struct str local_zone(const struct args *args, struct arena *arena)
{
    struct when when;
    struct str name = STR("UTC");

    if (args->value[OPT_TZ])
        return str_of(args->value[OPT_TZ]);
    when_open(&when, false, clock_now());
    if (!when.is_known)
        name = STR("");
    if (when.tz)
        name = arena_str(arena, str_of(when.tz->name));
    when_close(&when);
    return name;
}

static int run(struct import *import, const struct args *args)
{
    bool is_piped = args->value[OPT_TO] && strcmp(args->value[OPT_TO], "-") == 0;
    struct err err;
    int status;

    if (import->options.zone.len == 0) {
        report_note("cannot determine the local time zone; use --tz, such as "
                    "--tz Europe/Berlin");
        return STATUS_USAGE;
    }
    import->options.zones = zoneinfo_open(args->value[OPT_ZONEINFO], &err);
    if (!import->options.zones ||
        !zoneinfo_find(import->options.zones, import->options.zone, &err)) {
        report_note("%s", err.text);
        return STATUS_USAGE;
    }
    if (output_read(args->value[REMOTE_OUTPUT], &import->output, &err) != RC_OK)
        return report_usage(&err, "import");
    import->json_lines = json_new_list();
    printer_open(&import->out, is_piped ? STDERR_FILENO : STDOUT_FILENO);
    progress_open(&import->progress, "Lines");
    if (isatty(is_piped ? STDERR_FILENO : STDOUT_FILENO) && import->output != OUTPUT_JSON)
        import->progress.is_terminal = false; /* the lines are printed there */
    status = read_table(import, args);
    progress_close(&import->progress);
    if (status == STATUS_OK)
        return finish(import, args);
    (void)printer_close(&import->out);
    return status;
}

static int import_run(const struct args *args)
{
    static struct import import;
    struct err err;
    int status;

    if (args->operands != 2 || strcmp(args->operand[0], "crontab") != 0) {
        err_set(&err, RC_INVALID, -1, 0, "wrong arguments; use belfry import crontab FILE");
        return report_usage(&err, "import");
    }
    import = (struct import){.name = args->operand[1], .arena = arena_new(ARENA_MAX)};
    import.options.now = clock_now();
    import.options.zone = local_zone(args, import.arena);
    status = run(&import, args);
    for (int i = 0; i < import.count; i++)
        json_decref(import.list[i].document);
    json_decref(import.json_lines);
    zoneinfo_close(import.options.zones);
    arena_free(import.arena);
    return status;
}

static const struct option options[OPT_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_SYSTEM] = {"system", '\0', NULL, NULL,
                    "lines have a user column, like /etc/crontab (default:\n"
                    "no user column)"},
    [OPT_TZ] = {"tz", 'z', "ZONE", NULL,
                "time zone of lines without CRON_TZ (default: the local\n"
                "zone)"},
    [OPT_PREFIX] = {"prefix", '\0', "TEXT", NULL,
                    "prefix of the schedules' ids (default cron)"},
    [OPT_TO] = {"to", '\0', "FILE", NULL,
                "write a file for `belfry apply`; - is standard output"},
    [OPT_APPLY] = {"apply", '\0', NULL, NULL, "create or change the schedules on the server"},
    [OPT_ZONEINFO] = {"zoneinfo", '\0', "DIR", NULL,
                      "directory of time zone files (default: the system's)"},
};

const struct command import_command = {
    .name = "import",
    .usage = "crontab FILE [OPTION]...",
    .summary = "Convert a crontab into schedules and verify their times",
    .about = "Prints for each line its meaning and its next times, and verifies them: the\n"
             "next 1,000 times of the schedule must equal those of a second implementation of\n"
             "crontab(5), which steps minute by minute like cron, clock changes included.\n"
             "\n"
             "Settings above a line become its environment, SHELL its shell, HOME its\n"
             "directory, CRON_TZ its time zone, the comment directly above it its\n"
             "description, and the text after % its input.  As with cron, runs may overlap\n"
             "and missed runs are not repeated.  If a line cannot be converted, the reason is\n"
             "printed and nothing is written.  The commands run on the server, which must be\n"
             "started with --exec.\n",
    .examples = "  crontab -l | belfry import crontab -\n"
                "  belfry import crontab /etc/crontab --system --to crontab.yaml\n"
                "  crontab -l | belfry import crontab - --tz Europe/Dublin --apply\n",
    OPTIONS(options),
    .run = import_run,
};
