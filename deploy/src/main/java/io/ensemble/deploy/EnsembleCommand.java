package io.ensemble.deploy;

import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "ensemble",
    description = "A data grid over several independent Infinispan clusters.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionProvider.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed, refused, absent, or a condition that was not met",
      "2:the command line is wrong",
      "3:the outcome is unknown, perhaps applied"
    },
    footerHeading = "%nCompletion:%n",
    footer = "  source <(./ensemble generate-completion)   # bash and zsh",
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      RestCommand.class,
      SitesCommand.class,
      CachesCommand.class,
      KeysCommand.class,
      MigrationsCommand.class,
      ExplainCommand.class,
      GetCommand.class,
      PutCommand.class,
      RemoveCommand.class,
      YcsbCommand.class,
      LoadCommand.class,
      TraceCommand.class,
      ZoofenceCommand.class,
      CatalogCommand.class,
      WanCommand.class,
      CheckCommand.class,
      GenerateCompletion.class,
      HelpCommand.class
    })
final class EnsembleCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which command?");
  }
}
