package io.ensemble.cli.migrations;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.check.process.CommandException;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.membership.SiteHealth;
import io.ensemble.placement.ReplicaName;
import io.ensemble.reconfiguration.ChangeRun;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Waits for the end of a change and shows its progress. */
public final class ChangeWait {

  private static final long LOOK_MILLIS = 500;

  private ChangeWait() {}

  /**
   * The end of a change.
   *
   * @param outcome {@code altered}, {@code cancelled} or {@code unchanged}
   * @param keys the number of keys that this process compared or copied, each several times
   * @param left stores that could not be removed, as {@code SITE STORE}
   */
  public record ChangeResult(
      String cache,
      String outcome,
      String mode,
      List<String> sites,
      String acknowledgement,
      long configuration,
      long keys,
      double seconds,
      List<String> left) {

    public static ChangeResult of(
        String outcome, StoredDefinition stored, long keys, double seconds) {
      CacheDefinition cache = stored.definition();
      return new ChangeResult(
          cache.name(),
          outcome,
          ChangeReport.lower(cache.mode()),
          cache.siteNames(),
          ChangeReport.lower(cache.acknowledgement()),
          stored.configuration(),
          keys,
          seconds,
          stored.change().map(change -> ChangeReport.of(stored).left()).orElse(List.of()));
    }

    /** The same for a change to the present state: then no change was aborted. */
    public ChangeResult orUnchanged() {
      return outcome.equals("cancelled")
          ? new ChangeResult(
              cache, "unchanged", mode, sites, acknowledgement, configuration, keys, seconds, left)
          : this;
    }

    public String text() {
      return "cache '%s' is %s at %s, configuration %d"
          .formatted(cache, mode, String.join(",", sites), configuration);
    }
  }

  /** The number of the configuration that the change of a cache leads, or has led, away from. */
  public static long formerConfiguration(StoredDefinition stored) {
    return stored.leadsFrom();
  }

  /**
   * The end of {@code run}.
   *
   * @param before the number of the configuration that it leads away from
   */
  public static ChangeResult awaitEnd(
      EnsembleCacheManager manager,
      String cache,
      long before,
      ChangeRun run,
      ProgressLine progressLine) {
    long begin = System.nanoTime();
    CompletableFuture<StoredDefinition> done = run.done().toCompletableFuture();
    LostStoreMonitor lost = new LostStoreMonitor(manager, cache);
    String shown = "";
    while (true) {
      try {
        StoredDefinition stored = done.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        String outcome = stored.configuration() > before ? "altered" : "cancelled";
        double seconds = Math.round((System.nanoTime() - begin) / 1e7) / 1e2;
        return ChangeResult.of(outcome, stored, run.copied(), seconds);
      } catch (TimeoutException goesOn) {
        lost.check();
        String now = state(manager, cache, shown);
        if (!now.equals(shown)) {
          progressLine.show(now);
          shown = now;
        }
      } catch (ExecutionException failed) {
        throw failed.getCause() instanceof RuntimeException why
            ? why
            : new IllegalStateException(failed.getCause());
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new CommandException(
            "interrupted; the change stays begun, see 'migrations'", stopped);
      }
    }
  }

  /**
   * The sites of the change that do not answer this process: the change waits for them, or
   * continues without them.
   */
  private static String silentSites(EnsembleCacheManager manager, StoredDefinition stored) {
    String names =
        manager.membership().health().stream()
            .filter(health -> health.state() != SuspicionLevel.State.REACHABLE)
            .map(SiteHealth::site)
            .filter(ReplicaName.sitesOf(List.copyOf(stored.allSites()))::contains)
            .collect(Collectors.joining(","));
    return names.isEmpty() ? "" : "; does not answer: " + names;
  }

  /** The progress of the change; {@code before} while the definitions cannot be read. */
  public static String state(EnsembleCacheManager manager, String cache, String before) {
    try {
      return manager
          .stored(cache)
          .filter(stored -> stored.change().isPresent())
          .map(stored -> ChangeReport.of(stored).text() + silentSites(manager, stored))
          .orElse(before);
    } catch (CatalogException away) {
      return before;
    }
  }
}
