/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that are allowed here and forbidden in other folders.
 */
#pragma once

enum known_lane { KNOWN_LANES_MAX = 4 };

struct subject {
    int process, place, print;
};

int lane_settle(struct subject *subject);
int print_lane(const struct subject *subject);
