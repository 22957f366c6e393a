/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the test server says about zones and about the balance of its ledger.
 */
#include "api/overview/ledger_balance.h"
#include "core/time/tz_type.h"
#include "world.h"
#include "world_store.h"

const struct tz_now *world_list_zones(void *user, instant now, struct arena *arena,
                                      int *ret_count, const char **ret_version)
{
    static const struct tz_now zones[] = {
        {{"Europe/Berlin", 13}, {3600, false, "CET"}, 1774746000},
        {{"UTC", 3}, {0, false, "UTC"}, TZ_TIME_MAX},
    };

    (void)user;
    (void)now;
    (void)arena;
    *ret_count = sizeof zones / sizeof zones[0];
    *ret_version = "2026a";
    return zones;
}

void world_ledger_balance(void *arg, int64_t namespace, struct arena *arena,
                          struct ledger_balance *ret)
{
    (void)arg;
    (void)arena;
    if (world.balance && namespace == world.call.namespace &&
        str_eq(world.call.namespace_name, STR("default")))
        *ret = *world.balance;
}
