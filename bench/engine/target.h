/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the databases of this benchmark are: files in a directory, or databases of a server
 * that was started for it.  There is one for the bare loop and one for the engine at a time.
 */
#pragma once

#include <stdbool.h>

enum { TARGET_URL_MAX = 512 };

struct bench_target {
    const char *dir;        /* of the files of SQLite            */
    const char *socket_dir; /* of the socket of PostgreSQL       */
    bool is_postgres;
};

/* Creates an empty database of that name; removes an existing one first. */
void target_make(const struct bench_target *target, const char *name,
                 char url[static TARGET_URL_MAX]);

/* After loading: updates statistics and flushes everything to disk. */
void target_settle(const struct bench_target *target, const char *name);
void target_remove(const struct bench_target *target, const char *name);
