/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry backup`.
 */
#pragma once

struct command;

const struct command *backup_command(void);
