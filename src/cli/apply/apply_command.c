/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry apply` and `belfry diff`.
 */
#include <string.h>

#include "cli/apply/apply.h"
#include "cli/frame/commands.h"
#include "cli/frame/confirm.h"
#include "cli/frame/report.h"

enum { PATHS_MAX = 64 };

enum {
    OPT_FILE = REMOTE_OPTIONS,
    OPT_PRUNE,
    OPT_LABEL,
    OPT_DIFF_COUNT,
    OPT_DRY_RUN = OPT_DIFF_COUNT,
    OPT_YES,
    OPT_APPLY_COUNT,
};

#define FILE_ROWS                                                                 \
    [OPT_FILE] = {"file", 'f', "PATH",                                            \
                  "a file or folder of *.yaml, *.yml and *.json; - is standard\n" \
                  "input; may be given several times"},                           \
    [OPT_PRUNE] = {"prune", '\0', NULL,                                           \
                   "delete schedules that have the label and that no file has"},  \
    [OPT_LABEL] = {"label", 'l', "KEY=VALUE", "which schedules --prune may delete"}

/* Everything that can be said without changing anything. */
static int read_and_compare(const struct args *args, struct apply *apply,
                            struct manifest *manifest)
{
    const char *paths[PATHS_MAX];
    int count = args_all(args, OPT_FILE, paths, PATHS_MAX), status;
    struct err err;

    *manifest = (struct manifest){.arena = NULL};
    if (count == 0 || count > PATHS_MAX || args->operands > 0) {
        err_set(&err, RC_INVALID, -1, 0, "%s",
                count > PATHS_MAX     ? "at most 64 files and folders can be named"
                : args->operands == 0 ? "say what to apply: -f FILE, -f FOLDER or -f -"
                                      : "files are named with -f");
        return report_usage(&err, args->command->name);
    }
    if (!args->value[OPT_PRUNE] != !args->value[OPT_LABEL]) {
        err_set(&err, RC_INVALID, -1, 0, "--prune and -l KEY=VALUE belong together");
        return report_usage(&err, args->command->name);
    }
    status = manifest_read(paths, count, manifest);
    if (status == STATUS_OK)
        status = remote_open(args, args->command->name, &apply->remote);
    if (status == STATUS_OK)
        status = apply_compare(apply);
    if (status == STATUS_OK && args->value[OPT_PRUNE])
        status = apply_find_pruned(apply, args->value[OPT_LABEL]);
    return status;
}

static int diff_run(const struct args *args)
{
    struct manifest manifest;
    struct apply apply = {.manifest = &manifest};
    int status = read_and_compare(args, &apply, &manifest);

    if (status == STATUS_OK) {
        if (remote_output(apply.remote) == OUTPUT_JSON)
            status = apply_show_json(&apply, false);
        else
            apply_show(&apply);
        if (status == STATUS_OK && apply_is_different(&apply))
            status = STATUS_FAILED;
    }
    apply_free(&apply);
    return status;
}

static int apply_changes(const struct args *args, struct apply *apply)
{
    bool is_json = remote_output(apply->remote) == OUTPUT_JSON;
    size_t pruned = json_array_size(apply->pruned);
    int status = STATUS_OK;

    if (!is_json)
        apply_show(apply);
    if (args->value[OPT_DRY_RUN])
        return is_json ? apply_show_json(apply, true) : apply_show_times(apply);
    if (pruned > 0 && !args->value[OPT_YES])
        status = confirm("Delete %zu schedule%s that the files lack?", pruned,
                         pruned == 1 ? "" : "s");
    if (status != STATUS_OK)
        return status;
    status = apply_do(apply);
    if (status != STATUS_OK && status != STATUS_FAILED)
        return status;
    if (is_json)
        (void)apply_show_json(apply, false);
    else
        apply_print_summary(apply);
    return status;
}

static int apply_run(const struct args *args)
{
    struct manifest manifest;
    struct apply apply = {.manifest = &manifest};
    int status = read_and_compare(args, &apply, &manifest);

    if (status == STATUS_OK)
        status = apply_changes(args, &apply);
    apply_free(&apply);
    return status;
}

static const struct option apply_options[OPT_APPLY_COUNT] = {
    REMOTE_OPTION_ROWS,
    FILE_ROWS,
    [OPT_DRY_RUN] = {"dry-run", '\0', NULL,
                     "change nothing; show also the times before and after"},
    [OPT_YES] = {"yes", 'y', NULL, "delete without asking"},
};

const struct command apply_command = {
    .name = "apply",
    .usage = "-f PATH [--dry-run] [--prune -l KEY=VALUE]",
    .summary = "Make a namespace as files say",
    .about =
        "Reads schedules, calendars and gates from YAML or JSON, asks the server what is\n"
        "new and what differs, and writes that; what is as it should be is left alone.\n"
        "All files are read, and all that is wrong in them is told with file, line and\n"
        "field, before anything is sent.  A schedule stands in a file as the API takes it,\n"
        "with its id; a calendar as {calendar: NAME, dates: […]}, a gate as {gate: NAME,\n"
        "limit: N}.  Several are documents behind ---, or a list.  `belfry export` writes\n"
        "such files.  A schedule is paused with `paused: true`, or {reason: …, until: …},\n"
        "and resumed with `paused: false`, as `belfry schedule resume` does it; a file\n"
        "without the word leaves it as it is.\n",
    .examples = "  belfry apply -f schedules/\n"
                "  belfry apply -f schedules/ --dry-run\n"
                "  belfry apply -f schedules/ --prune -l managed-by=git --yes\n"
                "  belfry export | belfry apply -f - --server https://other:7227\n",
    .options = apply_options,
    .option_count = OPT_APPLY_COUNT,
    .own_from = REMOTE_OPTIONS,
    .run = apply_run,
};

static const struct option diff_options[OPT_DIFF_COUNT] = {REMOTE_OPTION_ROWS, FILE_ROWS};

const struct command diff_command = {
    .name = "diff",
    .usage = "-f PATH [--prune -l KEY=VALUE]",
    .summary = "Show how a namespace differs from files",
    .about = "What `belfry apply` would do, field by field.  Nothing is changed.  Exits with\n"
             "0 when there is no difference, with 1 when there is one.\n",
    .examples = "  belfry diff -f schedules/\n"
                "  belfry diff -f nightly.yaml -o json\n",
    .options = diff_options,
    .option_count = OPT_DIFF_COUNT,
    .own_from = REMOTE_OPTIONS,
    .run = diff_run,
};
