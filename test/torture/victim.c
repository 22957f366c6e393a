/* SPDX-License-Identifier: Apache-2.0 */
/*
 * belfry-victim: the server, which kills itself at a given point.
 *
 * BELFRY_VICTIM is POINT:N, the N-th passage of a point of the server or of its connection to
 * the database; without it the program is the unchanged server.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/config/config.h"
#include "server/serve.h"
#include "victim.h"

enum { WAL_PAGES = 100 }; /* so that some kills come during a checkpoint */

_Static_assert(VICTIM_POINTS == SERVE_POINTS + DB_AFTER_COMMIT + 1, "every point has a name");

static struct {
    int point;
    _Atomic int64_t left; /* passages, by any thread */
} kill_point = {.point = -1};

static void pass(int point)
{
    if (point == kill_point.point && kill_point.left-- == 1)
        (void)raise(SIGKILL);
}

static void at_point(void *arg, enum serve_point point)
{
    (void)arg;
    pass((int)point);
}

static enum rc at_database(void *arg, enum db_point point)
{
    (void)arg;
    pass(SERVE_POINTS + (int)point);
    return RC_OK;
}

static bool read_kill_point(const char *text)
{
    const char *colon = text ? strchr(text, ':') : NULL;

    for (int i = 0; colon && i < VICTIM_POINTS; i++)
        if (strlen(victim_points[i]) == (size_t)(colon - text) &&
            strncmp(text, victim_points[i], (size_t)(colon - text)) == 0)
            kill_point.point = i;
    kill_point.left = colon ? atoll(colon + 1) : 0;
    return !text || kill_point.point >= 0;
}

static enum rc load(void *arg, struct config **ret, struct err *reterr)
{
    struct config_sources sources = {.env = (const char *const *)environ};

    (void)arg;
    return config_load(&sources, ret, reterr);
}

int main(void)
{
    struct db_fault fault = {.ask = at_database};
    struct serve_seam seam = {.at = at_point, .fault = &fault, .wal_pages = WAL_PAGES};
    struct config *config = NULL;
    struct err err = {.text = ""};
    int status;

    if (!read_kill_point(getenv("BELFRY_VICTIM")) || load(NULL, &config, &err) != RC_OK) {
        fprintf(stderr, "belfry-victim: %s\n", err.text[0] ? err.text : "no such point");
        return EXIT_FAILURE;
    }
    status = serve_run(
        &(struct serve_options){.config = config, .reload = load, .seam = &seam});
    config_free(config);
    return status;
}
