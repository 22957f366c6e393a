/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/run.h"
#include "store/rows.h"
