/* SPDX-License-Identifier: Apache-2.0 */
#include "core/limits.h"
#include "core/run.h"
