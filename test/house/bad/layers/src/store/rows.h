/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json/json.h"
#include "wire/json/json_text.h"
