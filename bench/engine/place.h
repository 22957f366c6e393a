/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the databases of this benchmark are: files in a directory, or databases of a server
 * that was started for it.  One for the bare loop and one for the engine at a time.
 */
#pragma once

#include <stdbool.h>

enum { PLACE_URL_MAX = 512 };

struct work_run {
    const char *dir;    /* for files               */
    const char *server; /* directory of its socket */
    bool is_server;
};

/* An empty database of that name; one that is there is removed. */
void place_make(const struct work_run *place, const char *name, char url[static PLACE_URL_MAX]);

/* Makes what was loaded ordinary: statistics are known, nothing waits to be written. */
void place_settle(const struct work_run *place, const char *name);
void place_remove(const struct work_run *place, const char *name);
