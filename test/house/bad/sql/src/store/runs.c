/* SPDX-License-Identifier: Apache-2.0 */
static const char *const statements[] = {
    "SELECT id FROM runs WHERE state = 3 AND state=$1 AND lane <> 0",
    "SELECT id FROM runs r WHERE r.state"
    " IN (5, 6) AND outcome not in ( 11 ) AND state BETWEEN 1 AND 2",
    "UPDATE runs SET kind = "
    "1 WHERE CASE reason WHEN 7 THEN 1 ELSE 0 END = 1",
    "DELETE FROM runs WHERE restate = 3 AND state_of = 3 AND attempt = 3", /* state = 3 */
};
