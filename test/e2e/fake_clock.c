/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts servers with libfaketime and sets their clock.
 */
#include "fake_clock.h"

#include <glob.h>

#include "core/time/text.h"
#include "io/clock.h"

enum { TEXT_MAX = 512 };

#define LIBRARY "/usr/lib/*/faketime/libfaketimeMT.so.1"

/* rename() is atomic: the server reads either the old or the new file. */
void fake_clock_set_offset(const struct world *world, const char *offset)
{
    const char *fresh = world_write(world, "clock.new", offset);

    assert_int_equal(rename(fresh, world_path(world, "clock")), 0);
}

void fake_clock_set_time(const struct world *world, const char *when)
{
    char offset[TEXT_MAX];
    struct err err;
    instant t;

    assert_int_equal(instant_parse(str_of(when), &t, &err), RC_OK);
    snprintf(offset, sizeof offset, "%+.6f", (double)(t - clock_now()) / (double)SPAN_S);
    fake_clock_set_offset(world, offset);
}

struct server *fake_clock_spawn(struct world *world, const char *const *args)
{
    /* The address sanitizer refuses to start if a library comes before its own. */
    static const char asan[] = "ASAN_OPTIONS=verify_asan_link_order=0";
    static char preload[TEXT_MAX], file[TEXT_MAX];
    glob_t found;

    if (glob(LIBRARY, 0, NULL, &found) != 0)
        fail_msg("libfaketime is not installed; run script/bootstrap");
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", found.gl_pathv[0]);
    globfree(&found);
    snprintf(file, sizeof file, "FAKETIME_TIMESTAMP_FILE=%s", world_path(world, "clock"));
    return server_spawn(world, &(struct server_start){
                                   .args = args,
                                   .env = WORDS(preload, file, "FAKETIME_NO_CACHE=1",
                                                "FAKETIME_DONT_FAKE_MONOTONIC=1", asan),
                               });
}

struct server *fake_clock_start(struct world *world, const char *const *args)
{
    struct server *d = fake_clock_spawn(world, args);

    d->port = server_port(d);
    server_await(d, "msg=ready");
    return d;
}
