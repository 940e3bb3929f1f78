package io.ensemble.cli;

import io.ensemble.cli.backup.BackupCommand;
import io.ensemble.cli.backup.RestoreCommand;
import io.ensemble.cli.bench.YcsbCommand;
import io.ensemble.cli.bundle.BundleCommand;
import io.ensemble.cli.caches.CachesCommand;
import io.ensemble.cli.check.CheckCommand;
import io.ensemble.cli.check.LoadCommand;
import io.ensemble.cli.demo.DemoCommand;
import io.ensemble.cli.doctor.DoctorCommand;
import io.ensemble.cli.entries.GetCommand;
import io.ensemble.cli.entries.PutCommand;
import io.ensemble.cli.entries.RemoveCommand;
import io.ensemble.cli.entries.WatchCommand;
import io.ensemble.cli.explain.ExplainCommand;
import io.ensemble.cli.heat.HeatCommand;
import io.ensemble.cli.keys.KeysCommand;
import io.ensemble.cli.locks.LocksCommand;
import io.ensemble.cli.migrations.MigrationsCommand;
import io.ensemble.cli.objects.ObjectsCommand;
import io.ensemble.cli.output.VersionProvider;
import io.ensemble.cli.reference.ReferenceCommand;
import io.ensemble.cli.rest.RestCommand;
import io.ensemble.cli.sites.SitesCommand;
import io.ensemble.cli.size.SizeCommand;
import io.ensemble.cli.trace.TraceCommand;
import io.ensemble.cli.tree.TreeCommand;
import io.ensemble.cli.up.UpCommand;
import io.ensemble.cli.wan.WanCommand;
import io.ensemble.cli.zoofence.CatalogCommand;
import io.ensemble.cli.zoofence.ZoofenceCommand;
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
      "1:failed, refused, absent, or a condition was not met",
      "2:invalid command line",
      "3:outcome unknown, perhaps applied"
    },
    footerHeading = "%nCompletion:%n",
    footer = "  source <(./ensemble generate-completion)   # bash and zsh",
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      RestCommand.class,
      SitesCommand.class,
      DoctorCommand.class,
      BundleCommand.class,
      CachesCommand.class,
      BackupCommand.class,
      RestoreCommand.class,
      KeysCommand.class,
      MigrationsCommand.class,
      ExplainCommand.class,
      GetCommand.class,
      PutCommand.class,
      RemoveCommand.class,
      WatchCommand.class,
      HeatCommand.class,
      LocksCommand.class,
      ObjectsCommand.class,
      TreeCommand.class,
      YcsbCommand.class,
      LoadCommand.class,
      SizeCommand.class,
      TraceCommand.class,
      ZoofenceCommand.class,
      CatalogCommand.class,
      WanCommand.class,
      CheckCommand.class,
      ReferenceCommand.class,
      GenerateCompletion.class,
      HelpCommand.class
    })
final class EnsembleCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is required");
  }
}
