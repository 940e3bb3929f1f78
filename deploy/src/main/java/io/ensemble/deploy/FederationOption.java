package io.ensemble.deploy;

import io.ensemble.deploy.federation.Federation;
import io.ensemble.deploy.federation.FederationFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
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

  Federation connect() {
    return Federation.connect(file().read(), null);
  }
}
