package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import io.ensemble.CacheDeletedException;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.StoreHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A cache's store at one site over all its incarnations. The store is opened at the first use.
 * After a failure it is opened again at a later use, at intervals that double from 100 ms to 5 s.
 * Before every attempt but the first the definition is read again, because the store may have been
 * replaced by another one of the same birth. Once the cache is deleted, the handle returns no store
 * and fails with {@link Reason#DELETED}. A handle never opens a store of another birth.
 * Thread-safe.
 */
public final class SiteHandle implements StoreHandle {

  static final Duration ATTEMPT = Duration.ofSeconds(10);
  static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Site site;
  private final DefinitionWatch watch;
  private final Scheduler scheduler;
  private final CacheMetrics metrics;
  private final CacheDefinition definition;
  private final long configuration;

  // All fields below are guarded by this object's lock.
  private @Nullable StoredDefinition fresh;
  private StoredDefinition latest;
  private @Nullable SiteStore open;
  private @Nullable CompletableFuture<SiteStore> opening;
  private @Nullable SiteException failure;
  private long retryAtNanos;
  private long pauseNanos = FIRST_PAUSE.toNanos();

  /**
   * A handle of the configuration that {@code watch} had when the cache was opened.
   *
   * @param watch shared by the handles of one open cache
   */
  public SiteHandle(Site site, DefinitionWatch watch, Scheduler scheduler, CacheMetrics metrics) {
    this(site, watch, watch.opened(), scheduler, metrics);
  }

  /**
   * As the other constructor, for the configuration of {@code stored}. This handle returns no store
   * of an earlier or a later configuration.
   */
  public SiteHandle(
      Site site,
      DefinitionWatch watch,
      StoredDefinition stored,
      Scheduler scheduler,
      CacheMetrics metrics) {
    this.site = site;
    this.definition = stored.definition();
    this.configuration = stored.configuration();
    this.fresh = stored;
    this.latest = stored;
    this.watch = watch;
    this.scheduler = scheduler;
    this.metrics = metrics;
  }

  @Override
  public String site() {
    return site.name();
  }

  @Override
  public synchronized Optional<SiteStore> current() {
    return watch.isDeleted() ? Optional.empty() : Optional.ofNullable(open);
  }

  @Override
  public CompletionStage<SiteStore> store(Deadline deadline) {
    CompletableFuture<SiteStore> attempt;
    boolean begins = false;
    if (watch.isDeleted()) {
      return CompletableFuture.failedFuture(deleted());
    }
    synchronized (this) {
      if (open != null) {
        return CompletableFuture.completedFuture(open);
      }
      if (opening == null) {
        if (failure != null && scheduler.nanos() - retryAtNanos < 0) {
          return CompletableFuture.failedFuture(
              new SiteException(
                  site(), failure.reason(), "a recent attempt to open the store failed", failure));
        }
        opening = new CompletableFuture<>();
        begins = true;
      }
      attempt = opening;
    }
    if (begins) {
      begin(attempt);
    }
    return within(attempt, deadline);
  }

  /** Whether the last attempt to open the store found that the site has no such store. */
  public synchronized boolean isLost() {
    return open == null && failure != null && failure.reason() == Reason.STORE_LOST;
  }

  /** Discards the open store, if it is {@code lost}; the next use opens its next incarnation. */
  private void lost(SiteStore lost) {
    synchronized (this) {
      if (lost != open) {
        return;
      }
      open = null;
      failure = null;
    }
    watch.look(); // Perhaps the whole cache was deleted; then the other handles must stop too.
  }

  /** Takes {@code stored} for the catalog's present record, and opens its store at the next use. */
  public synchronized void renew(StoredDefinition stored) {
    if (!stored.isSameBirth(watch.opened())) {
      throw new IllegalArgumentException(
          "the cache was deleted and created again; expected birth=%s got=%s cache=%s"
              .formatted(watch.opened().birth(), stored.birth(), definition.name()));
    }
    if (stored.configuration() != configuration) {
      return;
    }
    fresh = stored;
    latest = stored;
    open = null;
    opening = null; // The present attempt is for the former store, and may take long to fail.
    failure = null;
    pauseNanos = FIRST_PAUSE.toNanos();
  }

  /** As {@link #renew}, unless this handle has the store that {@code stored} names already. */
  public synchronized void follow(StoredDefinition stored) {
    if (stored.revision() > latest.revision() && stored.configuration() == configuration) {
      if (stored.store(site()).equals(latest.store(site()))) {
        latest = stored;
      } else {
        renew(stored);
      }
    }
  }

  private void begin(CompletableFuture<SiteStore> attempt) {
    Deadline deadline = Deadline.after(ATTEMPT, scheduler);
    AtomicReference<StoredDefinition> named = new AtomicReference<>(watch.opened());
    CompletionStage<SiteStore> opened =
        definition()
            .thenComposeAsync(
                stored -> {
                  named.set(stored);
                  String store = storeName(stored);
                  return deadline.asking(
                      site(),
                      definition.name(),
                      "open",
                      false,
                      () -> site.open(store, kindOf(definition), deadline));
                },
                scheduler)
            .thenApply(
                store ->
                    new InstrumentedStore(
                        store, definition.name(), scheduler, metrics, this::lost));
    within(opened.toCompletableFuture(), deadline)
        .whenComplete(
            (store, thrown) -> {
              if (thrown == null
                  && succeeded(attempt, store, Objects.requireNonNull(named.get()))) {
                attempt.complete(store);
              } else {
                SiteException why =
                    thrown == null ? otherStore() : asSiteException(CompletionCause.of(thrown));
                failed(attempt, why);
                attempt.completeExceptionally(why);
              }
            });
  }

  private CompletionStage<StoredDefinition> definition() {
    StoredDefinition known;
    synchronized (this) {
      known = fresh;
      fresh = null;
    }
    return known == null
        ? watch
            .present()
            .thenApply(now -> now.configuration() == configuration ? now : now.served())
        : CompletableFuture.completedFuture(known);
  }

  private String storeName(StoredDefinition stored) {
    if (stored.configuration() != configuration) {
      throw new SiteException(
          site(),
          Reason.STORE_LOST,
          "the cache has another configuration; expected=%d got=%d cache=%s"
              .formatted(configuration, stored.configuration(), definition.name()));
    }
    return stored
        .store(site())
        .orElseThrow(
            () ->
                new SiteException(
                    site(),
                    Reason.STORE_LOST,
                    "the cache has no store at this site until the site is recovered; cache="
                        + definition.name()));
  }

  private SiteException deleted() {
    String name = definition.name();
    return SiteException.notSent(
        site(),
        Reason.DELETED,
        "the cache has been deleted; cache=" + name,
        new CacheDeletedException(name));
  }

  /**
   * Accepts the opened store. Returns false if {@code stored}, which gave the store's name, is
   * known to be out of date, or if another attempt has replaced this one.
   */
  private synchronized boolean succeeded(
      CompletableFuture<SiteStore> attempt, SiteStore store, StoredDefinition stored) {
    if (opening != attempt) {
      return false;
    }
    if (stored.revision() > latest.revision()) {
      latest = stored;
    } else if (!stored.store(site()).equals(latest.store(site()))) {
      return false;
    }
    opening = null;
    open = store;
    failure = null;
    pauseNanos = FIRST_PAUSE.toNanos();
    return true;
  }

  private SiteException otherStore() {
    return new SiteException(
        site(),
        Reason.STORE_LOST,
        "the name of the store changed meanwhile; cache=" + definition.name());
  }

  private synchronized void failed(CompletableFuture<SiteStore> attempt, SiteException why) {
    if (opening != attempt) {
      return;
    }
    opening = null;
    failure = why;
    retryAtNanos = scheduler.nanos() + pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE.toNanos());
  }

  private SiteException asSiteException(Throwable thrown) {
    if (thrown instanceof CacheDeletedException) {
      return deleted();
    }
    return thrown instanceof SiteException known
        ? known
        : new SiteException(site(), Reason.FAILED, "the store cannot be opened", thrown);
  }

  /** Returns {@code stage}, or a failure at the deadline, as a separate future. */
  private CompletableFuture<SiteStore> within(
      CompletableFuture<SiteStore> stage, Deadline deadline) {
    CompletableFuture<SiteStore> own = new CompletableFuture<>();
    Scheduler.Timer timer;
    try {
      timer =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)),
              () ->
                  own.completeExceptionally(
                      new SiteException(
                          site(),
                          Reason.TIMED_OUT,
                          "the store was not opened in time; cache=" + definition.name())));
    } catch (RejectedExecutionException ended) { // No caller is left waiting.
      own.completeExceptionally(
          new SiteException(site(), Reason.UNREACHABLE, "the scheduler has ended", ended));
      return own;
    }
    stage.whenComplete(
        (store, thrown) -> {
          timer.cancel();
          if (thrown == null) {
            own.complete(store);
          } else {
            own.completeExceptionally(CompletionCause.of(thrown));
          }
        });
    return own;
  }

  /**
   * The guarantee that the stores of a cache must give. A replica's store is lost with the node
   * that holds it; the other replicas have the acknowledged writes.
   */
  public static StoreKind kindOf(CacheDefinition definition) {
    return definition.mode() == Mode.WEAK ? StoreKind.PLAIN : StoreKind.REPLICA;
  }
}
