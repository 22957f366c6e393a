/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry config`: prints the effective configuration as a table, which is a valid file, or as
 * JSON.
 */
#include "server/commands/config_command.h"

#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/frame/printer.h"
#include "cli/frame/report.h"
#include "server/config/config_file.h"
#include "server/config/config_keys.h"
#include "server/config/config_old.h"
#include "wire/json/json.h"

enum {
    KEY_COLUMNS = 18,   /* the longest key                          */
    VALUE_COLUMNS = 32, /* a wider value only shifts its own source */
    FLAG_MAX = 24,      /* bytes of the name of a flag              */
    JSON_MAX = 512 * 1024,
    CONFIG_NOTE_MAX = 256, /* bytes of a note about an old name */
};

enum { OPT_FILE = CONFIG_KEYS, OPT_OUTPUT, OPT_HELP_FLAG, OPT_COUNT };

static const char *const value_names[] = {
    [CONFIG_TYPE_TEXT] = "TEXT",
    [CONFIG_TYPE_PATH] = "PATH",
    [CONFIG_TYPE_CHOICE] = "WORD",
    [CONFIG_TYPE_BOOL] = "[=BOOL]",
    [CONFIG_TYPE_INT] = "N",
    [CONFIG_TYPE_SPAN] = "DURATION",
    [CONFIG_TYPE_ADDRESSES] = "ADDRESSES",
    [CONFIG_TYPE_TEXTS] = "LIST",
};

void config_command_options(struct option options[CONFIG_KEYS])
{
    static char names[CONFIG_KEYS][FLAG_MAX];

    for (int i = 0; i < CONFIG_KEYS; i++) {
        const struct config_key *key = &config_keys[i];
        struct buf name = BUF(names[i]);

        for (const char *p = key->name; *p != '\0'; p++)
            buf_char(&name, *p == '_' ? '-' : *p);
        must(!name.cut);
        options[i] = (struct option){
            .name = names[i], .value = value_names[key->type], .help = key->help};
    }
}

int config_command_require(const char *file, const struct args *args, struct config **ret)
{
    struct err err;
    int at = 0;

    if (config_command_load(file, args, ret, &err) != RC_OK) {
        report_note("%s", err.text);
        return err.rc == RC_NOT_FOUND ? STATUS_FAILED : STATUS_USAGE;
    }
    while (config_unknown_env((const char *const *)environ, &at, &err))
        report_note("%s", err.text);
    return STATUS_OK;
}

enum rc config_command_load(const char *file, const struct args *args, struct config **ret,
                            struct err *reterr)
{
    struct config_sources sources = {
        .file = file,
        .env = (const char *const *)environ,
        .flag = args->value,
        .is_root = geteuid() == 0,
    };

    return config_load(&sources, ret, reterr);
}

static int print_table(const struct config *config)
{
    static struct printer out;

    printer_open(&out, STDOUT_FILENO);
    for (int i = 0; i < CONFIG_KEYS; i++) {
        char plain_text[CONFIG_SHOWN_MAX], value_text[2 * CONFIG_SHOWN_MAX];
        char source_text[2 * CONFIG_VALUE_MAX];
        struct buf plain = BUF(plain_text), value = BUF(value_text), source = BUF(source_text);

        config_show(config, (enum config_id)i, &plain);
        config_file_write(buf_as_str(&plain), &value);
        config_source_text(config, (enum config_id)i, &source);
        printer_printf(&out, "%-*s = ", KEY_COLUMNS, config_keys[i].name);
        printer_str(&out, buf_as_str(&value));
        for (size_t n = value.len; n < VALUE_COLUMNS; n++)
            printer_text(&out, " ");
        printer_text(&out, "  # ");
        printer_str(&out, buf_as_str(&source));
        printer_text(&out, "\n");
    }
    for (const struct config_old_use *use = config->olds; use; use = use->next) {
        char text[CONFIG_NOTE_MAX];
        struct buf note = BUF(text);

        config_old_describe(use->old, &note);
        printer_printf(&out, "# %s\n", text);
    }
    return printer_close(&out);
}

static json_t *addresses_json(const struct config_addresses *addresses)
{
    json_t *list = json_new_list();

    for (int i = 0; i < addresses->count; i++) {
        char text[CONFIG_HOST_MAX + sizeof "[]:65535"];
        struct buf out = BUF(text);

        config_address_format(&addresses->list[i], &out);
        json_add(list, json_new_str(buf_as_str(&out)));
    }
    return list;
}

static json_t *texts_json(const struct config_texts *texts)
{
    json_t *list = json_new_list();

    for (int i = 0; i < texts->count; i++)
        json_add(list, json_new_str(texts->list[i]));
    return list;
}

static json_t *value_json(const struct config *config, enum config_id id)
{
    const struct config_key *key = &config_keys[id];
    const void *value = (const char *)config + key->at;
    char text[CONFIG_SHOWN_MAX];
    struct buf shown = BUF(text);

    switch (key->type) {
    case CONFIG_TYPE_BOOL:
        return json_boolean(*(const bool *)value);
    case CONFIG_TYPE_INT:
        return json_new_int(*(const int *)value);
    case CONFIG_TYPE_ADDRESSES:
        return addresses_json(value);
    case CONFIG_TYPE_TEXTS:
        return texts_json(value);
    case CONFIG_TYPE_TEXT:
    case CONFIG_TYPE_PATH:
    case CONFIG_TYPE_CHOICE:
    case CONFIG_TYPE_SPAN:
        break;
    }
    config_show(config, id, &shown);
    return json_new_str(buf_as_str(&shown));
}

static int print_json(const struct config *config)
{
    static struct printer out;
    static char text[JSON_MAX];
    struct buf bytes = BUF(text);
    json_auto_t *keys = json_new_object();

    for (int i = 0; i < CONFIG_KEYS; i++) {
        char source_text[2 * CONFIG_VALUE_MAX];
        struct buf source = BUF(source_text);
        json_t *entry = json_new_object();

        config_source_text(config, (enum config_id)i, &source);
        json_put(entry, "value", value_json(config, (enum config_id)i));
        json_put(entry, "source", json_new_str(buf_as_str(&source)));
        json_put(keys, config_keys[i].name, entry);
    }
    json_print(keys, JSON_STYLE_PRETTY, &bytes);
    must(!bytes.cut);
    printer_open(&out, STDOUT_FILENO);
    printer_str(&out, buf_as_str(&bytes));
    printer_text(&out, "\n");
    return printer_close(&out);
}

static int config_run(const struct args *args)
{
    const char *form = args->value[OPT_OUTPUT] ? args->value[OPT_OUTPUT] : "table";
    bool is_json = strcmp(form, "json") == 0;
    struct config *config = NULL;
    struct err err;
    int status;

    if (!is_json && strcmp(form, "table") != 0) {
        err_set(&err, RC_INVALID, -1, 0, "--output must be table or json, not \"%.100s\"",
                form);
        return report_usage(&err, "config");
    }
    if (args->operands > 0) {
        err_set(&err, RC_INVALID, -1, 0, "unexpected argument \"%.100s\"; use --file %.100s",
                args->operand[0], args->operand[0]);
        return report_usage(&err, "config");
    }
    status = config_command_require(args->value[OPT_FILE], args, &config);
    if (status == STATUS_OK)
        status = is_json ? print_json(config) : print_table(config);
    config_free(config);
    return status;
}

const struct command *config_command(void)
{
    static struct option options[OPT_COUNT] = {
        [OPT_FILE] = {"file", 'f', "FILE", NULL, "file of key = value lines (default none)"},
        [OPT_OUTPUT] = {"output", 'o', "FORMAT", NULL,
                        "output format: table or json (default table)"},
        [OPT_HELP_FLAG] = {"help", 'h', NULL, NULL, "print this help"},
    };
    static const struct command command = {
        .name = "config",
        .usage = "[--file FILE] [--KEY VALUE]...",
        .summary = "Print the configuration and the source of each value",
        .about =
            "Reads the defaults, the file, the environment (BELFRY_LISTEN for listen) and the\n"
            "flags, as the server does; later sources override earlier ones.  The table is\n"
            "itself a file that --file can read, except that it hides the password of a\n"
            "database.  Belfry also reads the settings of the systems that it replaces under\n"
            "their old names; the end of the table shows their effect.\n",
        .examples = "  belfry config --file /etc/belfry/belfry.conf\n"
                    "  BELFRY_LOG_LEVEL=debug belfry config --listen 8080 -o json\n",
        .options = options,
        .option_count = OPT_COUNT,
        .own_from = CONFIG_KEYS,
        .run = config_run,
    };

    config_command_options(options);
    return &command;
}
