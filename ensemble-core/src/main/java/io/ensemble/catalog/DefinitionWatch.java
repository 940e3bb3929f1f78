package io.ensemble.catalog;

import io.ensemble.CacheDeletedException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.ThrottledTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Monitors whether an open cache is still the one that was opened, for all of its handles. Once the
 * catalog has no record of its birth any more, the cache is permanently deleted, whichever cache
 * has its name then. Handles request a read of the record when a store is gone or must be opened.
 * In addition the record is read every five seconds, because a client may reach only a store that
 * the deleting process could not reach. Thread-safe.
 */
public final class DefinitionWatch implements AutoCloseable {

  /** The longest time until a deletion elsewhere is noticed, while the catalog can be read. */
  public static final Duration INTERVAL = Duration.ofSeconds(5);

  /** The time between requested reads. */
  static final Duration PAUSE = Duration.ofMillis(250);

  private static final Logger log = LoggerFactory.getLogger(DefinitionWatch.class);

  private final StoredDefinition opened;
  private final Definitions definitions;
  private final Scheduler scheduler;
  private final PeriodicTask periodicReads;
  private final ThrottledTask requestedReads;
  private volatile boolean deleted;

  // All fields below are guarded by this object's lock.
  private final List<Runnable> actions = new ArrayList<>();
  private Consumer<StoredDefinition> follower = present -> {};
  private Consumer<StoredDefinition> changed = present -> {};
  private Consumer<StoredDefinition> moved = present -> {};
  private Map<String, String> lives;
  private long revision;
  private long configuration;
  private long roll;
  private @Nullable StoredDefinition seen;
  private long seenAskedNanos;
  private @Nullable CompletableFuture<StoredDefinition> underWay;
  private long underWaySinceNanos;

  /**
   * @param opened the cache's record when the cache was opened
   */
  public DefinitionWatch(StoredDefinition opened, Definitions definitions, Scheduler scheduler) {
    this.opened = opened;
    this.definitions = definitions;
    this.scheduler = scheduler;
    this.configuration = opened.configuration();
    this.roll = opened.roll().number();
    this.revision = opened.revision();
    this.lives = opened.incarnations();
    String task = "record of " + opened.definition().name();
    this.periodicReads = new PeriodicTask(task, scheduler, INTERVAL, this::present);
    this.requestedReads = new ThrottledTask(task, scheduler, PAUSE, this::present);
  }

  /**
   * Sets a listener for every later record that is found; it may be called more than once for the
   * same record.
   */
  public synchronized void whenChanged(Consumer<StoredDefinition> told) {
    changed = told;
  }

  /** Sets a listener that is called whenever the catalog names other stores than before. */
  public synchronized void whenStoresAreOthers(Consumer<StoredDefinition> told) {
    moved = told;
  }

  /** Sets a listener that is called whenever other sites count in the catalog than before. */
  public synchronized void whenOthersCount(Consumer<StoredDefinition> told) {
    follower = told;
  }

  /** The cache's record when the cache was opened. */
  public StoredDefinition opened() {
    return opened;
  }

  /** Whether the cache is known to be deleted. */
  public boolean isDeleted() {
    return deleted;
  }

  /** Starts to read the record every {@link #INTERVAL}, until {@link #close()}. */
  public void start() {
    periodicReads.start();
  }

  /**
   * Reads the record soon, unless a read is in progress or scheduled: immediately, or {@link
   * #PAUSE} after the previous requested read. An engine that finds its voter set ended, while no
   * record names the next one yet, requests this continuously.
   */
  public void look() {
    if (!deleted) {
      requestedReads.request();
    }
  }

  /**
   * The record as the catalog has it now, of the birth that was opened. Fails with {@link
   * CacheDeletedException} if there is none, after all listeners have been called. Fails with
   * {@link CatalogException} if the catalog cannot be read, or another catalog has replaced it.
   * Completes on the scheduler; if the scheduler has ended, fails on any thread.
   */
  public CompletionStage<StoredDefinition> present() {
    long asked = scheduler.nanos();
    return deleted
        ? CompletableFuture.failedFuture(gone())
        : definitions
            .get(opened.definition().name())
            .handleAsync(
                (present, failure) -> { // Not on the catalog's thread, which other requests need.
                  if (failure != null) {
                    throw new CompletionException(CompletionCause.of(failure));
                  }
                  return judged(present, asked);
                },
                scheduler);
  }

  /**
   * As {@link #present}, but a record that was requested within the last {@code nanos} is new
   * enough. Concurrent calls share one request to the catalog, if it began within {@code nanos}.
   * With {@code nanos} of 0 they share the pending request, whatever its age.
   */
  public CompletionStage<StoredDefinition> presentWithin(long nanos) {
    CompletableFuture<StoredDefinition> mine = new CompletableFuture<>();
    synchronized (this) {
      StoredDefinition last = seen;
      if (!deleted && last != null && scheduler.nanos() - seenAskedNanos < nanos) {
        return CompletableFuture.completedFuture(last);
      }
      CompletableFuture<StoredDefinition> asked = underWay;
      long now = scheduler.nanos();
      if (asked != null && (nanos == 0 || now - underWaySinceNanos < nanos)) {
        return asked.copy();
      }
      underWay = mine;
      underWaySinceNanos = now;
    }
    present()
        .whenComplete(
            (now, failure) -> {
              synchronized (this) {
                underWay = underWay == mine ? null : underWay;
              }
              if (failure == null) {
                mine.complete(now);
              } else {
                mine.completeExceptionally(CompletionCause.of(failure));
              }
            });
    return mine.copy();
  }

  /**
   * Reads the record; returns false once the cache is deleted. Fails if the catalog cannot be read.
   */
  public CompletionStage<Boolean> isPresent() {
    return present()
        .handle(
            (now, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(true);
              }
              return CompletionCause.of(failure) instanceof CacheDeletedException
                  ? CompletableFuture.completedFuture(false)
                  : CompletableFuture.<Boolean>failedFuture(failure);
            })
        .thenCompose(answer -> answer);
  }

  private StoredDefinition judged(Optional<StoredDefinition> present, long asked) {
    StoredDefinition same = sameBirth(present);
    Consumer<StoredDefinition> told;
    Consumer<StoredDefinition> other;
    Consumer<StoredDefinition> stores;
    synchronized (this) {
      boolean names = same.revision() > revision && !same.incarnations().equals(lives);
      stores = names ? moved : whoever -> {};
      other = same.revision() > revision ? changed : whoever -> {};
      told = countsOthers(same) ? follower : whoever -> {};
    }
    other.accept(same);
    // Called before the new state is published, so that a reader of the new state finds it
    // followed.
    told.accept(same);
    // After the voter set: a new store does not belong to the former voter set.
    stores.accept(same);
    synchronized (this) {
      if (countsOthers(same)) {
        roll = same.roll().number();
      }
      configuration = Math.max(configuration, same.configuration());
      lives = same.revision() > revision ? same.incarnations() : lives;
      revision = Math.max(revision, same.revision());
      if (seen == null
          || same.revision() > seen.revision()
          || (same.revision() == seen.revision() && asked - seenAskedNanos > 0)) {
        seen = same;
        seenAskedNanos = asked;
      }
    }
    return same;
  }

  /** Requires the lock. The voter sets of each configuration are numbered from 1. */
  private boolean countsOthers(StoredDefinition now) {
    return now.configuration() > configuration
        || (now.configuration() == configuration && now.roll().number() > roll);
  }

  private StoredDefinition sameBirth(Optional<StoredDefinition> present) {
    present.filter(other -> !opened.isSameCatalog(other)).ifPresent(this::refuse);
    return present
        .filter(opened::isSameBirth)
        .orElseThrow(
            () -> {
              wasDeleted();
              return gone();
            });
  }

  /**
   * Reports that another catalog, which has a cache of that name, has replaced the catalog of this
   * cache.
   */
  private void refuse(StoredDefinition other) {
    throw new CatalogException(
        CatalogException.Reason.UNAVAILABLE,
        "the catalog was replaced by another one; cache=%s birth=%s found=%s"
            .formatted(opened.definition().name(), opened.birth(), other.birth()));
  }

  private CacheDeletedException gone() {
    return new CacheDeletedException(opened.definition().name());
  }

  /** Runs {@code action} once the cache is known to be deleted; immediately if it is. */
  public void whenDeleted(Runnable action) {
    synchronized (this) {
      if (!deleted) {
        actions.add(action);
        return;
      }
    }
    action.run();
  }

  /**
   * Records that the cache is certainly deleted. Calls all listeners on this thread before
   * returning.
   */
  public void wasDeleted() {
    List<Runnable> told;
    synchronized (this) {
      if (deleted) {
        return;
      }
      deleted = true;
      told = List.copyOf(actions);
      actions.clear();
    }
    close();
    log.info("cache deleted; cache={} birth={}", opened.definition().name(), opened.birth());
    told.forEach(Runnable::run);
  }

  /** Stops the periodic reads. */
  @Override
  public void close() {
    periodicReads.close();
  }
}
