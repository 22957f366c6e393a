/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parsed query, shared by its parser and its evaluation.
 */
#pragma once

#include "api/temporal/temporal_query.h"

enum query_kind { QUERY_ALL, QUERY_AND, QUERY_OR, QUERY_NOT, QUERY_COMPARE };

enum query_op {
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_IN,
    OP_BETWEEN,
    OP_STARTS_WITH,
    OP_IS_NULL,
};

enum query_type { VALUE_NULL, VALUE_TEXT, VALUE_NUMBER, VALUE_BOOL };

struct query_value {
    enum query_type type;
    struct str text;
    double number;
    bool is_true;
};

/* The left side of a comparison. */
enum query_name {
    NAME_CUSTOM, /* a search attribute */
    NAME_ID,
    NAME_PAUSED,
    NAME_NEXT,
    NAME_RUNNING,
    NAME_BUFFERED,
};

struct temporal_query {
    enum query_kind kind;
    struct temporal_query *left, *right; /* QUERY_NOT: left */
    /* QUERY_COMPARE */
    enum query_name name;
    struct str custom; /* the name */
    enum query_op op;
    bool is_not; /* NOT IN, NOT BETWEEN, NOT STARTS_WITH, IS NOT NULL */
    struct query_value *values;
    int value_count;
};
