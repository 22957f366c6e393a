/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `belfry check`.
 */
#pragma once

struct command;

const struct command *check_command(void);
