package io.ensemble.cli.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.QueueCommand.Credential;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The access of a command to the administrative ensemble of a ZooFence deployment. */
final class AdminAccessOption {
  private static final String NAME = "--admin-auth";

  @Option(
      names = NAME,
      paramLabel = "digest@REF",
      description =
          "Credential for the administrative ensemble, as digest@file:PATH or digest@env:NAME, "
              + "which contain user:password. The process that founds a deployment decides; all "
              + "others need the same. Default: every client of that ensemble can read commands, "
              + "which contain credentials of clients.")
  @Nullable String credential;

  AdminAccess access() {
    if (credential == null) {
      return AdminAccess.OPEN;
    }
    Credential given = ZoofenceOptions.credential(NAME, credential);
    if (!given.scheme().equals("digest")) {
      throw new CommandException(ExitCode.USAGE, NAME + " must have the scheme digest");
    }
    try {
      return AdminAccess.digest(UTF_8.decode(given.proof()).toString().strip());
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, NAME + ": " + e.getMessage());
    }
  }
}
