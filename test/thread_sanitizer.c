/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the thread sanitizer takes for a race and is none; linked only where it is on.
 *
 * It follows descriptors.  libuv closes its own by a bare system call, which it does not see;
 * openat() and timerfd_create() it does not see either.  So a number that was a connection and
 * is now a file or a timer of another thread looks like one thing that two threads use.
 */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
    return "race:^file_read_at$\n"
           "race:^deadline_close$\n";
}
