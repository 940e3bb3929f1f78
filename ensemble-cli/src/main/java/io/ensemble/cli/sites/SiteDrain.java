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
 * leave. What another process has begun is joined, and taken over when that falls silent.
 */
final class SiteDrain {

  private static final long LOOK_MILLIS = 500;

  /** How often a cache may have changed since it was told where it goes. */
  static final int MOST_TRIES = 8;

  private final EnsembleCacheManager manager;
  private final String site;
  private final Duration longest;
  private final long keysPerSecond;

  /**
   * @param longest how long one cache may take
   * @param keysPerSecond how many keys are copied at most; 0 for as many as can be
   */
  SiteDrain(EnsembleCacheManager manager, String site, Duration longest, long keysPerSecond) {
    this.keysPerSecond = keysPerSecond;
    this.manager = manager;
    this.site = site;
    this.longest = longest;
  }

  /**
   * What became of one cache.
   *
   * @param to its sites now, or those it was to have
   * @param keys how many were compared or copied, each several times
   * @param error why it is at the site still; null if it is not
   * @param notes what to know of the site that it was to come to
   */
  record Moved(
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
   * @param progress told what is being done
   * @param notes told what is weaker where a cache goes, before it does
   * @throws io.ensemble.SiteInUseException if there are too few other sites; nothing was done
   */
  List<Moved> run(Consumer<String> progress, Consumer<String> notes) {
    Map<String, Moved> all = new TreeMap<>();
    Map<String, Integer> changed = new HashMap<>();
    while (true) {
      Optional<CacheRelocation> next =
          manager.membership().drain(site).stream()
              // It may have to move on, after another's change.
              .filter(leaving -> !all.containsKey(leaving.cache()) || all.get(leaving.cache()).ok())
              .findFirst();
      if (next.isEmpty()) {
        return new ArrayList<>(all.values());
      }
      String cache = next.get().cache();
      boolean last = changed.merge(cache, 1, Integer::sum) >= MOST_TRIES;
      moved(next.get(), last, progress, notes)
          .ifPresent(
              moved -> {
                changed.remove(cache);
                all.put(cache, moved); // The next may go elsewhere for it.
              });
    }
  }

  /**
   * Empty when somebody else has changed the cache since it was told where it goes: that is asked
   * for again, unless this is the last time.
   */
  private Optional<Moved> moved(
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
      List<String> now = ended(leaving, run, progress).definition().sites();
      return Optional.of(result(leaving, now, run.copied(), begin, null));
    } catch (RuntimeException failed) {
      boolean raced =
          failed instanceof CatalogException why && why.reason() == CatalogException.Reason.CHANGED;
      return raced && !last
          ? Optional.empty()
          : Optional.of(result(leaving, leaving.to(), 0, begin, CommandErrors.line(failed)));
    }
  }

  private StoredDefinition ended(
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
              "it takes longer than %s; repeat this to go on".formatted(longest), goesOn);
        }
        lost.look();
        String now = ChangeWait.state(manager, leaving.cache(), shown);
        if (!now.equals(shown)) {
          progress.accept(leaving.cache() + ": " + now);
          shown = now;
        }
      } catch (ExecutionException failed) {
        throw new CommandException(CommandErrors.line(failed), failed);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new CommandException("interrupted; repeat this to go on", stopped);
      }
    }
  }

  private static Moved result(
      CacheRelocation leaving, List<String> to, long keys, long begin, @Nullable String error) {
    double seconds = Math.round((System.nanoTime() - begin) / 1e7) / 1e2;
    return new Moved(leaving.cache(), leaving.from(), to, keys, seconds, error, leaving.notes());
  }
}
