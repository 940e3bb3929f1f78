package io.ensemble.maintenance;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.ReplicaState;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Probes every replica of a cache now, all concurrently. Blocks. Thread-safe. */
public record RedundancyCheck(ManagerContext federation, OpenCaches caches) {

  /** The longest wait for a response of a site; a site that is silent is probed once more. */
  private static final Duration LONGEST = SiteMaintenance.LONGEST_QUESTION;

  public CacheRedundancy of(StoredDefinition stored) {
    StoredDefinition served = stored.served();
    Map<String, ReplicaState> states =
        caches.waitFor(
            () ->
                federation
                    .sites()
                    .learn(served.definition().sites())
                    .thenCompose(done -> readStates(served)),
            OpenCaches.LONGEST_LOOKUP.plus(LONGEST.multipliedBy(2)));
    return CacheRedundancy.of(
        stored, replica -> Objects.requireNonNull(states.get(replica), replica));
  }

  private CompletionStage<Map<String, ReplicaState>> readStates(StoredDefinition served) {
    CompletableFuture<Map<String, ReplicaState>> result =
        CompletableFuture.completedFuture(new TreeMap<>());
    for (String replica : served.definition().sites()) {
      Optional<String> store = served.store(replica);
      Optional<Site> site = federation.sites().find(replica);
      if (store.isPresent()) {
        CompletionStage<ReplicaState> reading =
            site.map(
                    knownSite ->
                        readState(knownSite, store.get(), SiteHandle.kindOf(served.definition())))
                .orElse(CompletableFuture.completedFuture(ReplicaState.SITE_DOWN));
        result =
            result.thenCombine(
                reading,
                (states, state) -> {
                  Map<String, ReplicaState> extended = new TreeMap<>(states);
                  extended.put(replica, state);
                  return extended;
                });
      }
    }
    return result;
  }

  private Deadline requestDeadline() {
    return Deadline.after(LONGEST, federation.scheduler());
  }

  private CompletionStage<ReplicaState> readState(Site site, String store, StoreKind kind) {
    return site.open(store, kind, requestDeadline())
        .handle((opened, failure) -> failure == null ? ReplicaState.WHOLE : stateOf(failure))
        .thenCompose(
            state ->
                state == ReplicaState.NODE_UNREACHABLE
                    ? classifyUnreachable(site)
                    : CompletableFuture.completedFuture(state));
  }

  private static ReplicaState stateOf(Throwable failure) {
    if (CompletionCause.of(failure) instanceof SiteException siteException) {
      return SiteStoreProbe.stateOf(SiteStoreProbe.found(siteException));
    }
    throw new IllegalStateException("a replica cannot be checked", failure);
  }

  /** Distinguishes a silent node from a silent site: whether another node of the site answers. */
  private CompletionStage<ReplicaState> classifyUnreachable(Site site) {
    return site.stores(requestDeadline())
        .handle(
            (stores, failure) ->
                failure == null ? ReplicaState.NODE_UNREACHABLE : ReplicaState.SITE_DOWN);
  }
}
