/* SPDX-License-Identifier: Apache-2.0 */
#  define DOOR_READERS_MAX 3
union errand {
    int task_queue;
};
int task_queue_of(int x);
int task_end(int x);
