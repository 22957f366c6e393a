/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of this machine.
 */
#pragma once

enum { HOST_NAME_SIZE = 65 }; /* Linux limits host names to 64 bytes */

/* Writes the name, or an empty text if it cannot be read or is not UTF-8. */
void host_name_read(char ret[static HOST_NAME_SIZE]);
