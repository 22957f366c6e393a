/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include <string.h>

#include "base/buf.h"
#include "base/must.h"

enum { PAGE_BYTES_MAX = 1 << 21 };

static const char head[] =
    "<!-- Written by script/mission from test/mission/*.txt: edit those. -->\n"
    "# What Belfry succeeds\n\n"
    "Belfry takes the place of five schedulers: Conductor's (REST), Temporal's (gRPC), an\n"
    "adaptive one that takes hints, an execution engine for agents, and one for the jobs of\n"
    "tenants. Here is every capability that this asks for, with the tests that show it. Each\n"
    "name is a test that `script/test` runs; a test of its own fails when one is gone or when\n"
    "this page says something else:\n"
    "[decision 0038](decisions/0038-every-feature-names-its-tests.md).\n\n";

struct tally {
    int met, all;
};

static struct tally tally_of(const struct table *table)
{
    struct tally tally = {0, 0};

    for (const struct promise *promise = table->promises; promise; promise = promise->next) {
        tally.met += promise_is_met(promise);
        tally.all++;
    }
    return tally;
}

/* The folder of a test: "core" of test/core/time/test_dst.c. */
static void put_folder(struct buf *buf, const char *path)
{
    const char *from = path + strlen("test/");

    buf_add(buf, from, (size_t)(strrchr(path, '/') - from));
}

/* A case of C is a sentence with underscores for blanks. */
static void put_test(struct buf *buf, const struct shown *shown)
{
    if (!shown->path) {
        buf_printf(buf, "`%s`", shown->name);
        return;
    }
    buf_text(buf, "[");
    for (const char *c = shown->name; *c != '\0'; c++)
        buf_char(buf, *c == '_' && !strchr(shown->name, ' ') ? ' ' : *c);
    buf_printf(buf, "](../%s) (", shown->path);
    put_folder(buf, shown->path);
    buf_text(buf, ")");
}

static void put_promise(struct buf *buf, const struct promise *promise)
{
    buf_printf(buf, "| %s | %s", promise->id, promise->words);
    if (promise->note)
        buf_printf(buf, "<br>*%s*", promise->note);
    buf_text(buf, " | ");
    if (!promise_is_met(promise))
        buf_text(buf, promise->tests ? "**not met**; in part: " : "**not met**");
    for (const struct shown *shown = promise->tests; shown; shown = shown->next) {
        put_test(buf, shown);
        buf_text(buf, shown->next ? "<br>" : "");
    }
    buf_text(buf, " |\n");
}

static void put_promises(struct buf *buf, const struct table *table)
{
    const char *group = NULL;

    for (const struct promise *promise = table->promises; promise; promise = promise->next) {
        if (promise == table->promises || promise->group != group) {
            if (promise->group)
                buf_printf(buf, "\n### %s\n", promise->group);
            buf_text(buf, "\n| | what | shown by |\n|---|---|---|\n");
            group = promise->group;
        }
        put_promise(buf, promise);
    }
}

static void put_unmet(struct buf *buf, const struct table *table, struct tally tally)
{
    if (tally.met == tally.all)
        return;
    buf_printf(buf, "\n### Not met: %d\n\n", tally.all - tally.met);
    for (const struct promise *promise = table->promises; promise; promise = promise->next)
        if (!promise_is_met(promise))
            buf_printf(buf, "- %s, %s: %s\n", promise->id, promise->words,
                       promise->unmet ? promise->unmet : "no test shows it");
}

static void put_table(struct buf *buf, const struct table *table)
{
    struct tally tally = tally_of(table);

    if (tally.all == 0)
        return;
    buf_printf(buf, "\n## %s\n\n%s\n", table->title, table->about);
    put_promises(buf, table);
    put_unmet(buf, table, tally);
}

const char *page_text(struct arena *arena, struct table *const *tables, size_t count)
{
    struct buf buf = {.ptr = arena_take(arena, PAGE_BYTES_MAX), .cap = PAGE_BYTES_MAX};

    buf_text(&buf, head);
    buf_text(&buf, "| list | met | not met |\n|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        struct tally tally = tally_of(tables[i]);

        if (tally.all > 0)
            buf_printf(&buf, "| %s | %d of %d | %d |\n", tables[i]->title, tally.met, tally.all,
                       tally.all - tally.met);
    }
    for (size_t i = 0; i < count; i++)
        put_table(&buf, tables[i]);
    must(!buf.cut);
    return buf.ptr;
}
