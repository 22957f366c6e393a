/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database on the simulator's disk, for the tests of that disk.
 */
#pragma once

#include "vfs_log.h"

#include "sim/vfs.h"

#define URL "sqlite:belfry.db?vfs=sim"

enum { ARENA_MAX = 64 << 20 };

struct world {
    struct sim_vfs *vfs;
    struct arena *arena;
    struct db *db; /* a writer, or NULL */
};

/* Fails the test with the error message. */
#define OK(call)                                                      \
    do {                                                              \
        struct err ok_err = {.text = ""};                             \
        struct err *err = &ok_err;                                    \
        enum rc ok_rc = (call);                                       \
        if (ok_rc != RC_OK)                                           \
            fail_msg("%s: %s: %s", #call, rc_name(ok_rc), err->text); \
    } while (0)

static inline void world_new(struct world *w, uint64_t seed)
{
    *w = (struct world){.vfs = sim_vfs_new("sim", seed), .arena = arena_new(ARENA_MAX)};
}

static inline void world_free(struct world *w)
{
    w->db = db_close(w->db);
    sim_vfs_free(w->vfs);
    arena_free(w->arena);
}

static inline struct db *open_reader(void)
{
    struct db *db = NULL;

    OK(db_open(URL, &(struct db_options){.readonly = true}, &db, err));
    return db;
}

/* Opens the writer, with its tables. */
static inline enum rc world_open(struct world *w, struct err *err)
{
    enum rc rc = db_open(URL, NULL, &w->db, err);

    return rc == RC_OK ? make_tables(w->db, err) : rc;
}
