/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The children of this process, as the kernel lists them.
 *
 * For io/process/supervisor.c and io/process/exec.c, which kill the processes that a program
 * leaves.  A child stays listed, and keeps its number, until this process has waited for it: so
 * the waiting process may signal it without hitting another process.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Calls `fn` for each child, including dead ones that were not waited for.  Orphans that
 * become children while the list is read may be missed; SIGCHLD announces the death of their
 * parent, so a caller that needs them all must call again then.  False with errno if there is
 * no list.
 */
bool children_each(void (*fn)(pid_t child, void *arg), void *arg);

/*
 * Sends SIGKILL to a child and to its process group, which may outlive it.  The kernel signals
 * a group as one: no member can escape by forking.
 */
void children_kill(pid_t child);
