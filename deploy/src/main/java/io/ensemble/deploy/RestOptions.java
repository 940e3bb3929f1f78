package io.ensemble.deploy;

import io.ensemble.deploy.federation.FederationFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether {@code up} answers REST, and where. */
final class RestOptions {

  @Option(
      names = "--rest-port",
      paramLabel = "PORT",
      description =
          "Where the REST service answers, on 127.0.0.1; 0 for any free port. Default: "
              + LocalRest.USUAL_PORT
              + ", or any other if that is taken.")
  @Nullable Integer port;

  @Option(
      names = "--no-rest",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "false",
      description = "Answer no REST; this process does otherwise.")
  boolean rest = true;

  /**
   * @throws CommandException if the port cannot be one
   */
  void check() {
    LocalRest.checkPort("--rest-port", port);
  }

  /** Whether something is said of it. */
  boolean isGiven() {
    return port != null || !rest;
  }

  /**
   * The service of the catalog at {@code address}; null if there shall be none.
   *
   * @throws CommandException if it cannot have its port
   */
  @Nullable LocalRest start(String address, FederationFile file) {
    return rest
        ? LocalRest.start(address, port, RestAccess.byToken(file.restToken(), file.restAudit()))
        : null;
  }
}
