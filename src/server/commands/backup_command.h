/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `belfry backup`.
 */
#pragma once

struct command;

const struct command *backup_command(void);
