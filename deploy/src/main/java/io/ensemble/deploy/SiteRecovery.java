package io.ensemble.deploy;

import io.ensemble.BothSitesWentOnException;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.FormerStore;
import io.ensemble.StoreIntactException;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives a site back what it has lost, cache after cache. One that fails keeps none from the rest.
 */
final class SiteRecovery {

  private final EnsembleCacheManager manager;
  private final String site;
  private final boolean giveUp;
  private final Duration longest;

  /**
   * @param giveUp whether a store that refuses for good is given up
   * @param longest how long one cache may take
   */
  SiteRecovery(EnsembleCacheManager manager, String site, boolean giveUp, Duration longest) {
    this.manager = manager;
    this.site = site;
    this.giveUp = giveUp;
    this.longest = longest;
  }

  /**
   * What became of one cache.
   *
   * @param outcome {@code recovered}, {@code unharmed} or {@code failed}
   * @param keys how many were copied to the site; null unless it is recovered
   * @param error why it failed; null if it did not
   */
  record Recovered(
      String cache, String outcome, @Nullable Long keys, double seconds, @Nullable String error) {

    boolean failed() {
      return outcome.equals("failed");
    }
  }

  List<Recovered> run(Consumer<String> progress) {
    List<String> caches =
        manager.getCacheNames().stream()
            .filter(
                name ->
                    manager
                        .stored(name)
                        .map(StoredDefinition::definition)
                        .filter(cache -> cache.sites().contains(site))
                        .isPresent())
            .toList();
    List<Recovered> all = new ArrayList<>();
    for (String cache : caches) {
      progress.accept("%s, %d of %d".formatted(cache, all.size() + 1, caches.size()));
      Recovered recovered = recover(cache);
      all.add(recovered);
      progress.accept(
          recovered.keys() == null
              ? cache + ": " + recovered.outcome()
              : "%s: %,d keys copied".formatted(cache, recovered.keys()));
    }
    return all;
  }

  private Recovered recover(String cache) {
    long begin = System.nanoTime();
    try {
      Optional<Long> keys = recovered(cache);
      return new Recovered(
          cache,
          keys.isPresent() ? "recovered" : "unharmed",
          keys.orElse(null),
          seconds(begin),
          null);
    } catch (RuntimeException e) {
      return new Recovered(cache, "failed", null, seconds(begin), Failures.line(e));
    }
  }

  /** How many keys were copied; empty if the site has its store and there was nothing to do. */
  private Optional<Long> recovered(String cache) {
    try {
      return Optional.of(manager.recoverSite(cache, site, longest));
    } catch (StoreIntactException unharmed) {
      return Optional.empty();
    } catch (BothSitesWentOnException both) {
      if (giveUp) {
        return Optional.of(manager.recoverSite(cache, site, longest, FormerStore.GIVE_UP));
      }
      throw both;
    } catch (SiteException refused) {
      if (giveUp && refused.reason() == SiteException.Reason.DEGRADED) {
        return Optional.of(manager.recoverSite(cache, site, longest, FormerStore.GIVE_UP));
      }
      throw refused;
    }
  }

  private static double seconds(long begin) {
    return Math.round((System.nanoTime() - begin) / 1e7) / 1e2;
  }
}
