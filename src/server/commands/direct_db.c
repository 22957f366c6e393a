/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the database in the configuration and opens it for reading.
 */
#include "server/commands/direct_db.h"

#include <unistd.h>

#include "base/must.h"
#include "cli/frame/report.h"
#include "server/config/config.h"

int direct_db_open(const struct args *args, const struct db_options *options, struct db **ret)
{
    const char *flags[CONFIG_KEYS] = {
        [CONFIG_DB] = args->value[DIRECT_DB_URL],
        [CONFIG_STATE_DIR] = args->value[DIRECT_DB_STATE_DIR],
    };
    struct config_sources sources = {
        .file = args->value[DIRECT_DB_FILE],
        .env = (const char *const *)environ,
        .flag = flags,
        .is_root = geteuid() == 0,
    };
    struct config *config = NULL;
    struct err err;
    enum rc rc;

    must(options->readonly);
    if (config_load(&sources, &config, &err) != RC_OK) {
        report_note("%s", err.text);
        return err.rc == RC_NOT_FOUND ? STATUS_FAILED : STATUS_USAGE;
    }
    rc = db_open(config->db.ptr, options, ret, &err);
    config_free(config);
    if (rc == RC_OK)
        return STATUS_OK;
    report_note("%s", err.text);
    return STATUS_FAILED;
}
