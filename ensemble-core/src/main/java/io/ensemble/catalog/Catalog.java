package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.Shortfall;
import io.ensemble.cache.Recoverable;
import io.ensemble.cache.Unwrapped;
import io.ensemble.catalog.CatalogException.Reason;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, deletes and recovers caches, step by step so that a crash anywhere leaves at worst
 * stores that no definition names, which answer nobody.
 *
 * <p>Create: stores under fresh names at all sites, then the definition that names them. Delete:
 * the definition, then the stores. Recover: the site's old store is removed for good, a new one is
 * made and filled, then the definition names it. Opening a cache never makes a store. Thread-safe;
 * stages complete on the scheduler or on the definitions' thread.
 */
public final class Catalog {

  private static final Logger log = LoggerFactory.getLogger(Catalog.class);

  /** How long each store may take to go, whatever time its cache's creation has left. */
  public static final Duration REMOVAL = Duration.ofSeconds(5);

  private final Map<String, Site> sites;
  private final Definitions definitions;
  private final Scheduler scheduler;
  private final Supplier<String> tokens;

  /**
   * @param sites the sites by name
   * @param tokens gives incarnations: 8 random hexadecimal digits
   */
  public Catalog(
      Map<String, Site> sites,
      Definitions definitions,
      Scheduler scheduler,
      Supplier<String> tokens) {
    this.sites = Map.copyOf(sites);
    this.definitions = definitions;
    this.scheduler = scheduler;
    this.tokens = tokens;
  }

  /**
   * The site called {@code name}.
   *
   * @throws IllegalArgumentException if there is none, saying which there are
   */
  public Site site(String name) {
    Site site = sites.get(name);
    if (site == null) {
      throw new IllegalArgumentException(
          "unknown site; wanted one of %s, came '%s'"
              .formatted(new TreeSet<>(sites.keySet()), name));
    }
    return site;
  }

  /**
   * Creates {@code wanted}, or finds it there with equal settings.
   *
   * <p>Sites that cannot be had are left out and count as down until they are recovered, as long as
   * there is a majority of others, or one in WEAK; otherwise it fails with {@link
   * QuorumUnavailableException}. Fails with {@link SiteException} when a site is unsuitable or does
   * not let us in, at once with {@link IllegalArgumentException} when a site is unknown, and with
   * {@link CacheExistsException} when the cache has other settings. In each of these cases nothing
   * is left behind at sites that can be reached.
   */
  public CompletionStage<StoredDefinition> create(CacheDefinition wanted, Deadline deadline) {
    wanted.sites().forEach(this::site);
    return definitions
        .get(wanted.name())
        .thenComposeAsync(
            present -> {
              if (present.isEmpty()) {
                return createStores(wanted, deadline);
              }
              if (!present.get().definition().equals(wanted)) {
                throw new CacheExistsException(present.get().definition(), wanted);
              }
              return CompletableFuture.completedFuture(present.get());
            },
            scheduler);
  }

  private CompletionStage<StoredDefinition> createStores(
      CacheDefinition wanted, Deadline deadline) {
    Map<String, String> lives = new TreeMap<>();
    wanted.sites().forEach(site -> lives.put(site, tokens.get()));
    StoredDefinition all = StoredDefinition.first(wanted, lives);
    Map<String, SiteException> failures = new ConcurrentHashMap<>();
    CompletableFuture<?>[] creations =
        wanted.sites().stream()
            .map(
                site ->
                    site(site)
                        .create(name(all, site), SiteHandle.kindOf(wanted), deadline)
                        .handle(
                            (store, thrown) ->
                                thrown == null ? null : failures.put(site, cause(site, thrown)))
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(creations).thenCompose(done -> define(all, failures));
  }

  private CompletionStage<StoredDefinition> define(
      StoredDefinition all, Map<String, SiteException> failures) {
    Optional<RuntimeException> refusal = refusal(all.definition(), failures);
    if (refusal.isPresent()) {
      return removeStores(all).thenCompose(done -> failed(refusal.get()));
    }
    Map<String, String> had = new TreeMap<>(all.incarnations());
    had.keySet().removeAll(failures.keySet());
    StoredDefinition mine = StoredDefinition.first(all.definition(), had);
    failures.forEach(
        (site, why) -> {
          log.warn(
              "a cache begins without a site; cache={} site={}",
              mine.definition().name(),
              site,
              why);
          removeStore(all, site); // Its creation may have taken effect, or still will.
        });
    return definitions
        .create(mine)
        .handle((stored, thrown) -> settled(mine, stored, thrown))
        .thenCompose(stage -> stage);
  }

  private CompletionStage<StoredDefinition> settled(
      StoredDefinition mine, StoredDefinition stored, Throwable thrown) {
    if (thrown == null) {
      return stored.incarnations().equals(mine.incarnations())
          ? CompletableFuture.completedFuture(stored)
          : removeStores(mine).thenApply(done -> stored);
    }
    Throwable cause = Unwrapped.of(thrown);
    if (cause instanceof CacheExistsException) {
      return removeStores(mine).thenCompose(done -> failed(cause));
    }
    // Perhaps it was stored all the same: stores may go only when it is sure that none names them.
    return definitions
        .get(mine.definition().name())
        .thenCompose(
            present ->
                present.map(mine::equals).orElse(false)
                    ? CompletableFuture.completedFuture(mine)
                    : removeStores(mine).thenCompose(done -> failed(cause)));
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
            wanted.name(), new Shortfall(needed, wanted.sites().size(), heard, silent)));
  }

  /** Deletes a cache and the stores that can be reached; false when there is none. */
  public CompletionStage<Boolean> delete(String cache) {
    return definitions
        .get(cache)
        .thenCompose(
            present ->
                present.isEmpty()
                    ? CompletableFuture.completedFuture(false)
                    : definitions
                        .delete(cache, present.get().revision())
                        .thenCompose(
                            deleted ->
                                deleted
                                    ? removeStores(present.get()).thenApply(done -> true)
                                    : failed(changed(cache))));
  }

  /**
   * Gives a cache a new store at a site that has lost its own, filled from the other sites.
   *
   * <p>Fails with {@link IllegalStateException} when the site still has its store: there is nothing
   * to recover, and removing it could cost the last copy. Fails with {@link SiteException} while
   * the site cannot be reached. After a failure the site counts as down as before; repeat it.
   *
   * @return the changed record and how many keys were copied
   */
  public CompletionStage<Recovered> recover(
      StoredDefinition stored, String site, Recoverable engine, Deadline deadline) {
    Site place = site(site);
    String token = tokens.get();
    StoredDefinition changed = stored.withIncarnation(site, token);
    return endOldStore(stored, site, deadline)
        .thenCompose(
            gone ->
                place.create(
                    stored.storeName(token), SiteHandle.kindOf(stored.definition()), deadline))
        .thenCompose(fresh -> fill(changed, site, fresh, engine, deadline));
  }

  private CompletionStage<Void> endOldStore(
      StoredDefinition stored, String site, Deadline deadline) {
    Optional<String> old = stored.store(site);
    if (old.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Site place = site(site);
    return place
        .open(old.get(), SiteHandle.kindOf(stored.definition()), deadline)
        .handle(
            (open, thrown) -> {
              if (thrown == null) {
                throw new IllegalStateException(
                    "the site has its store, there is nothing to recover; cache=%s site=%s"
                        .formatted(stored.definition().name(), site));
              }
              SiteException why = cause(site, thrown);
              if (why.reason() != SiteException.Reason.STORE_LOST) {
                throw why;
              }
              return why;
            })
        .thenCompose(lost -> place.remove(old.get(), deadline));
  }

  private CompletionStage<Recovered> fill(
      StoredDefinition changed,
      String site,
      SiteStore fresh,
      Recoverable engine,
      Deadline deadline) {
    return engine
        .refill(site, fresh, deadline)
        .thenCompose(
            keys ->
                definitions
                    .replace(changed)
                    .thenApply(
                        replaced -> {
                          if (!replaced) {
                            throw changed(changed.definition().name());
                          }
                          return new Recovered(changed, keys);
                        }))
        .handle(
            (recovered, thrown) ->
                thrown == null
                    ? CompletableFuture.completedFuture(recovered)
                    : removeStore(changed, site)
                        .<Recovered>thenCompose(done -> failed(Unwrapped.of(thrown))))
        .thenCompose(stage -> stage);
  }

  /**
   * A site is back.
   *
   * @param stored the record that names its new store
   * @param keys how many keys were copied into it
   */
  public record Recovered(StoredDefinition stored, long keys) {}

  private CompletionStage<Void> removeStores(StoredDefinition stored) {
    return CompletableFuture.allOf(
        stored.incarnations().keySet().stream()
            .map(site -> removeStore(stored, site).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  /** As far as the site can be reached; what stays is named by nobody. */
  private CompletionStage<Void> removeStore(StoredDefinition stored, String site) {
    Site place = sites.get(site);
    if (place == null) {
      return CompletableFuture.completedFuture(null);
    }
    return place
        .remove(name(stored, site), Deadline.after(REMOVAL, scheduler))
        .exceptionally(
            thrown -> {
              log.warn(
                  "a store that nobody uses stays; site={} store={}",
                  site,
                  name(stored, site),
                  Unwrapped.of(thrown));
              return null;
            });
  }

  private static String name(StoredDefinition stored, String site) {
    return stored.store(site).orElseThrow();
  }

  private static SiteException cause(String site, Throwable thrown) {
    Throwable cause = Unwrapped.of(thrown);
    return cause instanceof SiteException known
        ? known
        : new SiteException(site, SiteException.Reason.FAILED, "a store cannot be made", cause);
  }

  private static CatalogException changed(String cache) {
    return new CatalogException(
        Reason.CHANGED, "somebody else changed the definition meanwhile; cache=" + cache);
  }

  private static <T> CompletionStage<T> failed(Throwable cause) {
    return CompletableFuture.failedFuture(cause);
  }
}
