/* SPDX-License-Identifier: Apache-2.0 */
/* docs/mission.md as the lists make it. */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "table.h"

const char *page_text(struct arena *arena, struct table *const *tables, size_t count);
