/* SPDX-License-Identifier: Apache-2.0 */
#include <sqlite3.h>

#include "core/time/tz.h"
#include "wire/http1/http1.h"
