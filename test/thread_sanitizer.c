/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suppresses false reports of the thread sanitizer; linked only if it is enabled.
 *
 * The sanitizer tracks descriptors by number.  It does not see libuv's bare system call that
 * closes a descriptor, nor openat() and timerfd_create().  If another thread gets the number of
 * a closed connection for a file or a timer, the sanitizer reports that two threads share it.
 */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
    return "race:^file_read_at$\n"
           "race:^deadline_close$\n";
}
