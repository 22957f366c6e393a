/* SPDX-License-Identifier: Apache-2.0 */
#include <cmocka.h>

#include "core/time/tz.h"
#include "helper.h"
#include "model/spec.h"
