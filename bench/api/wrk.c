/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs wrk(1) and parses its output.
 */
#include "wrk.h"

#include "soak.h"

enum {
    COMMAND_MAX = 1024,
    LINE_MAX_BYTES = 256,
    THREADS = 1, /* of wrk: the server needs the second core */
};

struct wrk_result wrk_run(const struct wrk *wrk, const char *dir)
{
    struct wrk_result result = {0};
    char command[COMMAND_MAX], line[LINE_MAX_BYTES];
    bool has_result = false;
    FILE *out;

    snprintf(command, sizeof command,
             "exec wrk -t %d -c %d -d %d --timeout 10s -s '%s/%s' 'http://127.0.0.1:%d%s' %s",
             THREADS, wrk->connections, wrk->seconds, dir, wrk->script, (int)wrk->port,
             wrk->path, wrk->argument ? wrk->argument : "");
    out = popen(command, "re");
    if (!out)
        DIE("wrk cannot be started");
    while (fgets(line, sizeof line, out)) {
        long long bad;

        if (sscanf(line, "result %lf %lf %lf %lld", &result.per_s, &result.p50_us,
                   &result.p99_us, &bad) != 4)
            continue;
        result.bad = bad;
        has_result = true;
    }
    if (pclose(out) != 0 || !has_result)
        DIE("wrk has failed: %s", command);
    return result;
}
