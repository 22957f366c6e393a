/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the databases of this benchmark are: files in a directory, or databases of a server
 * that was started for it.  There is one for the bare loop and one for the engine at a time.
 */
#pragma once

#include <stdbool.h>

enum { PLACE_URL_MAX = 512 };

struct place {
    const char *dir;    /* for files               */
    const char *server; /* directory of its socket */
    bool is_server;
};

/* Creates an empty database of that name; removes an existing one first. */
void place_make(const struct place *place, const char *name, char url[static PLACE_URL_MAX]);

/* After loading: updates statistics and flushes everything to disk. */
void place_settle(const struct place *place, const char *name);
void place_remove(const struct place *place, const char *name);
