package io.ensemble.cli.sites;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.check.process.CommandException;
import io.ensemble.cli.migrations.ChangeWait;
import io.ensemble.cli.migrations.LostStoreMonitor;
import io.ensemble.cli.output.CommandErrors;
import io.ensemble.membership.CacheRelocation;
import io.ensemble.reconfiguration.ChangeRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves caches away from a site, one after the other, until none is there but those that cannot
 * leave. It joins a change that another process has begun, and takes it over when that process
 * becomes silent.
 */
final class SiteDrain {

  private static final long LOOK_MILLIS = 500;

  /** The number of attempts for a cache that changes after its new sites were chosen. */
  static final int MOST_TRIES = 8;

  private final EnsembleCacheManager manager;
  private final String site;
  private final Duration longest;
  private final long keysPerSecond;

  /**
   * @param longest the time limit for one cache
   * @param keysPerSecond the maximum rate of copied keys; 0 for no limit
   */
  SiteDrain(EnsembleCacheManager manager, String site, Duration longest, long keysPerSecond) {
    this.keysPerSecond = keysPerSecond;
    this.manager = manager;
    this.site = site;
    this.longest = longest;
  }

  /**
   * The result for one cache.
   *
   * @param to its sites now, or the intended ones
   * @param keys the number of keys compared or copied, each several times
   * @param error the reason why it is still at the site; null if it is not
   * @param notes remarks about its new site
   */
  record RelocationReport(
      String cache,
      List<String> from,
      List<String> to,
      long keys,
      double seconds,
      @Nullable String error,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> notes) {

    boolean ok() {
      return error == null;
    }
  }

  /**
   * @param progress receives the steps
   * @param notes receives a note about each weaker property of a new site, before the move
   * @throws io.ensemble.SiteInUseException if there are too few other sites; the call had no effect
   */
  List<RelocationReport> run(Consumer<String> progress, Consumer<String> notes) {
    Map<String, RelocationReport> all = new TreeMap<>();
    Map<String, Integer> changed = new HashMap<>();
    while (true) {
      Optional<CacheRelocation> next =
          manager.membership().drain(site).stream()
              // The cache may have to move again, after another process's change.
              .filter(leaving -> !all.containsKey(leaving.cache()) || all.get(leaving.cache()).ok())
              .findFirst();
      if (next.isEmpty()) {
        return new ArrayList<>(all.values());
      }
      String cache = next.get().cache();
      boolean last = changed.merge(cache, 1, Integer::sum) >= MOST_TRIES;
      relocate(next.get(), last, progress, notes)
          .ifPresent(
              moved -> {
                changed.remove(cache);
                all.put(cache, moved); // The next cache may move to other sites because of it.
              });
    }
  }

  /**
   * Empty if another process has changed the cache since its new sites were chosen; the sites are
   * then chosen again, unless this was the last attempt.
   */
  private Optional<RelocationReport> relocate(
      CacheRelocation leaving, boolean last, Consumer<String> progress, Consumer<String> notes) {
    long begin = System.nanoTime();
    if (leaving.stays().isPresent()) {
      progress.accept(leaving.cache() + ": cannot leave");
      return Optional.of(result(leaving, leaving.to(), 0, begin, leaving.stays().get()));
    }
    progress.accept(
        "%s: %s to %s"
            .formatted(
                leaving.cache(), String.join(",", leaving.from()), String.join(",", leaving.to())));
    leaving.notes().forEach(note -> notes.accept(leaving.cache() + ": " + note));
    try {
      ChangeRun run = manager.membership().move(leaving, keysPerSecond);
      List<String> now = awaitEnd(leaving, run, progress).definition().sites();
      return Optional.of(result(leaving, now, run.copied(), begin, null));
    } catch (RuntimeException failed) {
      boolean raced =
          failed instanceof CatalogException why && why.reason() == CatalogException.Reason.CHANGED;
      return raced && !last
          ? Optional.empty()
          : Optional.of(result(leaving, leaving.to(), 0, begin, CommandErrors.line(failed)));
    }
  }

  private StoredDefinition awaitEnd(
      CacheRelocation leaving, ChangeRun run, Consumer<String> progress) {
    long end = System.nanoTime() + longest.toNanos();
    var done = run.done().toCompletableFuture();
    LostStoreMonitor lost = new LostStoreMonitor(manager, leaving.cache());
    String shown = "";
    while (true) {
      try {
        return done.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException goesOn) {
        if (System.nanoTime() - end > 0) {
          throw new CommandException(
              "the drain takes longer than %s; repeat the command to continue".formatted(longest),
              goesOn);
        }
        lost.check();
        String now = ChangeWait.state(manager, leaving.cache(), shown);
        if (!now.equals(shown)) {
          progress.accept(leaving.cache() + ": " + now);
          shown = now;
        }
      } catch (ExecutionException failed) {
        throw new CommandException(CommandErrors.line(failed), failed);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new CommandException("interrupted; repeat the command to continue", stopped);
      }
    }
  }

  private static RelocationReport result(
      CacheRelocation leaving, List<String> to, long keys, long begin, @Nullable String error) {
    double seconds = Math.round((System.nanoTime() - begin) / 1e7) / 1e2;
    return new RelocationReport(
        leaving.cache(), leaving.from(), to, keys, seconds, error, leaving.notes());
  }
}
