/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

struct arena;

struct arena *arena_new(unsigned long ceiling);
void *arena_take(struct arena *arena, unsigned long size);
void log_line(const char *text);
int text_write(char *text, unsigned long size, int n);
