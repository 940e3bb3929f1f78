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
record NewStoreProbe(ManagerContext federation, OpenCaches caches) {

  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** The sites that have lost their stores; empty unless no majority of the others is left. */
  Set<String> of(StoredDefinition stored) {
    if (stored.change().filter(ConfigurationChange::isInCutover).isEmpty()) {
      return Set.of();
    }
    CacheDefinition servedDefinition = stored.served().definition();
    Set<String> lostStores =
        caches.waitFor(
            () ->
                federation
                    .sites()
                    .learn(servedDefinition.sites())
                    .thenCompose(done -> findLostStores(stored)),
            LONGEST.multipliedBy(2));
    boolean isMajorityLost =
        servedDefinition.sites().size() - lostStores.size() < servedDefinition.majority();
    return isMajorityLost && isUnchanged(stored) ? lostStores : Set.of();
  }

  /** The replicas of the new configuration whose stores are neither found nor reported as lost. */
  Set<String> silent(StoredDefinition stored) {
    StoredDefinition served = stored.served();
    Set<String> silentSites = new TreeSet<>();
    for (String name : served.incarnations().keySet()) {
      Deadline deadline = Deadline.after(LONGEST, federation.scheduler());
      CompletionStage<Boolean> hasAnswer =
          federation
              .sites()
              .find(name)
              .map(site -> hasAnswer(site, served, deadline))
              .orElse(CompletableFuture.completedFuture(false));
      if (!caches.waitFor(() -> hasAnswer, LONGEST.multipliedBy(2))) {
        silentSites.add(name);
      }
    }
    return silentSites;
  }

  private static CompletionStage<Boolean> hasAnswer(
      Site site, StoredDefinition served, Deadline deadline) {
    return site.open(
            served.store(site.name()).orElseThrow(),
            SiteHandle.kindOf(served.definition()),
            deadline)
        .handle(
            (store, failure) ->
                failure == null
                    || (CompletionCause.of(failure) instanceof SiteException exception
                        && exception.reason() == SiteException.Reason.STORE_LOST));
  }

  /**
   * Whether the change still takes keys over. If it has ended meanwhile, its stores were removed
   * intentionally.
   */
  private boolean isUnchanged(StoredDefinition stored) {
    Optional<StoredDefinition> now =
        caches.waitFor(
            () -> federation.definitions().get(stored.definition().name()),
            OpenCaches.LONGEST_LOOKUP);
    return now.filter(stored::isSameBirth)
        .filter(record -> record.change().filter(ConfigurationChange::isInCutover).isPresent())
        .filter(record -> record.newStores().equals(stored.newStores()))
        .isPresent();
  }

  private CompletionStage<Set<String>> findLostStores(StoredDefinition stored) {
    StoredDefinition served = stored.served();
    Deadline deadline = Deadline.after(LONGEST, federation.scheduler());
    CompletableFuture<Set<String>> result = CompletableFuture.completedFuture(new TreeSet<>());
    for (String name : served.incarnations().keySet()) {
      CompletionStage<Boolean> isLost =
          federation
              .sites()
              .find(name)
              .map(site -> isStoreLost(site, served, deadline))
              .orElse(CompletableFuture.completedFuture(false));
      result =
          result.thenCombine(
              isLost, (lostNames, isStoreLost) -> isStoreLost ? with(lostNames, name) : lostNames);
    }
    return result;
  }

  private static CompletionStage<Boolean> isStoreLost(
      Site site, StoredDefinition served, Deadline deadline) {
    CompletionStage<SiteStore> opening =
        site.open(
            served.store(site.name()).orElseThrow(),
            SiteHandle.kindOf(served.definition()),
            deadline);
    return opening.handle(
        (store, failure) ->
            failure != null
                && CompletionCause.of(failure) instanceof SiteException exception
                && exception.reason() == SiteException.Reason.STORE_LOST);
  }

  private static Set<String> with(Set<String> names, String name) {
    return Stream.concat(names.stream(), Stream.of(name))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
