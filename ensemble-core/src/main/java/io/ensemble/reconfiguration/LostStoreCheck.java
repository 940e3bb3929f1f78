package io.ensemble.reconfiguration;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Determines whether a cache whose keys are being taken over has lost its new configuration: so
 * many of its sites answer that they have no such store that no majority is left. Such a change
 * cannot end. A silent site counts as having its store. Blocks. Thread-safe.
 */
record LostStoreCheck(ManagerContext federation, OpenCaches caches) {

  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** The sites that have lost their stores; empty unless no majority of the others is left. */
  Set<String> of(StoredDefinition stored) {
    if (stored.change().filter(ConfigurationChange::isInCutover).isEmpty()) {
      return Set.of();
    }
    CacheDefinition fresh = stored.served().definition();
    Set<String> gone =
        caches.waitFor(
            () -> federation.sites().learn(fresh.sites()).thenCompose(known -> gone(stored)),
            LONGEST.multipliedBy(2));
    boolean lost = fresh.sites().size() - gone.size() < fresh.majority();
    return lost && isStill(stored) ? gone : Set.of();
  }

  /** The replicas of the new configuration whose stores are neither found nor reported as lost. */
  Set<String> silent(StoredDefinition stored) {
    StoredDefinition served = stored.served();
    Set<String> silent = new TreeSet<>();
    for (String name : served.incarnations().keySet()) {
      Deadline deadline = Deadline.after(LONGEST, federation.scheduler());
      CompletionStage<Boolean> answers =
          federation
              .sites()
              .find(name)
              .map(site -> answers(site, served, deadline))
              .orElse(CompletableFuture.completedFuture(false));
      if (!caches.waitFor(() -> answers, LONGEST.multipliedBy(2))) {
        silent.add(name);
      }
    }
    return silent;
  }

  private static CompletionStage<Boolean> answers(
      Site site, StoredDefinition served, Deadline deadline) {
    return site.open(
            served.store(site.name()).orElseThrow(),
            SiteHandle.kindOf(served.definition()),
            deadline)
        .handle(
            (store, failure) ->
                failure == null
                    || (CompletionCause.of(failure) instanceof SiteException why
                        && why.reason() == SiteException.Reason.STORE_LOST));
  }

  /**
   * Whether the change still takes keys over. If it has ended meanwhile, its stores were removed
   * intentionally.
   */
  private boolean isStill(StoredDefinition seen) {
    Optional<StoredDefinition> now =
        caches.waitFor(
            () -> federation.definitions().get(seen.definition().name()),
            OpenCaches.LONGEST_LOOKUP);
    return now.filter(seen::isSameBirth)
        .filter(record -> record.change().filter(ConfigurationChange::isInCutover).isPresent())
        .filter(record -> record.newStores().equals(seen.newStores()))
        .isPresent();
  }

  private CompletionStage<Set<String>> gone(StoredDefinition stored) {
    StoredDefinition served = stored.served();
    Deadline deadline = Deadline.after(LONGEST, federation.scheduler());
    CompletableFuture<Set<String>> all = CompletableFuture.completedFuture(new TreeSet<>());
    for (String name : served.incarnations().keySet()) {
      CompletionStage<Boolean> one =
          federation
              .sites()
              .find(name)
              .map(site -> isGone(site, served, deadline))
              .orElse(CompletableFuture.completedFuture(false));
      all = all.thenCombine(one, (gone, is) -> is ? with(gone, name) : gone);
    }
    return all;
  }

  private static CompletionStage<Boolean> isGone(
      Site site, StoredDefinition served, Deadline deadline) {
    CompletionStage<SiteStore> opened =
        site.open(
            served.store(site.name()).orElseThrow(),
            SiteHandle.kindOf(served.definition()),
            deadline);
    return opened.handle(
        (store, failure) ->
            failure != null
                && CompletionCause.of(failure) instanceof SiteException why
                && why.reason() == SiteException.Reason.STORE_LOST);
  }

  private static Set<String> with(Set<String> names, String one) {
    return Stream.concat(names.stream(), Stream.of(one))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
