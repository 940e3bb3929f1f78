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
import io.ensemble.catalog.Catalog.Recovered;
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
 * One recovery of one site: the former store goes, a new one is made and filled, the definition
 * names it, and what earlier tries left at the site goes too. What was found there before the
 * definition changed can be removed after: whoever made it meant to have it named in the record
 * that has been replaced.
 */
final class StoreRecovery {

  /** How often the record may change meanwhile without changing what is recovered. */
  private static final int MOST_REBASED = 8;

  /** When one creation is given up: a client may have lost it, and another one is tried then. */
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

  /** Whether an earlier recovery gave the former store up, which is there. */
  private volatile boolean isGivenUp;

  /** What is to be published. Its roll is known only when the one before has ended. */
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
   * Runs it, once.
   *
   * @param hasOtherNode whether another node could have the new store, so that one that is silent
   *     is not waited for
   */
  CompletionStage<Recovered> run(
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
      case MUST_BE_LOST -> // It is removed when that is sure.
          isLost(old.get())
              .exceptionallyCompose(
                  thrown ->
                      CompletionCause.of(thrown) instanceof StoreIntactException
                          ? wasGivenUp(thrown, engine)
                          : CompletableFuture.failedStage(thrown));
      case GIVE_UP ->
          othersAnswer()
              .thenCompose(
                  yes ->
                      before.hasRolls() // It goes when the next roll does without it.
                          ? CompletableFuture.completedFuture(null)
                          : place.remove(old.get(), soon()));
    };
  }

  /**
   * Whether a recovery that gave up the store has ended the roll, and died before it published the
   * next one. No operation is served until that is done.
   */
  private CompletionStage<Void> wasGivenUp(Throwable intact, RecoverableEngine engine) {
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
              isGivenUp = true;
            });
  }

  /** Of the sites that count by the roll, if any do so: those that can fill this one. */
  private List<String> others() {
    return before.hasRolls()
        ? before.roll().sites().stream().filter(other -> !other.equals(site)).toList()
        : List.of();
  }

  private Site complete() {
    String other = others().get(0);
    return sites
        .find(other)
        .orElseThrow(() -> new IllegalArgumentException("unknown site; came=" + other));
  }

  /**
   * Whether the former store is lost, now that the site has made another one. A site that starts
   * from its disk does not know its stores yet, and says that it has none. When it tells the new
   * one's topology it has started, and knows them all; what it has forgotten then it will not
   * remember. That is waited for, but not for ever, for a site may never tell.
   */
  private CompletionStage<Void> sure(FormerStorePolicy former) {
    Optional<String> old = before.store(site);
    if (former == FormerStorePolicy.GIVE_UP
        || isGivenUp
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

  /** When one question is given up: a node that starts may leave it without an answer. */
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
   * A site that does not count has no store that the record names, and what it held once goes. If
   * that counted in a roll of the number of one without the site, it is no leftover.
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
                      throw why; // What it holds is not known.
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
    throw new AssertionError("only an engine that goes by rolls can end one; engine=" + engine);
  }

  /** Whether those are there who the new store is to be filled from. */
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

  /** A store that was perhaps made, or filled in part, goes before another is made. */
  private CompletionStage<Recovered> filled(FormerStorePolicy former, RecoverableEngine engine) {
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

  /** That another site failed is told as what it is to the one that is recovered. */
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

  /** The fresh store counts from the next roll on, whose first term fills it. */
  private CompletionStage<Long> together(DynamicQuorumEngine engine) {
    return new VoterSetChange(definitions, before, engine, deadline)
        .together(complete(), site)
        .thenApply(
            next -> {
              after = before.goingOn(next, site, token);
              return 0L;
            });
  }

  private CompletionStage<Recovered> publish(long keys) {
    return publish(keys, MOST_REBASED);
  }

  private CompletionStage<Recovered> publish(long keys, int tries) {
    return definitions
        .replace(after)
        .handle(
            (replaced, thrown) -> {
              if (thrown != null) {
                return published(keys, CompletionCause.of(thrown));
              }
              return replaced
                  ? CompletableFuture.completedFuture(new Recovered(after, keys))
                  : rebased(keys, tries);
            })
        .thenCompose(stage -> stage);
  }

  /** A change that is under way beats in the record; what it says of the stores is as it was. */
  private CompletionStage<Recovered> rebased(long keys, int tries) {
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
   * Perhaps it was stored all the same: the store may go only when it is sure that none names it.
   */
  private CompletionStage<Recovered> published(long keys, Throwable failure) {
    return definitions
        .get(before.definition().name())
        .thenCompose(
            present ->
                present.filter(after::equals).isPresent()
                    ? CompletableFuture.completedFuture(new Recovered(after, keys))
                    : present.filter(this::names).isPresent()
                        ? CompletableFuture.failedFuture(failure)
                        : thrownAway(failure));
  }

  private boolean names(StoredDefinition present) {
    return present.store(site).filter(name()::equals).isPresent();
  }

  private CompletionStage<Recovered> thrownAway(Throwable why) {
    return stores.remove(site, name()).thenCompose(done -> CompletableFuture.failedFuture(why));
  }

  /**
   * A change may have begun, and have made its store, between the record's read and the listing.
   */
  private CompletionStage<Void> removeOthers(Set<String> found, Recovered recovered) {
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
