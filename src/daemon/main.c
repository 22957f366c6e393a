/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the program begins.
 */
#include <string.h>

#include "cli/cli.h"
#include "io/keeper.h"

int main(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], KEEPER_NAME) == 0)
        keeper_main();
    return cli_main(argc, argv);
}
