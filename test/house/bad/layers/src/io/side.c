/* SPDX-License-Identifier: Apache-2.0 */
#include <sqlite3.h>

#include "core/tz.h"
#include "wire/http1.h"
