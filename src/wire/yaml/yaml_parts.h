/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of wire/yaml/yaml.h only. */
#pragma once

#include "wire/yaml/yaml.h"

/*
 * The value of a plain scalar by the core schema; RC_INVALID for .inf, .nan and integers beyond
 * 64 bits.  The caller adds the position to the message.
 */
MUST_USE enum rc yaml_plain(struct str text, json_t **ret, struct err *reterr);
