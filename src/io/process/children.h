/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The children of this process, as the kernel lists them.
 *
 * For io/process/supervisor.c and io/process/exec.c, which kill what a program leaves
 * behind.  A child stays listed, and keeps its number, until this process has waited for it: so
 * whoever waits may also signal, and cannot hit a stranger.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Calls `fn` for each child, dead ones that nobody waited for included.  A child that another
 * one's death moves while the list is read may be missed; that death is announced by SIGCHLD,
 * so whoever needs them all asks again then.  False with errno when there is no list.
 */
bool children_each(void (*fn)(pid_t child, void *arg), void *arg);

/*
 * SIGKILL to a child and to its process group, which can be left behind by it.  The kernel
 * signals a group as one: no member can fork its way out.
 */
void children_kill(pid_t child);
