/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of wire/yaml/yaml.h share; nobody else includes it.
 */
#pragma once

#include "wire/yaml/yaml.h"

/*
 * What a plain scalar means by the core schema; RC_INVALID for .inf, .nan and integers beyond
 * 64 bits, with the message's end alone.
 */
MUST_USE enum rc yaml_plain(struct str text, json_t **ret, struct err *reterr);
