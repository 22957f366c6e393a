/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads every #include line of the tree against the table of layers.
 *
 * The table is the architecture: a folder may include itself and what its row names, and
 * nothing else.  Changing a row is a decision (docs/decisions/), not a repair.  Headers
 * from outside have homes of their own: who may know of a library is written here once.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "source.h"

enum { NAME_MAX_BYTES = 200 }; /* longest header name that is looked at */

struct row {
    const char *place; /* a folder or a file; the longest that fits a path counts */
    const char *may;   /* layers, apart by blanks; "*" for all                    */
};

/* The tests of a layer, test/<layer>, see what the layer sees. */
static const struct row layers[] = {
    {"src/base", ""},
    {"src/core", "base"},
    {"src/wire", "base"},
    {"src/model", "core wire base"},
    {"src/db", "base"},
    {"src/store", "db model core base"},
    {"src/engine", "store core base"},
    {"src/api", "engine store db model core wire base"},
    {"src/io", "wire base"},
    {"src/io/zoneinfo.h", "core wire base"}, /* makes struct tz: docs/decisions/0007 */
    {"src/io/zoneinfo.c", "core wire base"},
    {"test/io/test_zoneinfo.c", "core wire base"},
    {"src/cli", "io model wire core base"},
    {"src/server", "*"},
    {"src/main.c", "*"},
    {"sim", "engine store db model core base"},
    {"sim/judge_slots.c", "oracle sim core base"}, /* the judge asks the oracle, not core */
    {"test/sim", "engine store db model core base"},
    {"test/e2e", "*"}, /* the program as a whole */
    {"test/openapi", "api base"},
    {"test/torture", "*"},
    {"fuzz", "*"},
    {"bench", "*"},
    /* The oracle judges the core, so it shares nothing with it; its subject is the core. */
    {"test/oracle", ""},
    {"test/oracle/subject_belfry.c", "*"},
    {"test/house", ""},
    {"test/mission", "base"},
};

#define SHELL "src/io src/cli src/server sim test fuzz bench"
#define THREADS                                                                   \
    "src/server/writer_parts.h src/server/reader.c src/server/postgres_notify.c " \
    "src/server/checkpointer.c"
#define NO_CORE "src/base src/wire src/model src/db src/store src/engine src/api " SHELL

static const struct row headers[] = {
    /* Values only: good for everyone, the core included. */
    {"limits.h", "*"},
    {"stdalign.h", "*"},
    {"stdarg.h", "*"},
    {"stdbool.h", "*"},
    {"stddef.h", "*"},
    {"stdint.h", "*"},
    {"inttypes.h", "*"},
    {"string.h", "*"},
    {"assert.h", "*"}, /* static_assert */

    {"stdio.h", NO_CORE},
    {"stdlib.h", NO_CORE},
    {"errno.h", NO_CORE},

    /* The kernel. */
    {"arpa/inet.h", SHELL},
    {"dirent.h", SHELL},
    {"fcntl.h", SHELL " src/db/sqlite_file.c"},
    {"fts.h", SHELL},
    {"glob.h", "test/e2e"},
    {"fnmatch.h", SHELL},
    {"getopt.h", SHELL},
    {"glob.h", SHELL},
    {"linux/magic.h", "src/db/sqlite_file.c"}, /* names of network file systems */
    {"netdb.h", SHELL},
    {"netinet/*.h", SHELL},
    {"poll.h", SHELL " src/db/deadline.c src/db/postgres.c"},
    {"grp.h", SHELL},
    {"pty.h", "test/cli test/e2e"},
    {"pwd.h", SHELL},
    {"signal.h", SHELL},
    {"spawn.h", SHELL},
    {"sys/timerfd.h", SHELL " src/db/deadline.c"},
    {"sys/stat.h", SHELL " src/db/sqlite_file.c"},
    {"sys/vfs.h", SHELL " src/db/sqlite_file.c"},
    {"sys/*.h", SHELL},
    {"unistd.h", SHELL " src/db/deadline.c src/db/sqlite_file.c"},

    {"time.h", "src/io/clock.c test/io/test_clock.c bench"},
    {"pthread.h", "src/io src/base/log.c src/db/sqlite.c test/io "
                  "test/db/test_wal_writeback.c " THREADS},
    {"sched.h", "src/io/thread.c test/io/test_thread.c"},
    {"stdatomic.h",
     "src/io src/base/log.c test/io src/server/counters.h src/server/commit_signal.h "
     "src/server/ticket.h "
     "bench test/db/test_wal_writeback.c test/server/test_writer.c " THREADS},

    {"malloc.h",
     "src/base/thread_cache.c src/server/commands/serve_command.c"}, /* of the C library */
    {"endian.h", "src/base src/wire"},
    {"cpuid.h", "src/base/sha256_x86.c"},
    {"immintrin.h", "src/base/sha256_x86.c"},

    {"jansson.h", "src/wire src/model test fuzz bench"},
    {"sqlite3.h", "src/db/sqlite_parts.h sim/vfs.c bench/api/bare.c bench/engine/bare_sqlite.c "
                  "test/db/test_wal_writeback.c test/server/test_writer.c"},
    {"libpq-fe.h", "src/db/postgres.c src/db/postgres_rows.c bench/engine/bare_postgres.c"},
    {"curl/*.h",
     "src/io/client/webhook.c src/io/client/webhook_call.c src/io/client/webhook_check.c "
     "src/io/client/webhook_end.c src/io/client/webhook_parts.h src/io/client/fetch.c"},
    {"nghttp2/*.h",
     "src/io/net/h2.c src/io/net/h2_stream.c src/io/net/h2_parts.h test/io test/e2e "
     "bench/dialects"},
    {"protobuf-c/*.h", "src/wire/grpc/proto.h"},
    {"openssl/*.h", "src/io/net/tls.c src/io/client/signature.c test/io test/e2e"},
    {"uv.h", "src/io test/io"},
    {"yaml.h", "src/wire/yaml/yaml.c src/wire/yaml/yaml_line.c"},
    {"zlib.h", "src/io/net/gzip.c test/io"},

    {"cmocka.h", "test"},
    {"setjmp.h", "test"}, /* cmocka.h asks for it */
};

/* The first word of a list, and the list behind it; an empty word ends it. */
static const char *next_word(const char **list, char *word)
{
    size_t n;

    *list += strspn(*list, " ");
    n = strcspn(*list, " ");
    snprintf(word, NAME_MAX_BYTES, "%.*s", (int)n, *list);
    *list += n;
    return word;
}

static bool list_has_layer(const char *list, const char *layer)
{
    char word[NAME_MAX_BYTES];

    if (strcmp(list, "*") == 0)
        return true;
    while (next_word(&list, word)[0] != '\0')
        if (strcmp(word, layer) == 0)
            return true;
    return false;
}

static bool list_has_place(const char *list, const char *path)
{
    char word[NAME_MAX_BYTES];

    if (strcmp(list, "*") == 0)
        return true;
    while (next_word(&list, word)[0] != '\0')
        if (path_is_below(path, word))
            return true;
    return false;
}

static const struct row *find_layer(const char *path)
{
    const struct row *best = NULL;

    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
        if (path_is_below(path, layers[i].place) &&
            (!best || strlen(layers[i].place) > strlen(best->place)))
            best = &layers[i];
    return best;
}

static const struct row *layer_of(const char *path)
{
    const struct row *row = find_layer(path);
    char mirrored[NAME_MAX_BYTES];

    if (row || !path_is_below(path, "test"))
        return row;
    snprintf(mirrored, sizeof mirrored, "src%s", path + strlen("test"));
    return find_layer(mirrored);
}

static int check_external(const struct source *source, int line, const char *name)
{
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        if (fnmatch(headers[i].place, name, 0) != 0)
            continue;
        if (list_has_place(headers[i].may, source->path))
            return 0;
        return source_complain(
            source, line, "<%s> is not for this file but for: %s; call a function of those",
            name, headers[i].may);
    }
    return source_complain(
        source, line, "<%s> has no home yet; give it one in test/house/check_layers.c", name);
}

/* The layer that the file belongs to or tests: "core" of src/core/run.c, "sim" of sim. */
static const char *own_layer(const char *place, char *ret)
{
    const char *slash = strchr(place, '/');
    const char *name = slash ? slash + 1 : place;

    snprintf(ret, NAME_MAX_BYTES, "%.*s", (int)strcspn(name, "/"), name);
    return ret;
}

static int check_own(const struct source *source, int line, const char *name)
{
    const struct row *row = layer_of(source->path);
    char layer[NAME_MAX_BYTES], own[NAME_MAX_BYTES];
    const char *slash = strchr(name, '/');

    if (!row)
        return source_complain(source, line,
                               "this folder has no row in test/house/check_layers.c");
    if (path_ends(name, ".c"))
        return source_complain(source, line, "\"%s\": include headers, not sources", name);
    if (!slash) {
        if (!path_is_below(source->path, "src"))
            return 0;
        return source_complain(source, line, "\"%s\": write it from src/, as \"layer/%s\"",
                               name, name);
    }
    snprintf(layer, sizeof layer, "%.*s", (int)(slash - name), name);
    if (strcmp(layer, own_layer(row->place, own)) == 0 || list_has_layer(row->may, layer))
        return 0;
    return source_complain(source, line, "\"%s\": %s may include only itself%s%s", name,
                           row->place, row->may[0] ? " and: " : "", row->may);
}

/* Takes the name out of `#include <name>` or `#include "name"`; false for other lines. */
static bool include_of(const char *line, char *ret_name, bool *ret_external)
{
    char close;
    size_t n;

    line += strspn(line, " \t");
    if (*line++ != '#')
        return false;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return false;
    line += 7 + strspn(line + 7, " \t");
    if (*line != '<' && *line != '"')
        return false;
    close = *line == '<' ? '>' : '"';
    *ret_external = *line == '<';
    n = 0;
    while (line[n + 1] != close && line[n + 1] != '\n' && line[n + 1] != '\0')
        n++;
    snprintf(ret_name, NAME_MAX_BYTES, "%.*s", (int)n, line + 1);
    return true;
}

static int check_includes(const struct source *source)
{
    char name[NAME_MAX_BYTES];
    bool external;
    int found = 0, line = 1;

    for (const char *p = source->text; *p != '\0'; line++) {
        /* The code, unlike the text, has no # where the line is inside a comment. */
        const char *code = source->code + (p - source->text);

        if (code[strspn(code, " \t")] == '#' && include_of(p, name, &external))
            found += external ? check_external(source, line, name)
                              : check_own(source, line, name);
        p += strcspn(p, "\n");
        if (*p == '\n')
            p++;
    }
    return found;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: check_layers ROOT\n");
        return 2;
    }
    return sources_check(argv[1], check_includes);
}
