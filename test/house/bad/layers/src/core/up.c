/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdint.h>
#include <time.h>
#include <unheard_of.h>

#include "base/err.h"
#include "core/time/tz.h"
#include "io/zoneinfo.h"
#include "tz.h"
  #  include "model/spec.h"
#include "core/cron/cron.c"

/*
#include "server/config/config.h"
*/
