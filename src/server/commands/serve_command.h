/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `belfry serve`.
 */
#pragma once

struct command;

const struct command *serve_command(void);
