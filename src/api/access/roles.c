/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of roles and their rights, and their names.
 */
#include "api/access/roles.h"

static const char *const names[ROLE_COUNT] = {
    [ROLE_NONE] = "nobody",
    [ROLE_VIEWER] = "viewer",
    [ROLE_OPERATOR] = "operator",
    [ROLE_EDITOR] = "editor",
    [ROLE_ADMIN] = "admin",
    [ROLE_WORKER] = "worker",
    [ROLE_VIEWER_WORKER] = "viewer+worker",
    [ROLE_OPERATOR_WORKER] = "operator+worker",
    [ROLE_EDITOR_WORKER] = "editor+worker",
};

#define BIT(right) (1u << (right))
#define VIEWER     (BIT(RIGHT_NONE) | BIT(RIGHT_VIEW))
#define OPERATOR   (VIEWER | BIT(RIGHT_OPERATE))
#define EDITOR     (OPERATOR | BIT(RIGHT_EDIT))
#define WORKER     (BIT(RIGHT_NONE) | BIT(RIGHT_WORK))
#define ADMIN      (EDITOR | WORKER | BIT(RIGHT_ADMIN))

static const unsigned rights[ROLE_COUNT] = {
    [ROLE_NONE] = BIT(RIGHT_NONE),
    [ROLE_VIEWER] = VIEWER,
    [ROLE_OPERATOR] = OPERATOR,
    [ROLE_EDITOR] = EDITOR,
    [ROLE_ADMIN] = ADMIN,
    [ROLE_WORKER] = WORKER,
    [ROLE_VIEWER_WORKER] = VIEWER | WORKER,
    [ROLE_OPERATOR_WORKER] = OPERATOR | WORKER,
    [ROLE_EDITOR_WORKER] = EDITOR | WORKER,
};

const char *role_text(enum role role)
{
    return role >= 0 && role < ROLE_COUNT ? names[role] : names[ROLE_NONE];
}

enum rc role_parse(struct str word, void *to, struct err *reterr)
{
    enum role *ret = to;

    for (int i = ROLE_VIEWER; i < ROLE_COUNT; i++)
        if (str_eq(word, str_of(names[i]))) {
            *ret = (enum role)i;
            return RC_OK;
        }
    return err_set(reterr, RC_INVALID, 0, (int)word.len,
                   "must be viewer, operator, editor, admin, worker, viewer+worker, "
                   "operator+worker or editor+worker, not \"%.*s\"",
                   STR_ARG(word));
}

bool role_has(enum role role, bool is_everywhere, enum right right)
{
    if (role < 0 || role >= ROLE_COUNT || right < 0 || right >= RIGHT_COUNT)
        return false;
    if (right == RIGHT_SERVER)
        return role == ROLE_ADMIN && is_everywhere;
    return (rights[role] & BIT(right)) != 0;
}

const char *right_roles(enum right right)
{
    static const char *const texts[RIGHT_COUNT] = {
        [RIGHT_NONE] = "anybody",
        [RIGHT_VIEW] = "viewer, operator, editor or admin",
        [RIGHT_OPERATE] = "operator, editor or admin",
        [RIGHT_EDIT] = "editor or admin",
        [RIGHT_WORK] = "worker or admin",
        [RIGHT_ADMIN] = "admin",
        [RIGHT_SERVER] = "admin of all namespaces",
    };

    return texts[right];
}
