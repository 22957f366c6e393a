/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/desk.h"

struct work;
struct memory {
    struct work *work;
    int own; /* "with" in a comment is fine */
};

static int settle_one(int lane) /* a verb and its object */
{
    return lane;
}

static int place_of_run(int lane)
{
    return settle_one(lane);
}

static int take(int with);
static int take(int with)
{
    int not = place_of_run(with);

    return !not;
}

int desk_find(struct desk *desk)
{
    return take(desk->seats);
}
