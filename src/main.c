/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry point of the program: runs a command, or the supervisor of an exec action if
 * argv[0] is its name.
 */
#include <string.h>

#include "cli/cli.h"
#include "io/file.h"
#include "io/process/supervisor.h"
#include "server/commands/backup_command.h"
#include "server/commands/check_command.h"
#include "server/commands/config_command.h"
#include "server/commands/serve_command.h"

int main(int argc, char **argv)
{
    const struct command *commands[] = {serve_command(), config_command(), backup_command(),
                                        check_command()};

    if (argc > 0 && strcmp(argv[0], SUPERVISOR_NAME) == 0)
        supervisor_main();
    file_fill_standard();
    return cli_main(argc, argv, commands, sizeof commands / sizeof commands[0]);
}
