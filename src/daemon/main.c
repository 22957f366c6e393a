/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the program begins.
 */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
