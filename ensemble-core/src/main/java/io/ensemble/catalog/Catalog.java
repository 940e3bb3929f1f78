package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import io.ensemble.FormerStorePolicy;
import io.ensemble.Mode;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.StoreIntactException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, deletes and recovers caches. The order of the steps ensures that a crash leaves at most
 * orphans: stores that no definition of this catalog names, so that no client reads them.
 *
 * <p>Create: first stores under the names of a new birth at all sites, then the definition that
 * names them. Delete: first the definition, then the stores. Recover: first the removal of the
 * site's old store, then the creation and the filling of a new one, then the definition that names
 * it. Opening a cache never creates a store.
 *
 * <p>Other catalogs may use the same sites. Names of stores contain the id of their catalog, and a
 * catalog removes only its own stores.
 *
 * <p>Orphans of a cache are removed by its next creation (at all its sites) or recovery (at that
 * site). Orphans of its last birth are removed by its deletion, at reachable sites. Thread-safe;
 * stages complete on the scheduler or on the definitions' thread.
 */
public final class Catalog {

  private static final Logger log = LoggerFactory.getLogger(Catalog.class);

  /** The longest time to find and remove orphans, whatever time the step itself has left. */
  public static final Duration REMOVAL = CacheStores.LONGEST.multipliedBy(2);

  /** The number of a site's nodes that are tried before the site is left out. */
  private static final int MOST_NODES_TRIED = 3;

  private final SiteDirectory sites;
  private final Definitions definitions;
  private final Scheduler scheduler;
  private final Supplier<String> tokens;
  private final CacheStores stores;

  /**
   * @param sites the sites by name
   * @param tokens returns 8 random hexadecimal digits, for births and incarnations
   */
  public Catalog(
      SiteDirectory sites, Definitions definitions, Scheduler scheduler, Supplier<String> tokens) {
    this.sites = sites;
    this.definitions = definitions;
    this.scheduler = scheduler;
    this.tokens = tokens;
    this.stores = new CacheStores(sites, scheduler);
  }

  /**
   * The site called {@code name}.
   *
   * @throws IllegalArgumentException if there is none; names the existing sites
   */
  public Site site(String name) {
    return sites.find(name).orElseThrow(() -> sites.unknown(name));
  }

  /**
   * Creates {@code wanted}, or returns the existing cache if it has equal settings.
   *
   * <p>Sites that do not answer are left out and count as down until they are recovered. The others
   * must be a majority, or at least one in WEAK. Otherwise the creation fails with {@link
   * QuorumUnavailableException}. The creation fails with {@link SiteException} if a site is
   * unsuitable or rejects the authentication. The creation fails with {@link
   * IllegalArgumentException} if a site is unknown or drained and the cache does not exist yet. The
   * creation fails with {@link CacheExistsException} if the cache has other settings. In each of
   * these cases no store is left at reachable sites.
   */
  public CompletionStage<StoredDefinition> create(CacheDefinition wanted, Deadline deadline) {
    return definitions
        .get(wanted.name())
        .thenCompose(
            present ->
                (isThere(wanted, present)
                        // The cache stays at a drained site until it has left it.
                        ? sites.learn(wanted.sites())
                        : sites.mayHold(wanted.sites()))
                    .thenApply(may -> present))
        .thenCombineAsync(
            definitions.id(),
            (present, id) -> {
              if (present.isEmpty()) {
                return counted(wanted, Optional.empty(), id, deadline)
                    .thenCompose(counted -> createStores(counted, id, deadline));
              }
              if (!isThere(wanted, present)) {
                throw new CacheExistsException(present.get().definition(), wanted);
              }
              return CompletableFuture.completedFuture(present.get());
            },
            scheduler)
        .thenCompose(stage -> stage)
        .exceptionallyCompose(thrown -> createdMeanwhile(wanted, CompletionCause.of(thrown)));
  }

  /** Handles a concurrent creation by another process, which may have counted other nodes. */
  private CompletionStage<StoredDefinition> createdMeanwhile(
      CacheDefinition wanted, Throwable failure) {
    return failure instanceof CacheExistsException there
            && ReplicaCounts.isSatisfiedBy(wanted, there.existing())
        ? definitions
            .get(wanted.name())
            .thenCompose(
                present ->
                    isThere(wanted, present)
                        ? CompletableFuture.completedFuture(present.get())
                        : failed(failure))
        : failed(failure);
  }

  /**
   * Whether an existing cache is a result of {@link #create} for {@code wanted}: equal settings,
   * and as many replicas as were requested, or as followed from the sites' nodes.
   */
  public static boolean isSatisfiedBy(CacheDefinition wanted, CacheDefinition existing) {
    return ReplicaCounts.isSatisfiedBy(wanted, existing);
  }

  private static boolean isThere(CacheDefinition wanted, Optional<StoredDefinition> present) {
    return present
        .filter(stored -> ReplicaCounts.isSatisfiedBy(wanted, stored.definition()))
        .isPresent();
  }

  /**
   * Returns {@code wanted} with as many replicas as its sites can hold, if it names only sites and
   * fewer than three of them. Sites must be known. Fails with {@link SiteException} if a site does
   * not answer, or is unsuitable.
   */
  public CompletionStage<CacheDefinition> counted(
      CacheDefinition wanted, CacheDefinition present, Deadline deadline) {
    return definitions.id().thenCompose(id -> counted(wanted, Optional.of(present), id, deadline));
  }

  private CompletionStage<CacheDefinition> counted(
      CacheDefinition wanted, Optional<CacheDefinition> present, String id, Deadline deadline) {
    return ReplicaCounts.counted(
        wanted,
        present,
        sites,
        () -> ReplicaCounts.probe(wanted, newBirth(id), tokens.get()),
        deadline);
  }

  private CompletionStage<StoredDefinition> createStores(
      CacheDefinition wanted, String catalog, Deadline deadline) {
    Map<String, String> lives = new ConcurrentHashMap<>(sites.lives(wanted, tokens));
    StoredDefinition first = StoredDefinition.first(wanted, newBirth(catalog), lives);
    Map<String, SiteException> failures = new ConcurrentHashMap<>();
    Map<String, Set<String>> found = new ConcurrentHashMap<>();
    CompletableFuture<?>[] creations =
        wanted.sites().stream()
            .map(
                site ->
                    stores
                        .at(site, first)
                        .thenCompose(
                            before -> {
                              // The store of another replica at the same site may exist by now.
                              before.removeIf(first::isOwnStore);
                              found.put(site, before);
                              return createStore(site, first, lives, MOST_NODES_TRIED, deadline);
                            })
                        .handle(
                            (store, thrown) ->
                                thrown == null
                                    ? null
                                    : failures.put(site, CacheStores.cause(site, thrown)))
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(creations)
        .thenCompose(
            done -> {
              StoredDefinition all = StoredDefinition.first(wanted, first.birth(), lives);
              return define(all, failures)
                  .thenCompose(
                      stored ->
                          stored.isSameBirth(all)
                              ? removeOrphans(found).thenApply(gone -> stored)
                              : CompletableFuture.completedFuture(stored));
            });
  }

  /** Creates a site's store, at another node of the site if the first does not answer. */
  private CompletionStage<SiteStore> createStore(
      String site,
      StoredDefinition cache,
      Map<String, String> lives,
      int tries,
      Deadline deadline) {
    CacheDefinition wanted = cache.definition();
    String life = Objects.requireNonNull(lives.get(site));
    String name = cache.storeName(life);
    return deadline
        .asking(
            site,
            wanted.name(),
            "create",
            true,
            () -> site(site).create(name, SiteHandle.kindOf(wanted), deadline))
        .exceptionallyCompose(
            thrown -> {
              SiteException why = CacheStores.cause(site, thrown);
              if (tries <= 1 || !isSilence(why) || deadline.hasPassed(scheduler)) {
                return CompletableFuture.failedStage(why);
              }
              synchronized (lives) { // Two replicas of a site must not use the same node.
                Optional<String> next = another(life, site, wanted, lives);
                if (next.isEmpty()) {
                  return CompletableFuture.failedStage(why);
                }
                lives.put(site, next.get());
              }
              return stores
                  .remove(site, name)
                  .thenCompose(gone -> createStore(site, cache, lives, tries - 1, deadline));
            });
  }

  private String newBirth(String catalog) {
    return catalog + tokens.get().substring(4) + tokens.get();
  }

  /**
   * Removes the stores that were found before the definition was stored. No process can store a
   * definition that names them any more, because the name of the cache is now in use in this
   * catalog. Stores of other catalogs are not among them.
   */
  private CompletionStage<Void> removeOrphans(Map<String, Set<String>> found) {
    return CompletableFuture.allOf(
        found.entrySet().stream()
            .map(at -> stores.remove(at.getKey(), at.getValue()).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  private CompletionStage<StoredDefinition> define(
      StoredDefinition all, Map<String, SiteException> failures) {
    Optional<RuntimeException> refusal = refusal(all.definition(), failures);
    if (refusal.isPresent()) {
      return stores.removeNamed(all).thenCompose(done -> failed(refusal.get()));
    }
    Map<String, String> had = new TreeMap<>(all.incarnations());
    had.keySet().removeAll(failures.keySet());
    StoredDefinition mine = StoredDefinition.first(all.definition(), all.birth(), had);
    failures.forEach(
        (site, why) -> {
          log.warn(
              "cache is created without one of its sites; cache={} site={}",
              mine.definition().name(),
              site,
              why);
          stores.remove(
              site,
              all.store(site).orElseThrow()); // The creation may have taken effect, or still will.
        });
    return sites
        // Checked again, because the creation of the stores took some time.
        .mayHold(mine.definition().sites())
        .thenCompose(may -> definitions.create(mine))
        .handle((stored, thrown) -> settled(mine, stored, thrown))
        .thenCompose(stage -> stage);
  }

  /** Stores of this birth may be removed only when it is certain that no record has it. */
  private CompletionStage<StoredDefinition> settled(
      StoredDefinition mine, StoredDefinition stored, Throwable thrown) {
    if (thrown == null) {
      return stored.isSameBirth(mine)
          ? CompletableFuture.completedFuture(stored)
          : stores.removeNamed(mine).thenApply(done -> stored);
    }
    Throwable cause = CompletionCause.of(thrown);
    if (cause instanceof CacheExistsException) {
      return stores.removeNamed(mine).thenCompose(done -> failed(cause));
    }
    // The record may have been stored nevertheless, and a site recovered since.
    return definitions
        .get(mine.definition().name())
        .thenCompose(
            present ->
                present.filter(mine::isSameBirth).isPresent()
                    ? CompletableFuture.completedFuture(present.get())
                    : stores.removeNamed(mine).thenCompose(done -> failed(cause)));
  }

  private static Optional<RuntimeException> refusal(
      CacheDefinition wanted, Map<String, SiteException> failures) {
    for (SiteException why : failures.values()) {
      if (why.reason() == SiteException.Reason.UNSUITABLE
          || why.reason() == SiteException.Reason.NOT_ALLOWED) {
        return Optional.of(why);
      }
    }
    int needed = wanted.mode() == Mode.WEAK ? 1 : wanted.majority();
    if (wanted.sites().size() - failures.size() >= needed) {
      return Optional.empty();
    }
    TreeMap<String, String> silent = new TreeMap<>();
    failures.forEach((site, why) -> silent.put(site, String.valueOf(why.getMessage())));
    var heard = new TreeSet<>(wanted.sites());
    heard.removeAll(silent.keySet());
    return Optional.of(
        new QuorumUnavailableException(
            wanted.name(), new QuorumFailure(needed, wanted.sites().size(), heard, silent)));
  }

  /**
   * Deletes a cache and those of its stores that are reachable. The others are orphans until the
   * cache is created again.
   *
   * @return the deleted record; empty if there is none. Fails with {@link CatalogException} if
   *     another process changed it meanwhile
   */
  public CompletionStage<Optional<StoredDefinition>> delete(String cache) {
    return definitions
        .get(cache)
        .thenCompose(
            present ->
                present.isEmpty()
                    ? CompletableFuture.completedFuture(present)
                    : deleteIfUnchanged(present.get())
                        .thenCompose(
                            deleted ->
                                deleted
                                    ? CompletableFuture.completedFuture(present)
                                    : failed(changed(cache))));
  }

  /** As {@link #delete}; false if the record is another one or gone, and nothing was done. */
  public CompletionStage<Boolean> deleteIfUnchanged(StoredDefinition stored) {
    return definitions
        .delete(stored)
        .thenCompose(
            deleted ->
                deleted
                    ? stores.removeBirth(stored).thenApply(done -> true)
                    : CompletableFuture.completedFuture(false));
  }

  /**
   * Gives a cache a new store at a site that has lost its own, and fills it from the other sites.
   *
   * <p>Unless {@code former} says otherwise, fails with {@link StoreIntactException} if the site
   * still has its store, because its removal could remove the last copy.
   *
   * <p>Retries. A site that may be starting is retried until the deadline. A site that refuses
   * connections, or has too few nodes, is retried for {@link RecoveryRetryPolicy#DOUBTFUL}. The
   * same time applies to a silent node if another one is free, which is tried next. Afterwards the
   * recovery fails with the site's {@link SiteException}. If the site rejects the requests, it
   * fails immediately.
   *
   * <p>Fails with {@link QuorumUnavailableException} if too few other sites answer, and with {@link
   * io.ensemble.SplitBrainException}. After a failure the site counts as down, for the first time
   * if its store was discarded; the call may be repeated.
   *
   * @return the changed record and how many keys were copied
   */
  public CompletionStage<RecoveryResult> recover(
      StoredDefinition stored,
      String site,
      FormerStorePolicy former,
      RecoverableEngine engine,
      Deadline deadline) {
    String life;
    try {
      life = life(site, stored);
    } catch (SiteException noNode) {
      return failed(noNode);
    }
    return recover(stored, site(site), life, former, engine, MOST_NODES_TRIED, deadline);
  }

  /** Recovers a store, at another node of the site if the first does not answer. */
  private CompletionStage<RecoveryResult> recover(
      StoredDefinition stored,
      Site site,
      String life,
      FormerStorePolicy former,
      RecoverableEngine engine,
      int tries,
      Deadline deadline) {
    OtherNodeSearch next =
        new OtherNodeSearch(
            () -> tries > 1 ? another(life, site.name(), stored) : Optional.empty());
    return new StoreRecovery(sites, definitions, stores, stored, site, life, scheduler, deadline)
        .run(former, engine, () -> next.get().isPresent())
        .exceptionallyCompose(
            thrown -> {
              boolean again =
                  CompletionCause.of(thrown) instanceof SiteException why
                      && isSilence(why)
                      && why.site().equals(site.name())
                      && !deadline.hasPassed(scheduler)
                      && next.get().isPresent();
              return again
                  ? recover(
                      stored, site, next.get().orElseThrow(), former, engine, tries - 1, deadline)
                  : CompletableFuture.failedStage(thrown);
            });
  }

  private static boolean isSilence(SiteException why) {
    return why.reason() == SiteException.Reason.UNREACHABLE
        || why.reason() == SiteException.Reason.TIMED_OUT;
  }

  /** An incarnation at another node than {@code life}; empty if there is none. */
  private Optional<String> another(String life, String site, StoredDefinition stored) {
    return another(life, site, stored.definition(), stored.incarnations());
  }

  private Optional<String> another(
      String life, String site, CacheDefinition cache, Map<String, String> lives) {
    try {
      return Optional.of(sites.life(site, cache, lives, tokens))
          .filter(next -> !StoredDefinition.isOneNode(life, next));
    } catch (SiteException noNode) {
      log.debug("no other node is free; site={} cache={}", site, cache.name(), noNode);
      return Optional.empty();
    }
  }

  /** Another node for a new store, looked up at the first use and kept once found. */
  private static final class OtherNodeSearch {
    private final Supplier<Optional<String>> search;
    private Optional<String> found = Optional.empty();

    OtherNodeSearch(Supplier<Optional<String>> search) {
      this.search = search;
    }

    synchronized Optional<String> get() {
      if (found.isEmpty()) {
        found = search.get();
      }
      return found;
    }
  }

  private String life(String site, StoredDefinition stored) {
    return sites.life(site, stored.definition(), stored.incarnations(), tokens);
  }

  /** As the other method, for a site that must have lost its store. */
  public CompletionStage<RecoveryResult> recover(
      StoredDefinition stored, String site, RecoverableEngine engine, Deadline deadline) {
    return recover(stored, site, FormerStorePolicy.MUST_BE_LOST, engine, deadline);
  }

  /**
   * Makes a cache at two sites continue at {@code site} alone, once the leases of the former voter
   * set have expired. Has no effect if it does already. A repeated call completes an earlier one
   * that was interrupted. Needs only {@code site} and the catalog.
   *
   * @return the record in which {@code site} counts alone. Fails with {@link
   *     io.ensemble.SiteIncompleteException} if the site does not have all acknowledged writes;
   *     then nothing was changed. Fails with {@link SiteException} or {@link CatalogException};
   *     then the change may have been made, or nothing is read or written until a call succeeds
   */
  public CompletionStage<StoredDefinition> goOnAt(
      StoredDefinition stored, String site, DynamicQuorumEngine engine, Deadline deadline) {
    return new VoterSetChange(definitions, stored, engine, deadline).alone(site(site));
  }

  /**
   * The result of a recovery.
   *
   * @param stored the record that names the new store
   * @param keys how many keys were copied into it
   */
  public record RecoveryResult(StoredDefinition stored, long keys) {}

  public static CatalogException changed(String cache) {
    return new CatalogException(
        Reason.CHANGED, "another process changed the record at the same time; cache=" + cache);
  }

  private static <T> CompletionStage<T> failed(Throwable cause) {
    return CompletableFuture.failedFuture(cause);
  }
}
