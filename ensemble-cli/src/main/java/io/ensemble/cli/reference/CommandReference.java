package io.ensemble.cli.reference;

import picocli.CommandLine;
import picocli.CommandLine.Help;

/** The reference of the command line: the help of each command that is not hidden. */
final class CommandReference {

  private static final int COLUMNS = 100;

  private CommandReference() {}

  static String page(CommandLine program) {
    StringBuilder page = new StringBuilder("# Commands\n\nThe help of each command.\n");
    describe(program, page);
    return page.toString();
  }

  private static void describe(CommandLine command, StringBuilder page) {
    if (command.getCommandSpec().usageMessage().hidden()) {
      return;
    }
    command.setUsageHelpAutoWidth(false);
    command.setUsageHelpWidth(COLUMNS);
    page.append("\n## ").append(command.getCommandSpec().qualifiedName()).append("\n\n```text\n");
    page.append(command.getUsageMessage(Help.Ansi.OFF).stripTrailing()).append("\n```\n");
    command.getSubcommands().values().stream()
        .distinct()
        .filter(one -> !(one.getCommand() instanceof CommandLine.HelpCommand))
        .forEach(one -> describe(one, page));
  }
}
