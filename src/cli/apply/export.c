/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry export`: writes a namespace as a file that `belfry apply` reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/progress.h"
#include "cli/frame/report.h"
#include "cli/remote/remote.h"
#include "wire/yaml/yaml.h"

enum {
    OPT_FORMAT = REMOTE_OPTIONS,
    OPT_FORCE,
    OPT_LABEL,
    OPT_PREFIX,
    OPT_COUNT,
    ENTRY_MAX = 32 << 20, /* bytes of one entry as YAML: 8 MiB of JSON, indented */
    NAME_MAX_BYTES = 4096,
};

struct export
{
    struct remote *remote;
    struct printer out;
    struct progress progress;
    bool is_yaml;
    int64_t count;
    char *text; /* buffer for one entry, ENTRY_MAX bytes */
};

static int write_entry(struct export *e, const json_t *entry)
{
    struct buf out = {.ptr = e->text, .cap = ENTRY_MAX};

    if (e->is_yaml) {
        buf_text(&out, "---\n");
        yaml_print(entry, &out);
    } else {
        json_print(entry, JSON_STYLE_LINE, &out);
        buf_char(&out, '\n');
    }
    if (out.cut) {
        report_note("an entry exceeds %d bytes", ENTRY_MAX);
        return STATUS_PROTOCOL;
    }
    printer_str(&e->out, buf_as_str(&out));
    e->count++;
    return STATUS_OK;
}

static int write_page(void *arg, const json_t *page)
{
    struct export *e = arg;
    const json_t *items = json_object_get(page, "items");
    int status = STATUS_OK;

    if (!json_is_array(items)) {
        report_note("response from %s is not an export; is it a Belfry server?",
                    remote_server(e->remote));
        return STATUS_PROTOCOL;
    }
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(items); i++)
        status = write_entry(e, json_array_get(items, i));
    progress_show(&e->progress, e->count, 0);
    return status == STATUS_OK && printer_has_failed(&e->out) ? STATUS_FAILED : status;
}

static int write_pages(struct export *e, const struct args *args)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    int status;

    buf_text(&out, "/api/v1/export");
    path_query(&out, "label", args->value[OPT_LABEL]);
    path_query(&out, "prefix", args->value[OPT_PREFIX]);
    status = path_check(&out);
    if (status == STATUS_OK)
        status = remote_pages(e->remote, path, "1000", NULL, write_page, e);
    return printer_has_failed(&e->out) ? STATUS_OK : status; /* printer_close() reports it */
}

/* Writes to FILE.part, and renames it when it is complete. */
static int write_file(struct export *e, const struct args *args, const char *path)
{
    char part[NAME_MAX_BYTES];
    int fd, status;

    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part) {
        report_note("file name is too long; the limit is %d bytes",
                    NAME_MAX_BYTES - (int)sizeof ".part");
        return STATUS_USAGE;
    }
    if (!args->value[OPT_FORCE] && access(path, F_OK) == 0) {
        report_note("%s already exists; use --force to replace it", path);
        return STATUS_USAGE;
    }
    fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        report_note("cannot write %s: %s", part, strerror(errno));
        return STATUS_FAILED;
    }
    printer_open(&e->out, fd);
    status = write_pages(e, args);
    if (printer_close(&e->out) != STATUS_OK || (status == STATUS_OK && fsync(fd) != 0))
        status = STATUS_FAILED;
    close(fd);
    if (status == STATUS_OK && rename(part, path) != 0) {
        report_note("cannot write %s: %s", path, strerror(errno));
        status = STATUS_FAILED;
    }
    if (status != STATUS_OK)
        unlink(part);
    return status;
}

/* -o json means --format json; an export has no other output. */
static enum rc read_format(const struct args *args, bool *ret_is_yaml, struct err *reterr)
{
    const char *given = args->value[REMOTE_OUTPUT], *format = args->value[OPT_FORMAT];
    enum output output;

    if (output_read(given, &output, reterr) != RC_OK)
        return reterr->rc;
    if (given && output != OUTPUT_JSON)
        return err_set(reterr, RC_INVALID, -1, 0, "--output must be json, not \"%.100s\"",
                       given);
    if (!format)
        format = given ? "json" : "yaml";
    *ret_is_yaml = strcmp(format, "yaml") == 0;
    if (!*ret_is_yaml && strcmp(format, "json") != 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "--format must be yaml or json, not \"%.100s\"", format);
    if (given && *ret_is_yaml)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "--output json contradicts --format yaml; use one of them");
    return RC_OK;
}

static int export_run(const struct args *args)
{
    static struct export e;
    const char *path = args->operands > 0 ? args->operand[0] : "-";
    struct err err;
    int status;

    if (read_format(args, &e.is_yaml, &err) != RC_OK)
        return report_usage(&err, "export");
    status = remote_open(args, &e.remote);
    if (status != STATUS_OK)
        return status;
    e.text = malloc(ENTRY_MAX);
    must(e.text);
    progress_open(&e.progress, "Entries");
    if (strcmp(path, "-") == 0) {
        int closed;

        printer_open(&e.out, STDOUT_FILENO);
        status = write_pages(&e, args);
        closed = printer_close(&e.out);
        status = status != STATUS_OK ? status : closed;
    } else {
        status = write_file(&e, args, path);
    }
    progress_close(&e.progress);
    free(e.text);
    e.remote = remote_close(e.remote);
    return status;
}

static const struct option options[OPT_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_FORMAT] = {"format", 'F', "FORMAT", NULL,
                    "yaml, or json with one document per line (default\n"
                    "yaml)"},
    [OPT_FORCE] = {"force", '\0', NULL, NULL, "replace FILE if it exists"},
    [OPT_LABEL] = {"label", 'l', "KEY[=VALUE]", NULL, "only schedules with this label"},
    [OPT_PREFIX] = {"prefix", '\0', "TEXT", NULL, "only schedules whose id begins with TEXT"},
};

const struct command export_command = {
    .name = "export",
    .usage = "[FILE] [OPTION]...",
    .summary = "Export a namespace to a file for `belfry apply`",
    .about = "Writes all calendars, gates and schedules with their pauses, but no runs and no\n"
             "history.  With --label or --prefix only schedules are written.  Without FILE,\n"
             "or with -, the output is standard output.  Applying an export to the same\n"
             "server changes nothing.\n",
    .examples = "  belfry export belfry.yaml\n"
                "  belfry export --format json -l team=billing\n",
    OPTIONS(options),
    .counts_operands = true,
    .least = 0,
    .most = 1,
    .run = export_run,
};
