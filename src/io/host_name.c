/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the host name and checks it: the kernel accepts any bytes, but databases and JSON only
 * UTF-8.
 */
#include "io/host_name.h"

#include <unistd.h>

#include "base/str.h"

void host_name_read(char ret[static HOST_NAME_SIZE])
{
    if (gethostname(ret, HOST_NAME_SIZE) != 0 || !str_is_utf8(str_of(ret)))
        ret[0] = '\0';
}
