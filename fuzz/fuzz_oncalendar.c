/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as an OnCalendar expression of systemd.
 */
#include <stdint.h>

#include "check_cron.h"
#include "core/limits.h"
#include "core/oncalendar/oncalendar.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len}, zone;
    struct cron cron;
    struct err err;
    enum rc rc = oncalendar_parse(text, &cron, &zone, &err);

    if (rc != RC_OK) {
        check_error(rc, &err, len);
        return 0;
    }
    must(zone.len <= ZONE_NAME_MAX);
    must(cron.flags & CRON_DAY_AND);
    must(cron.day == 0 || cron.last == 0);
    check_cron(&cron);
    return 0;
}
