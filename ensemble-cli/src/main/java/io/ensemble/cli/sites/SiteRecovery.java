package io.ensemble.cli.sites;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.FormerStorePolicy;
import io.ensemble.SplitBrainException;
import io.ensemble.StoreIntactException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.cli.output.CommandErrors;
import io.ensemble.cli.output.StateWatch;
import io.ensemble.reconfiguration.LostStoreDetector;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Recovers a site, cache after cache. A cache whose recovery fails does not keep the others from
 * theirs.
 */
final class SiteRecovery {

  private final EnsembleCacheManager manager;
  private final String site;
  private final boolean discard;
  private final Duration longest;

  /**
   * @param discard whether a store that refuses permanently is discarded
   * @param longest the time limit for one cache
   */
  SiteRecovery(EnsembleCacheManager manager, String site, boolean discard, Duration longest) {
    this.manager = manager;
    this.site = site;
    this.discard = discard;
    this.longest = longest;
  }

  /**
   * The result for one cache.
   *
   * @param outcome {@code recovered}, {@code unharmed} or {@code failed}
   * @param keys the number of keys copied to the site; null unless it is recovered
   * @param error the reason of the failure; null if there was none
   */
  record SiteRecoveryReport(
      String cache, String outcome, @Nullable Long keys, double seconds, @Nullable String error) {

    boolean hasFailed() {
      return outcome.equals("failed");
    }
  }

  List<SiteRecoveryReport> run(Consumer<String> progress) {
    List<String> caches = new ArrayList<>();
    List<String> coming = new ArrayList<>();
    for (String name : manager.getCacheNames()) {
      Optional<StoredDefinition> stored = manager.stored(name);
      if (stored.filter(cache -> cache.definition().isAtSite(site)).isPresent()) {
        caches.add(name);
      }
      if (stored
          .flatMap(StoredDefinition::change)
          .filter(change -> change.to().isAtSite(site))
          .isPresent()) {
        coming.add(name);
      }
    }
    List<SiteRecoveryReport> all = new ArrayList<>();
    int begun = 0;
    for (String cache : caches) {
      progress.accept("%s, %d of %d".formatted(cache, ++begun, caches.size()));
      SiteRecoveryReport recovered = recover(cache, progress);
      all.add(recovered);
      progress.accept(
          recovered.keys() == null
              ? cache + ": " + recovered.outcome()
              : "%s: %,d keys copied".formatted(cache, recovered.keys()));
    }
    coming.removeAll(names(all.stream().filter(SiteRecoveryReport::hasFailed)));
    List<SiteRecoveryReport> lost = findLostCaches(coming, progress);
    Set<String> instead = names(lost.stream());
    all.removeIf(one -> instead.contains(one.cache()));
    all.addAll(lost);
    return all;
  }

  private static Set<String> names(Stream<SiteRecoveryReport> caches) {
    return caches.map(SiteRecoveryReport::cache).collect(Collectors.toSet());
  }

  /** Caches moving to this site that have lost data here which no other site can restore. */
  private List<SiteRecoveryReport> findLostCaches(List<String> coming, Consumer<String> progress) {
    long end = System.nanoTime() + longest.toNanos();
    CountDownLatch never = new CountDownLatch(1);
    BooleanSupplier pause =
        () -> {
          try {
            return !never.await(LostStoreDetector.APART.toNanos(), TimeUnit.NANOSECONDS)
                && System.nanoTime() - end < 0;
          } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
          }
        };
    LostStoreDetector detector = manager.changes().lostStoreDetector();
    return new MigrationLossCheck(site, manager::stored, detector::check, pause)
        .of(coming, progress);
  }

  private SiteRecoveryReport recover(String cache, Consumer<String> progress) {
    long begin = System.nanoTime();
    try (StateWatch watching =
        StateWatch.of(() -> cache + ": " + state(), progress, StateWatch.INTERVAL)) {
      Optional<Long> keys = recoverIfNeeded(cache);
      return new SiteRecoveryReport(
          cache,
          keys.isPresent() ? "recovered" : "unharmed",
          keys.orElse(null),
          seconds(begin),
          null);
    } catch (RuntimeException e) {
      return new SiteRecoveryReport(cache, "failed", null, seconds(begin), CommandErrors.line(e));
    }
  }

  /** The present content of the site. */
  private String state() {
    return Optional.ofNullable(manager.membership().figures().get(site))
        .map(SiteStatistics::entries)
        .filter(OptionalLong::isPresent)
        .map(entries -> "%,d entries are at %s".formatted(entries.getAsLong(), site))
        .orElse("in progress");
  }

  /**
   * The number of copied keys; empty if the site has its store, so that no recovery was necessary.
   */
  private Optional<Long> recoverIfNeeded(String cache) {
    try {
      return Optional.of(manager.recoverSite(cache, site, longest));
    } catch (StoreIntactException unharmed) {
      return Optional.empty();
    } catch (SplitBrainException both) {
      if (discard) {
        return Optional.of(manager.recoverSite(cache, site, longest, FormerStorePolicy.DISCARD));
      }
      throw both;
    } catch (SiteException refused) {
      if (discard && manager.canDiscard(cache, refused)) {
        return Optional.of(manager.recoverSite(cache, site, longest, FormerStorePolicy.DISCARD));
      }
      throw refused;
    }
  }

  private static double seconds(long begin) {
    return Math.round((System.nanoTime() - begin) / 1e7) / 1e2;
  }
}
