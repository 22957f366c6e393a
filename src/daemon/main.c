/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the program begins.
 */
#include "cli/cli.h"
#include "daemon/config_command.h"

int main(int argc, char **argv)
{
    const struct command *commands[] = {config_command()};

    return cli_main(argc, argv, commands, sizeof commands / sizeof commands[0]);
}
