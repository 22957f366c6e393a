/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a configuration file, as values of its keys, and as an environment variable.
 *
 * A file that can be read is written from its values and read again without a change.  A
 * refused file has a message without control bytes of the file, except tabs.
 */
#include <stdint.h>
#include <string.h>

#include "base/must.h"
#include "server/config/config.h"
#include "server/config/config_file.h"
#include "server/config/config_keys.h"
#include "server/config/config_old.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { WRITTEN_MAX = 256 * 1024 };

static void write_all(const struct config *config, struct buf *out)
{
    for (int i = 0; i < CONFIG_KEYS; i++) {
        static char value[CONFIG_SHOWN_MAX];
        struct buf plain = BUF(value);

        config_format(config, (enum config_id)i, &plain);
        must(!plain.cut);
        buf_printf(out, "%s = ", config_keys[i].name);
        config_file_write(buf_as_str(&plain), out);
        buf_text(out, "  # fuzz\n");
    }
}

static void check_again(const struct config *config)
{
    static char text[WRITTEN_MAX];
    struct buf out = BUF(text);
    struct config_sources sources = {.file = "again"};
    struct config_change changes[CONFIG_KEYS];
    struct config *again;
    struct err err;

    write_all(config, &out);
    must(!out.cut);
    if (out.len > CONFIG_FILE_MAX)
        return;
    sources.text = buf_as_str(&out);
    must(config_read(&sources, &again, &err) == RC_OK);
    must(config_changes(config, again, changes) == 0);
    config_free(again);
}

static void check_shown(const struct config *config)
{
    for (int i = 0; i < CONFIG_KEYS; i++) {
        static char value[CONFIG_SHOWN_MAX];
        struct buf shown = BUF(value);

        config_show(config, (enum config_id)i, &shown);
        must(!shown.cut && str_is_utf8(buf_as_str(&shown)));
    }
}

static void check(const struct config_sources *sources)
{
    struct config *config;
    struct err err;
    enum rc rc = config_read(sources, &config, &err);

    if (rc == RC_OK) {
        check_shown(config);
        check_again(config);
        config_free(config);
        return;
    }
    must(rc == err.rc && err.text[0] != '\0' && str_is_utf8(str_of(err.text)));
    for (const char *p = err.text; sources->text.ptr && *p != '\0'; p++)
        must(((unsigned char)*p >= 0x20 && *p != 0x7f) || *p == '\t');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static char entry[CONFIG_FILE_MAX + 8];
    const char *flag[CONFIG_KEYS] = {NULL};
    const char *env[] = {entry, NULL};
    struct err note;
    int at = 0;

    check(&(struct config_sources){.file = "fuzz", .text = {(const char *)bytes, len}});
    if (len < 2 || len > CONFIG_FILE_MAX || bytes[0] >= CONFIG_KEYS)
        return 0;
    /* The first byte chooses a key and the rest is its value; then the rest is a variable. */
    memcpy(entry, bytes + 1, len - 1);
    entry[len - 1] = '\0';
    flag[bytes[0]] = entry;
    check(&(struct config_sources){.flag = flag});
    memcpy(entry, "BELFRY_", 7);
    memcpy(entry + 7, bytes + 1, len - 1);
    entry[7 + len - 1] = '\0';
    check(&(struct config_sources){.env = env});
    while (config_unknown_env(env, &at, &note))
        must(note.text[0] != '\0');
    return 0;
}
