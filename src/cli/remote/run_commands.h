/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands about runs that struct request_command cannot describe.
 */
#pragma once

#include "cli/remote/request_commands.h"

enum logs_option { LOGS_FOLLOW = REMOTE_OPTIONS, LOGS_TIMES, LOGS_OPTION_COUNT };

int logs_call(struct remote *remote, const struct args *args);
