/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of an upstream that show many workflows at once: which of them run, or which of them
 * have ended.
 *
 * A list is only a hint: a request about the workflow itself confirms each end.  An upstream is
 * asked for lists if it has more followed workflows than its rate can look at in time; while
 * its lists can be read, most single requests are saved.  See docs/decisions/0053.
 */
#pragma once

#include "server/dispatch/followers.h"

enum {
    LISTS_AT_ONCE = 4, /* requests of an upstream in progress                              */
    LISTS_SHARE = 10,  /* one of so many permitted looks goes to workflows that lists cover */
    BAD_HINTS_MAX = 3, /* then the workflow is looked at as if there were no list          */
};

/* Followed workflows per request and second of the rate, from which on lists are read. */
#define LISTS_FROM      (5 * SPAN_S)
#define LISTS_PAUSE     (5 * SPAN_S) /* between two readings of a list                     */
#define LISTS_PAUSE_MAX SPAN_MIN     /* after failures, which double it                    */
#define LISTS_VALID     SPAN_MIN     /* a list that was read longer ago says nothing       */

/* A reading of a list.  Its texts are valid until followers_end_list(). */
struct follow_list {
    struct follow_group *group;
    int64_t namespace;
    struct str upstream, name; /* FOLLOWER_UPSTREAM, FOLLOWER_LIST             */
    int64_t since;             /* as given to followers_end_list(); 0: nothing */
};

/* Begins to read the list that is due, until followers_end_list(); false: none is. */
bool followers_begin_list(struct followers *all, int64_t now_us, follow_limits_of *limits,
                          void *arg, struct follow_list *ret);

/* The reading sends one more request. */
void followers_continue_list(const struct follow_list *list);

/* The list shows that the workflow runs. */
void followers_see_running(struct followers *all, const struct follow_list *list,
                           struct str workflow);

/* The list shows the end of a run of the workflow; `run` may be empty. */
void followers_see_ended(struct followers *all, const struct follow_list *list,
                         struct str workflow, struct str run, int64_t now_us);

/* The list shows all that run: the others have ended. */
void followers_see_no_more(struct followers *all, const struct follow_list *list,
                           int64_t now_us);

/* If the list was read completely, `since` is remembered for its next reading. */
void followers_end_list(struct followers *all, const struct follow_list *list, bool is_complete,
                        int64_t since, int64_t now_us);

/* Whether there are so many workflows of the upstream that lists are read. */
bool follow_target_has_lists(const struct follow_target *target, int64_t now_us);
