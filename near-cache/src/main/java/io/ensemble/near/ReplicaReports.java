package io.ensemble.near;

import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.adapter.CacheExtension;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreObserver;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives what the replicas of a cache report of their entries, in whichever configuration the
 * cache has. Reports are hints: some may be missing, repeated, late, or of writes that are never
 * chosen. Thread-safe.
 */
final class ReplicaReports implements AutoCloseable {

  /** Receives reports. */
  interface Receiver {

    /** A replica has, or had, this entry; key and value as sites hold them. */
    void stored(ChangeSource source, Bytes key, Bytes value);

    /** Reports of any key may be missing from before now. */
    void interrupted();
  }

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaReports.class);

  static final Duration CHECKED_EVERY = Duration.ofSeconds(1);

  /** An observation that has ended may not say so. */
  static final Duration RENEWED_AFTER = Duration.ofSeconds(15);

  private static final Duration REQUEST = Duration.ofSeconds(5);

  private static final class Observation {

    private final SiteStore store;

    private final long sinceNanos;
    private volatile @Nullable Runnable end;
    private volatile boolean isInterrupted;

    private Observation(SiteStore store, long nowNanos) {
      this.store = store;
      this.sinceNanos = nowNanos;
    }

    private void end() {
      Runnable known = end;
      if (known != null) {
        known.run();
      }
    }
  }

  private final CacheExtension<?, ?> cache;
  private final Receiver receiver;
  private final PeriodicTask checks;

  // All fields below are guarded by this object's lock.
  private @Nullable ChangeSource present;
  private final Map<StoreHandle, Observation> observations = new HashMap<>();

  /** The replicas of which reports are missing; the receiver is notified when they are back. */
  private final Set<StoreHandle> interruptedReplicas = new HashSet<>();

  private boolean isClosed;

  ReplicaReports(CacheExtension<?, ?> cache, Receiver receiver) {
    this.cache = cache;
    this.receiver = receiver;
    checks =
        new PeriodicTask(
            "near cache of " + cache.definition().name(),
            cache.scheduler(),
            CHECKED_EVERY,
            this::check);
  }

  void start() {
    checks.startNow();
  }

  /** Observes each replica that is not observed, and renews old observations. */
  private CompletionStage<?> check() {
    Optional<ChangeSource> source;
    try {
      source = cache.changes();
    } catch (UnsupportedOperationException silent) {
      source = Optional.empty(); // The age alone bounds its entries.
    } catch (RuntimeException closed) {
      close();
      return CompletableFuture.completedFuture(null);
    }
    ChangeSource now = adopted(source.orElse(null));
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    if (now != null) {
      for (StoreHandle replica : now.stores()) {
        all = all.thenCombine(observe(now, replica), (one, other) -> one);
      }
    }
    return all;
  }

  /**
   * The present source, which is the known one as long as its configuration lasts: the engine makes
   * a new one for each call. Forgets the observations of another configuration.
   */
  private @Nullable ChangeSource adopted(@Nullable ChangeSource source) {
    Map<StoreHandle, Observation> former;
    synchronized (this) {
      ChangeSource known = present;
      boolean isSame =
          known != null
              && source != null
              && known.configuration() == source.configuration()
              && known.stores().equals(source.stores());
      if (isSame || (known == null && source == null)) {
        return known;
      }
      present = source;
      former = Map.copyOf(observations);
      observations.clear();
      interruptedReplicas.clear();
    }
    former.values().forEach(Observation::end);
    receiver.interrupted();
    return source;
  }

  private CompletionStage<Void> observe(ChangeSource source, StoreHandle replica) {
    Deadline deadline = Deadline.after(REQUEST, cache.scheduler());
    return replica
        .store(deadline)
        .thenCompose(store -> observe(source, replica, store, deadline))
        .exceptionally(
            failure -> {
              LOG.debug(
                  "a replica is not observed; cache={} replica={}",
                  cache.definition().name(),
                  replica.site(),
                  failure);
              return null;
            });
  }

  private CompletionStage<Void> observe(
      ChangeSource source, StoreHandle replica, SiteStore store, Deadline deadline) {
    long now = cache.scheduler().nanos();
    Observation former;
    Observation next = new Observation(store, now);
    synchronized (this) {
      former = observations.get(replica);
      boolean isRecent =
          former != null
              && former.store == store
              && now - former.sinceNanos < RENEWED_AFTER.toNanos();
      if (isRecent || isClosed || present != source) {
        return CompletableFuture.completedFuture(null);
      }
    }
    StoreObserver observer =
        new StoreObserver() {
          @Override
          public void stored(Bytes key, Bytes value) {
            receiver.stored(source, key, value);
          }

          @Override
          public void interrupted() {
            interrupt(replica, next);
          }
        };
    return store
        .observe(observer, deadline)
        .handle(
            (end, failure) -> {
              if (failure == null
                  || CompletionCause.of(failure) instanceof UnsupportedOperationException) {
                adopt(source, replica, next, end);
              } else {
                LOG.debug(
                    "a replica is not observed; cache={} replica={}",
                    cache.definition().name(),
                    replica.site(),
                    failure);
              }
              return null;
            });
  }

  /**
   * Replaces the former observation of a replica.
   *
   * @param end ends the reports; null if the replica reports nothing
   */
  private void adopt(
      ChangeSource source, StoreHandle replica, Observation next, @Nullable Runnable end) {
    Observation former;
    boolean isLate;
    boolean isBack = false;
    synchronized (this) {
      isLate = isClosed || present != source || next.isInterrupted;
      former = isLate ? null : observations.put(replica, next);
      next.end = isLate ? null : end;
      if (!isLate && end != null) {
        isBack = interruptedReplicas.remove(replica);
      }
    }
    if (isLate && end != null) {
      end.run();
    }
    if (former != null) {
      former.end(); // Now, so that no report is missed in between.
    }
    if (isBack || (former != null && former.store != next.store)) {
      receiver.interrupted();
    }
  }

  private void interrupt(StoreHandle replica, Observation ended) {
    synchronized (this) {
      ended.isInterrupted = true;
      if (observations.get(replica) != ended) {
        return;
      }
      observations.remove(replica);
      interruptedReplicas.add(replica);
    }
    ended.end();
  }

  /** How many replicas report their entries now. */
  synchronized int reporting() {
    return (int) observations.values().stream().filter(one -> one.end != null).count();
  }

  @Override
  public void close() {
    Map<StoreHandle, Observation> former;
    synchronized (this) {
      isClosed = true;
      former = Map.copyOf(observations);
      observations.clear();
    }
    checks.close();
    former.values().forEach(Observation::end);
  }
}
