/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define DESK_MAX 3

struct desk {
    int seats;
};

enum seat_state { SEAT_HELD, SEAT_AWAY = DESK_MAX, HELD };

int desk_find(struct desk *desk);
static inline int settle_all(const struct desk *desk)
{
    return desk->seats;
}
