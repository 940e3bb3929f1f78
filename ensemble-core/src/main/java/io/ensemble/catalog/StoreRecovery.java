package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import io.ensemble.FormerStorePolicy;
import io.ensemble.Mode;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.SplitBrainException;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.catalog.Catalog.RecoveryResult;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.placement.ReplicaName;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * One recovery of one site: the former store is removed, a new one is created and filled, the
 * definition names it, and leftovers of earlier attempts at the site are removed. Stores that were
 * found there before the definition changed may be removed afterwards: they could only have been
 * named by a successor of the record that has now been replaced.
 */
final class StoreRecovery {

  /** How often the record may change meanwhile without a change of the recovered store. */
  private static final int MOST_REBASED = 8;

  /**
   * The timeout of one creation, after which another one is tried, because the client may have lost
   * its answer.
   */
  private static final Duration LONGEST_CREATION = Duration.ofSeconds(45);

  private final SiteDirectory sites;
  private final Site place;
  private final Definitions definitions;
  private final CacheStores stores;
  private final StoredDefinition before;
  private final String token;
  private final String site;
  private final Deadline deadline;
  private final Scheduler scheduler;
  private final RecoveryRetryPolicy recoveryRetryPolicy;

  /** Whether an earlier recovery discarded the former store, which still exists. */
  private volatile boolean isDiscarded;

  /** The record to be published. Its voter set is known only when the previous one has ended. */
  private volatile StoredDefinition after;

  StoreRecovery(
      SiteDirectory sites,
      Definitions definitions,
      CacheStores stores,
      StoredDefinition before,
      Site place,
      String token,
      Scheduler scheduler,
      Deadline deadline) {
    this.sites = sites;
    this.definitions = definitions;
    this.stores = stores;
    this.before = before;
    this.place = place;
    this.site = place.name();
    this.token = token;
    this.after = before.withIncarnation(site, token);
    this.scheduler = scheduler;
    this.deadline = deadline;
    this.recoveryRetryPolicy = new RecoveryRetryPolicy(site, scheduler, deadline);
  }

  /**
   * Runs the recovery, once.
   *
   * @param hasOtherNode whether another node could hold the new store, so that a silent node is not
   *     waited for
   */
  CompletionStage<RecoveryResult> run(
      FormerStorePolicy former, RecoverableEngine engine, BooleanSupplier hasOtherNode) {
    return stores
        .at(site, before)
        .thenCompose(
            found ->
                recoveryRetryPolicy
                    .with(() -> end(former, found, engine))
                    .thenCompose(
                        gone ->
                            recoveryRetryPolicy.with(() -> filled(former, engine), hasOtherNode))
                    .thenCompose(
                        recovered -> removeOthers(found, recovered).thenApply(done -> recovered)));
  }

  private String name() {
    return after.store(site).orElseThrow();
  }

  private CompletionStage<Void> end(
      FormerStorePolicy former, Set<String> found, RecoverableEngine engine) {
    Optional<String> old = before.store(site);
    if (!before.roll().counts(site) && former == FormerStorePolicy.MUST_BE_LOST) {
      return noneWentOn(found, enrolled(engine));
    }
    if (old.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return switch (former) {
      case MUST_BE_LOST -> // The store is removed once the loss is certain.
          isLost(old.get())
              .exceptionallyCompose(
                  thrown ->
                      CompletionCause.of(thrown) instanceof StoreIntactException
                          ? requireDiscarded(thrown, engine)
                          : CompletableFuture.failedStage(thrown));
      case DISCARD ->
          othersAnswer()
              .thenCompose(
                  yes ->
                      before.hasRolls() // The store is removed when the next voter set excludes it.
                          ? CompletableFuture.completedFuture(null)
                          : place.remove(old.get(), soon()));
    };
  }

  /**
   * Requires that a recovery that discards the store has ended the voter set, and died before it
   * published the next one. No operation is served until that is done.
   */
  private CompletionStage<Void> requireDiscarded(Throwable intact, RecoverableEngine engine) {
    if (others().isEmpty()) {
      return CompletableFuture.failedStage(intact);
    }
    return new VoterSetChange(definitions, before, enrolled(engine), deadline)
        .hasEnded(complete())
        .thenAccept(
            ended -> {
              if (!ended) {
                throw new CompletionException(CompletionCause.of(intact));
              }
              isDiscarded = true;
            });
  }

  /**
   * The other sites in the voter set, if the cache has voter sets: those that can fill this site.
   */
  private List<String> others() {
    return before.hasRolls()
        ? before.roll().sites().stream().filter(other -> !other.equals(site)).toList()
        : List.of();
  }

  private Site complete() {
    String other = others().get(0);
    return sites
        .find(other)
        .orElseThrow(() -> new IllegalArgumentException("unknown site; got=" + other));
  }

  /**
   * Ensures that the former store is lost, now that the site has created another one. A site that
   * starts from its disk does not know its stores yet, and reports that it has none. When it
   * reports the topology of the new store it has started, and knows all its stores; any store that
   * is missing then stays missing. The wait is bounded, because a site may never report it.
   */
  private CompletionStage<Void> sure(FormerStorePolicy former) {
    Optional<String> old = before.store(site);
    if (former == FormerStorePolicy.DISCARD
        || isDiscarded
        || old.isEmpty()
        || !before.roll().counts(site)) {
      return CompletableFuture.completedFuture(null);
    }
    CompletionStage<?> started =
        recoveryRetryPolicy
            .with(() -> place.open(name(), StoreKind.ACCEPTOR, soon()))
            .handle((open, thrown) -> null);
    return started
        // The former store's node must answer; another node cannot answer for it.
        .thenCompose(yes -> recoveryRetryPolicy.with(() -> isLost(old.get())))
        .thenCompose(lost -> place.remove(old.get(), soon()));
  }

  /** The deadline of one request; a node that is starting may leave it without an answer. */
  private Deadline soon() {
    return within(SiteHandle.ATTEMPT);
  }

  private Deadline within(Duration longest) {
    Deadline attempt = Deadline.after(longest, scheduler);
    return attempt.atNanos() - deadline.atNanos() < 0 ? attempt : deadline;
  }

  private CompletionStage<Void> isLost(String old) {
    return place
        .open(old, SiteHandle.kindOf(before.definition()), soon())
        .handle(
            (open, thrown) -> {
              if (thrown == null) {
                throw new StoreIntactException(before.definition().name(), site);
              }
              SiteException why = CacheStores.cause(site, thrown);
              if (why.reason() != SiteException.Reason.STORE_LOST) {
                throw why;
              }
              return null;
            });
  }

  /**
   * Checks that the site has not continued alone. The record names no store at a site that does not
   * count, and its former stores are to be removed. If such a store counted in a voter set with the
   * same number as the one without the site, it is not a leftover.
   */
  private CompletionStage<Void> noneWentOn(Set<String> found, DynamicQuorumEngine engine) {
    long number = before.roll().since();
    CompletionStage<Boolean> none = CompletableFuture.completedFuture(true);
    for (String store : found.stream().filter(before::isOwnStore).toList()) {
      CompletionStage<Boolean> wentOn =
          place
              .open(store, SiteHandle.kindOf(before.definition()), soon())
              .thenCompose(open -> engine.hasCounted(number, open, soon()))
              .exceptionally(
                  thrown -> {
                    SiteException why = CacheStores.cause(site, thrown);
                    if (why.reason() != SiteException.Reason.STORE_LOST) {
                      throw why; // The content of the store is unknown.
                    }
                    return false;
                  });
      none = none.thenCombine(wentOn, (sure, went) -> sure && !went);
    }
    return none.thenAccept(
        sure -> {
          if (!sure) {
            String other = before.roll().sites().get(0);
            throw new SplitBrainException(before.definition().name(), site, other);
          }
        });
  }

  private static DynamicQuorumEngine enrolled(RecoverableEngine engine) {
    if (engine instanceof DynamicQuorumEngine dynamicQuorumEngine) {
      return dynamicQuorumEngine;
    }
    throw new AssertionError("the engine has no voter sets and cannot end one; engine=" + engine);
  }

  /** Checks that enough of the other sites answer to fill the new store. */
  private CompletionStage<Void> othersAnswer() {
    CacheDefinition cache = before.definition();
    List<String> others = cache.sites().stream().filter(other -> !other.equals(site)).toList();
    Map<String, String> silent = new ConcurrentHashMap<>();
    CompletableFuture<?>[] answers =
        others.stream().map(other -> ask(other, silent)).toArray(CompletableFuture<?>[]::new);
    int needed = cache.mode() == Mode.WEAK ? Math.max(1, others.size()) : before.neededToRefill();
    return CompletableFuture.allOf(answers)
        .thenAccept(
            done -> {
              var heard = new TreeSet<>(others);
              heard.removeAll(silent.keySet());
              if (heard.size() < needed) {
                throw new QuorumUnavailableException(
                    cache.name(),
                    new QuorumFailure(needed, cache.sites().size(), heard, new TreeMap<>(silent)));
              }
            });
  }

  private CompletableFuture<?> ask(String other, Map<String, String> silent) {
    Optional<String> store = before.store(other);
    Site there = sites.find(other).orElse(null);
    if (store.isEmpty() || there == null) {
      silent.put(other, "no store");
      return CompletableFuture.completedFuture(null);
    }
    return there
        .open(store.get(), SiteHandle.kindOf(before.definition()), soon())
        .handle(
            (open, thrown) ->
                thrown == null
                    ? null
                    : silent.put(other, CacheStores.cause(other, thrown).reason().name()))
        .toCompletableFuture();
  }

  /**
   * Creates and fills the new store. A store that was perhaps created, or filled in part, is
   * removed before another one is created.
   */
  private CompletionStage<RecoveryResult> filled(
      FormerStorePolicy former, RecoverableEngine engine) {
    return place
        .create(name(), SiteHandle.kindOf(before.definition()), within(LONGEST_CREATION))
        .thenCompose(
            fresh -> {
              recoveryRetryPolicy.answered();
              return sure(former).thenApply(yes -> fresh);
            })
        .thenCompose(
            fresh ->
                !others().isEmpty()
                    ? together(enrolled(engine))
                    : engine.refill(site, fresh, deadline))
        .handle((keys, thrown) -> thrown == null ? publish(keys) : thrownAway(told(thrown)))
        .thenCompose(stage -> stage);
  }

  /** Converts a failure of another site into a quorum failure of the recovery of this site. */
  private Throwable told(Throwable failure) {
    Throwable why = CompletionCause.of(failure);
    if (!(why instanceof SiteException of) || of.site().equals(site)) {
      return why;
    }
    CacheDefinition cache = before.definition();
    QuorumUnavailableException tooFew =
        new QuorumUnavailableException(
            cache.name(),
            new QuorumFailure(
                cache.majority(),
                cache.sites().size(),
                Set.of(),
                Map.of(of.site(), String.valueOf(of.getMessage()))));
    tooFew.initCause(of);
    return tooFew;
  }

  /**
   * Makes the fresh store count from the next voter set on; the first term of that voter set fills
   * the store.
   */
  private CompletionStage<Long> together(DynamicQuorumEngine engine) {
    return new VoterSetChange(definitions, before, engine, deadline)
        .together(complete(), site)
        .thenApply(
            next -> {
              after = before.goingOn(next, site, token);
              return 0L;
            });
  }

  private CompletionStage<RecoveryResult> publish(long keys) {
    return publish(keys, MOST_REBASED);
  }

  private CompletionStage<RecoveryResult> publish(long keys, int tries) {
    return definitions
        .replace(after)
        .handle(
            (replaced, thrown) -> {
              if (thrown != null) {
                return published(keys, CompletionCause.of(thrown));
              }
              return replaced
                  ? CompletableFuture.completedFuture(new RecoveryResult(after, keys))
                  : rebased(keys, tries);
            })
        .thenCompose(stage -> stage);
  }

  /**
   * Retries on a newer record. A change in progress updates its heartbeat in the record; the stores
   * in the record are the same.
   */
  private CompletionStage<RecoveryResult> rebased(long keys, int tries) {
    return definitions
        .get(before.definition().name())
        .thenCompose(
            present -> {
              Optional<StoredDefinition> same =
                  present
                      .filter(now -> tries > 0 && before.isServedAsIn(now))
                      .filter(now -> !now.isRefillRefused());
              if (same.isEmpty()) {
                return thrownAway(Catalog.changed(before.definition().name()));
              }
              after = same.get().withStoresOf(after);
              return publish(keys, tries - 1);
            });
  }

  /**
   * Reads the record after a failure, because it may have been stored nevertheless. The store may
   * be removed only when it is certain that no record names it.
   */
  private CompletionStage<RecoveryResult> published(long keys, Throwable failure) {
    return definitions
        .get(before.definition().name())
        .thenCompose(
            present ->
                present.filter(after::equals).isPresent()
                    ? CompletableFuture.completedFuture(new RecoveryResult(after, keys))
                    : present.filter(this::names).isPresent()
                        ? CompletableFuture.failedFuture(failure)
                        : thrownAway(failure));
  }

  private boolean names(StoredDefinition present) {
    return present.store(site).filter(name()::equals).isPresent();
  }

  private CompletionStage<RecoveryResult> thrownAway(Throwable why) {
    return stores.remove(site, name()).thenCompose(done -> CompletableFuture.failedFuture(why));
  }

  /**
   * Removes the other stores at the site. A change may have begun, and have created its store,
   * between the read of the record and the listing.
   */
  private CompletionStage<Void> removeOthers(Set<String> found, RecoveryResult recovered) {
    StoredDefinition now = recovered.stored();
    Set<String> present = now.storesAt(ReplicaName.siteOf(site));
    return stores.remove(
        site,
        found.stream()
            .filter(name -> !present.contains(name))
            .filter(name -> !now.isOfChange(name) && !now.isOfLaterConfiguration(name))
            .toList());
  }
}
