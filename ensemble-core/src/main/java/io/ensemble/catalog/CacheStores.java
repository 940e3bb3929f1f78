package io.ensemble.catalog;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.placement.ReplicaName;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds and removes the stores of caches, among them orphans: stores that no definition names,
 * because a creation, a recovery or a deletion ended half-way or could not reach their site. No
 * client reads or writes an orphan, but it occupies memory. No method here fails: failures are
 * logged, and the stores stay until the next attempt. Thread-safe.
 */
final class CacheStores {

  /** The longest time to find or remove a site's stores. */
  static final Duration LONGEST = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(CacheStores.class);

  private final SiteDirectory sites;
  private final Scheduler scheduler;

  CacheStores(SiteDirectory sites, Scheduler scheduler) {
    this.sites = sites;
    this.scheduler = scheduler;
  }

  /**
   * The stores at a site of every birth that {@code cache} had in its catalog; empty if the site
   * does not answer. A cache of the same name in another catalog is another cache, and may be in
   * use.
   */
  CompletionStage<Set<String>> at(String site, StoredDefinition cache) {
    Site place = sites.find(site).orElse(null);
    if (place == null) {
      return CompletableFuture.completedFuture(new TreeSet<>());
    }
    Deadline deadline = soon();
    String name = cache.definition().name();
    return deadline
        .asking(site, name, "stores", false, () -> place.stores(deadline))
        .handle(
            (names, thrown) -> {
              if (thrown != null) {
                log.warn(
                    "stores of a site cannot be listed; site={} cache={} cause={}",
                    site,
                    name,
                    CompletionCause.of(thrown).toString());
                return new TreeSet<>();
              }
              return names.stream()
                  .filter(one -> cache.isOwnCatalogs(one) && !cache.isOfChange(one))
                  .collect(Collectors.toCollection(TreeSet::new));
            });
  }

  /** Removes every store of {@code stored}'s birth, named or not, at all reachable sites. */
  CompletionStage<Void> removeBirth(StoredDefinition stored) {
    CompletionStage<Void> named = removeNamed(stored);
    return all(
        stored.allSites().stream()
            .map(
                site ->
                    at(site, stored.with(Optional.empty()))
                        .thenCombine(named, (names, done) -> names)
                        .thenCompose(
                            names ->
                                remove(
                                    site,
                                    names.stream()
                                        .filter(stored::isOwnStore)
                                        .filter(name -> !isNamed(stored, site, name))
                                        .toList())))
            .toList());
  }

  private static boolean isNamed(StoredDefinition stored, String replica, String name) {
    return stored.storesAt(ReplicaName.siteOf(replica)).contains(name);
  }

  /** Removes the stores that {@code stored} names. */
  CompletionStage<Void> removeNamed(StoredDefinition stored) {
    return all(
        stored.incarnations().keySet().stream()
            .map(site -> remove(site, stored.store(site).orElseThrow()))
            .toList());
  }

  CompletionStage<Void> remove(String site, Collection<String> stores) {
    return all(stores.stream().map(store -> remove(site, store)).toList());
  }

  CompletionStage<Void> remove(String site, String store) {
    Site place = sites.find(site).orElse(null);
    if (place == null) {
      return CompletableFuture.completedFuture(null);
    }
    Deadline deadline = soon();
    return deadline
        .asking(site, "", "remove_store", true, () -> place.remove(store, deadline))
        .exceptionally(
            thrown -> {
              log.warn(
                  "an unused store could not be removed; site={} store={}",
                  site,
                  store,
                  CompletionCause.of(thrown));
              return null;
            });
  }

  private Deadline soon() {
    return Deadline.after(LONGEST, scheduler);
  }

  private static CompletionStage<Void> all(Collection<? extends CompletionStage<Void>> steps) {
    return CompletableFuture.allOf(
        steps.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
  }

  /** The site exception that describes a failure to create or open a store. */
  static SiteException cause(String site, Throwable thrown) {
    Throwable cause = CompletionCause.of(thrown);
    return cause instanceof SiteException known
        ? known
        : new SiteException(site, Reason.FAILED, "a store cannot be created", cause);
  }
}
