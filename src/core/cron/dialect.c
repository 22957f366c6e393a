/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the dialects, and the rule for clock changes that belongs to each.
 */
#include "core/cron/dialect.h"

#include <stdbool.h>

#include "base/must.h"

static const struct {
    const char *text;
    enum dst_name dst;
} dialects[DIALECT_COUNT] = {
    [DIALECT_BELFRY] = {"belfry", DST_VIXIE},
    [DIALECT_POSIX] = {"posix", DST_VIXIE},
    [DIALECT_VIXIE] = {"vixie", DST_VIXIE},
    [DIALECT_CRONIE] = {"cronie", DST_VIXIE},
    [DIALECT_ROBFIG] = {"robfig", DST_LITERAL},
    [DIALECT_ROBFIG_SECONDS] = {"robfig-seconds", DST_LITERAL},
    [DIALECT_K8S] = {"k8s", DST_LITERAL},
    [DIALECT_GITHUB] = {"github", DST_VIXIE},
    [DIALECT_CLOUDSCHEDULER] = {"cloudscheduler", DST_VIXIE},
    [DIALECT_SPRING] = {"spring", DST_LITERAL},
    [DIALECT_QUARTZ] = {"quartz", DST_LAST},
    [DIALECT_AWS] = {"aws", DST_ONCE},
    [DIALECT_JENKINS] = {"jenkins", DST_LITERAL},
    [DIALECT_TEMPORAL] = {"temporal", DST_LITERAL},
    [DIALECT_SYSTEMD] = {"systemd", DST_ONCE},
    [DIALECT_RRULE] = {"rrule", DST_ONCE},
};

static bool is_dialect(enum dialect dialect)
{
    return (unsigned)dialect < DIALECT_COUNT;
}

const char *dialect_text(enum dialect dialect)
{
    must(is_dialect(dialect));
    return dialects[dialect].text;
}

enum rc dialect_parse(struct str text, enum dialect *ret, struct err *reterr)
{
    const char *names[DIALECT_COUNT];
    int nearest;

    for (int i = 0; i < DIALECT_COUNT; i++) {
        names[i] = dialects[i].text;
        if (str_eq(text, str_of(names[i]))) {
            *ret = (enum dialect)i;
            return RC_OK;
        }
    }
    nearest = str_nearest(text, names, DIALECT_COUNT);
    if (nearest >= 0)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "\"%.*s\" is not a dialect; did you mean \"%s\"?", STR_ARG(text),
                       names[nearest]);
    return err_set(reterr, RC_INVALID, 0, (int)text.len,
                   "\"%.*s\" is not a dialect; use belfry, posix, vixie, cronie, robfig, "
                   "robfig-seconds, k8s, github, cloudscheduler, spring, quartz, aws, "
                   "jenkins, temporal, systemd or rrule",
                   (int)(text.len > 40 ? 40 : text.len), text.ptr);
}

enum dst_name dialect_dst(enum dialect dialect)
{
    must(is_dialect(dialect));
    return dialects[dialect].dst;
}
