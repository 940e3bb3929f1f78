package io.ensemble.deploy;

import io.ensemble.deploy.federation.Federation;
import io.ensemble.deploy.federation.FederationFile;
import io.ensemble.deploy.federation.FederationState;
import io.ensemble.deploy.federation.Place;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Which federation a command works on. */
final class FederationOption {

  @Option(
      names = "--federation",
      paramLabel = "FILE",
      description =
          "The file that tells of a running federation, or of sites of your own (docs/security.md);"
              + " default: $ENSEMBLE_FEDERATION, else ~/.ensemble/federation.json.")
  @Nullable Path given;

  FederationFile file() {
    return FederationFile.choose(given, System.getenv(FederationFile.VARIABLE));
  }

  /** Whether one is named, by the option or by the variable. */
  boolean isNamed() {
    return given != null || System.getenv(FederationFile.VARIABLE) != null;
  }

  /**
   * The one that runs, for a command that may also start one of its own.
   *
   * @param ofItsOwn the options of such a one, of which none may be given now
   */
  FederationState running(CommandSpec command, List<String> ofItsOwn) {
    for (String own : ofItsOwn) {
      if (command.commandLine().getParseResult().hasMatchedOption(own)) {
        throw new CommandFailure(
            ExitCode.USAGE,
            own + " is for a federation of its own; this run is on " + file().path());
      }
    }
    FederationState running = file().read();
    running.sites().forEach(Place::configuration); // What is wrong with one is told here.
    return running;
  }

  Federation connect() {
    return Federation.connect(file().read(), null);
  }
}
