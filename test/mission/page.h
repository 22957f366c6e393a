/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the text of docs/mission.md from the lists. */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "table.h"

const char *page_text(struct arena *arena, struct table *const *tables, size_t count);
