package io.ensemble.cli.rest;

import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.process.CommandException;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether {@code up} serves REST, and on which port. */
public final class RestOptions {

  @Option(
      names = "--rest-port",
      paramLabel = "PORT",
      description =
          "Port of the REST service, on 127.0.0.1; 0 for any free port. Default: "
              + LocalRest.USUAL_PORT
              + ", or any other if that port is in use.")
  @Nullable Integer port;

  @Option(
      names = "--no-rest",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "false",
      description = "Do not run the REST service; by default it runs.")
  public boolean rest = true;

  /**
   * @throws CommandException if the port is invalid
   */
  public void check() {
    LocalRest.checkPort("--rest-port", port);
  }

  /** Whether any of these options is given. */
  public boolean isGiven() {
    return port != null || !rest;
  }

  /**
   * The service of the catalog at {@code address}; null if the options disable it.
   *
   * @param meters further meters that the service exports
   * @throws CommandException if its port cannot be used
   */
  public @Nullable LocalRest start(String address, FederationFile file, MeterBinder meters) {
    return rest
        ? LocalRest.start(
            address, port, RestAccess.byToken(file.restToken(), file.restAudit()), meters)
        : null;
  }
}
