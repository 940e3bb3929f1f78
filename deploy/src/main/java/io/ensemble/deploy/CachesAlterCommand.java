package io.ensemble.deploy;

import io.ensemble.deploy.federation.Federation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "alter",
    description = {
      "Change what a cache is while it is used.",
      "Of a distributed cache the parts: keys that another part is to have are moved, and are held"
          + " meanwhile; the others are served. Nothing that was acknowledged is lost."
    })
final class CachesAlterCommand implements Callable<Integer> {

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin PartOptions parts = new PartOptions();

  @Parameters(paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Override
  public Integer call() {
    if (!parts.areGiven()) {
      throw new CommandFailure(
          ExitCode.USAGE, "what is to change? one of --add-part, --remove-part, --resume");
    }
    try (Federation connected = federation.connect()) {
      return parts.alter(connected, name, reporting);
    }
  }
}
