package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import io.ensemble.FormerStore;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.Shortfall;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.Recoverable;
import io.ensemble.cache.Unwrapped;
import io.ensemble.catalog.Catalog.Recovered;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One recovery of one site: the former store goes, a new one is made and filled, the definition
 * names it, and what earlier tries left at the site goes too. What was found there before the
 * definition changed can be removed after: whoever made it meant to have it named in the record
 * that has been replaced.
 */
final class Recovery {

  private final Map<String, Site> sites;
  private final Site place;
  private final Definitions definitions;
  private final CacheStores stores;
  private final StoredDefinition before;
  private final StoredDefinition after;
  private final String site;
  private final Deadline deadline;
  private final Scheduler scheduler;
  private final Patience patience;

  Recovery(
      Map<String, Site> sites,
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
    this.after = before.withIncarnation(site, token);
    this.scheduler = scheduler;
    this.deadline = deadline;
    this.patience = new Patience(site, scheduler, deadline);
  }

  CompletionStage<Recovered> run(FormerStore former, Recoverable engine) {
    return stores
        .at(site, before)
        .thenCompose(
            found ->
                patience
                    .with(() -> end(former))
                    .thenCompose(gone -> patience.with(() -> filled(engine)))
                    .thenCompose(
                        recovered -> removeOthers(found, recovered).thenApply(done -> recovered)));
  }

  private String name() {
    return after.store(site).orElseThrow();
  }

  private CompletionStage<Void> end(FormerStore former) {
    Optional<String> old = before.store(site);
    if (old.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    CompletionStage<Void> mayGo =
        switch (former) {
          case MUST_BE_LOST -> isLost(old.get());
          case GIVE_UP -> othersAnswer();
        };
    return mayGo.thenCompose(yes -> place.remove(old.get(), soon()));
  }

  /** When one question is given up: a node that starts may leave it without an answer. */
  private Deadline soon() {
    Deadline attempt = Deadline.after(SiteHandle.ATTEMPT, scheduler);
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

  /** Whether those are there who the new store is to be filled from. */
  private CompletionStage<Void> othersAnswer() {
    CacheDefinition cache = before.definition();
    List<String> others = cache.sites().stream().filter(other -> !other.equals(site)).toList();
    Map<String, String> silent = new ConcurrentHashMap<>();
    CompletableFuture<?>[] answers =
        others.stream().map(other -> ask(other, silent)).toArray(CompletableFuture<?>[]::new);
    int needed = cache.mode() == Mode.WEAK ? Math.max(1, others.size()) : cache.majority();
    return CompletableFuture.allOf(answers)
        .thenAccept(
            done -> {
              var heard = new TreeSet<>(others);
              heard.removeAll(silent.keySet());
              if (heard.size() < needed) {
                throw new QuorumUnavailableException(
                    cache.name(),
                    new Shortfall(needed, cache.sites().size(), heard, new TreeMap<>(silent)));
              }
            });
  }

  private CompletableFuture<?> ask(String other, Map<String, String> silent) {
    Optional<String> store = before.store(other);
    Site there = sites.get(other);
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
  private CompletionStage<Recovered> filled(Recoverable engine) {
    return place
        .create(name(), SiteHandle.kindOf(before.definition()), deadline)
        .thenCompose(fresh -> engine.refill(site, fresh, deadline))
        .handle((keys, thrown) -> thrown == null ? publish(keys) : thrownAway(told(thrown)))
        .thenCompose(stage -> stage);
  }

  /** That another site failed is told as what it is to the one that is recovered. */
  private Throwable told(Throwable failure) {
    Throwable why = Unwrapped.of(failure);
    if (!(why instanceof SiteException of) || of.site().equals(site)) {
      return why;
    }
    CacheDefinition cache = before.definition();
    QuorumUnavailableException tooFew =
        new QuorumUnavailableException(
            cache.name(),
            new Shortfall(
                cache.majority(),
                cache.sites().size(),
                Set.of(),
                Map.of(of.site(), String.valueOf(of.getMessage()))));
    tooFew.initCause(of);
    return tooFew;
  }

  private CompletionStage<Recovered> publish(long keys) {
    return definitions
        .replace(after)
        .handle(
            (replaced, thrown) -> {
              if (thrown != null) {
                return published(keys, Unwrapped.of(thrown));
              }
              return replaced
                  ? CompletableFuture.completedFuture(new Recovered(after, keys))
                  : thrownAway(Catalog.changed(before.definition().name()));
            })
        .thenCompose(stage -> stage);
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

  private CompletionStage<Void> removeOthers(Set<String> found, Recovered recovered) {
    return stores.remove(
        site,
        found.stream()
            .filter(name -> !recovered.stored().store(site).orElseThrow().equals(name))
            .toList());
  }
}
