package io.ensemble.cli.migrations;

import io.ensemble.DistributedDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.distribution.RepartitionRun;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Option;

/** The change of the parts of a distributed cache. */
public final class PartOptions {

  /** A larger share of the keys is moved only if an option allows it. */
  private static final double MOST = 0.6;

  @Option(
      names = "--add-part",
      split = ",",
      paramLabel = "CACHE",
      description = "Add this cache as a part of a distributed cache.")
  List<String> added = List.of();

  @Option(
      names = "--remove-part",
      split = ",",
      paramLabel = "CACHE",
      description =
          "Remove this cache from the parts of a distributed cache; the cache itself stays.")
  List<String> removed = List.of();

  @Option(
      names = "--move-most",
      description = "Also if most keys must move, as with the partitioner modulo.")
  boolean most;

  @Option(
      names = "--resume",
      description = "Continue a change of the parts whose process has crashed.")
  boolean resumed;

  /**
   * The result of the change.
   *
   * @param moved the number of keys that this process has moved
   */
  private record RepartitionResult(String cache, List<String> parts, long generation, long moved) {}

  /** As if {@code --resume} were given. */
  static PartOptions resuming() {
    PartOptions options = new PartOptions();
    options.resumed = true;
    return options;
  }

  /** Whether any of these options is given. */
  public boolean areGiven() {
    return !added.isEmpty() || !removed.isEmpty() || resumed;
  }

  /** Changes the parts of the cache {@code name}, and waits until that is done. */
  public int alter(FederationConnection connected, String name, ReportOptions reportOptions) {
    RepartitionRun run =
        resumed ? connected.manager().parts().resume(name) : begin(connected, name);
    try (ProgressLine progressLine = ProgressLine.on(reportOptions.err(), "changing parts")) {
      StoredDistribution done = awaitEnd(connected, name, run, progressLine);
      progressLine.finish();
      RepartitionResult altered =
          new RepartitionResult(name, done.definition().parts(), done.generation(), run.moved());
      reportOptions.report(
          altered,
          out ->
              out.printf(
                  "altered: cache '%s', distributed to %s; keys moved: %d%n",
                  name, String.join(",", altered.parts()), altered.moved()));
      return ExitCode.OK;
    }
  }

  private RepartitionRun begin(FederationConnection connected, String name) {
    DistributedDefinition to =
        connected
            .manager()
            .distribution(name)
            .orElseThrow(
                () -> new CommandException("there is no distributed cache '%s'".formatted(name)));
    for (String part : added) {
      to = to.with(part);
    }
    for (String part : removed) {
      to = to.without(part);
    }
    double share = connected.manager().parts().movingShare(to);
    if (share > MOST && !most) {
      throw new CommandException(
          ("about %.0f %% of the keys would move, and cannot be used meanwhile; use --move-most to "
                  + "accept this")
              .formatted(100 * share));
    }
    return connected.manager().parts().alter(to);
  }

  private static StoredDistribution awaitEnd(
      FederationConnection connected, String name, RepartitionRun run, ProgressLine progressLine) {
    String shown = "";
    while (true) {
      try {
        return run.done().toCompletableFuture().get(1, TimeUnit.SECONDS);
      } catch (TimeoutException notYet) {
        String now = state(connected, name, run);
        if (!now.equals(shown)) {
          progressLine.show(now);
          shown = now;
        }
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException why
            ? why
            : new IllegalStateException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandException(
            "interrupted: continue the change of the parts with --resume", e);
      }
    }
  }

  /**
   * Its progress, by this process's own count: that of another process is as old as its last
   * heartbeat.
   */
  private static String state(FederationConnection connected, String name, RepartitionRun run) {
    String moved = "%,d keys moved".formatted(run.moved());
    try {
      return connected
          .manager()
          .parts()
          .underWay(name)
          .map(growth -> ChangeReport.lower(growth.step()) + ", " + moved)
          .orElse(moved);
    } catch (CatalogException away) {
      return moved;
    }
  }
}
