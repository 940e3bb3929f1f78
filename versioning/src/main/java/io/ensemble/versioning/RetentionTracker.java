package io.ensemble.versioning;

import io.ensemble.objects.AtomicObjectException.NoSuchObject;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.UnwrappedCause;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The retention of a cache as this process knows it, for its additions. Knowledge older than {@link
 * #REFRESH} is renewed in the background, by one read at a time; with knowledge older than {@link
 * #MAX_AGE} an addition waits for that read. So no addition begins with a retention that was
 * replaced longer ago than {@link #MAX_AGE}. Thread-safe.
 */
final class RetentionTracker {

  /** After this time an addition begins to read the retention again. */
  static final Duration REFRESH = Duration.ofSeconds(5);

  /** After this time an addition waits for the retention. */
  static final Duration MAX_AGE = Duration.ofSeconds(10);

  private final AtomicObjectFactory factory;
  private final String record;
  private final Supplier<VersionedCacheRecord> initial;
  private final LongSupplier nanoTime;
  private Retention known;
  private long readNanos;
  private @Nullable CompletableFuture<Retention> refresh;

  /**
   * @param record the name of the record of the cache
   * @param initial makes the record, if it is missing
   * @param known the retention as read just now
   */
  RetentionTracker(
      AtomicObjectFactory factory,
      String record,
      Supplier<VersionedCacheRecord> initial,
      Retention known,
      LongSupplier nanoTime) {
    this.factory = factory;
    this.record = record;
    this.initial = initial;
    this.known = known;
    this.nanoTime = nanoTime;
    this.readNanos = nanoTime.getAsLong();
  }

  /** The retention for an addition; null if all versions are kept. */
  CompletionStage<@Nullable Retention> current() {
    CompletableFuture<Retention> started = null;
    CompletableFuture<Retention> running;
    Retention usable;
    synchronized (this) {
      long age = nanoTime.getAsLong() - readNanos;
      usable = age < MAX_AGE.toNanos() ? known : null;
      if (age >= REFRESH.toNanos() && refresh == null) {
        started = new CompletableFuture<>();
        refresh = started;
      }
      running = refresh;
    }
    if (started != null) {
      start(started);
    }
    return usable != null || running == null
        ? CompletableFuture.completedFuture(orNull(usable))
        : running.thenApply(RetentionTracker::orNull);
  }

  private static @Nullable Retention orNull(@Nullable Retention retention) {
    return Retention.ALL.equals(retention) ? null : retention;
  }

  private void start(CompletableFuture<Retention> started) {
    long begin = nanoTime.getAsLong();
    CompletionStage<Retention> reading;
    try {
      reading = read();
    } catch (RuntimeException e) { // The factory is closed, or an object's method is running.
      reading = CompletableFuture.failedFuture(e);
    }
    reading.whenComplete(
        (found, failure) -> {
          synchronized (this) {
            refresh = null;
            if (failure == null && begin - readNanos > 0) {
              known = found;
              readNanos = begin;
            }
          }
          if (failure == null) {
            started.complete(found);
          } else {
            started.completeExceptionally(failure);
          }
        });
  }

  /** Reads the retention; the one known last if the cache has no record. */
  CompletionStage<Retention> read() {
    return factory
        .glance(record, SnapshotTracker.TYPE, VersionedCacheRecord::retention)
        .exceptionallyCompose(
            failure ->
                UnwrappedCause.of(failure) instanceof NoSuchObject
                    ? CompletableFuture.completedFuture(known())
                    : CompletableFuture.failedFuture(failure));
  }

  private synchronized Retention known() {
    return known;
  }

  /** Sets the retention, for all processes. */
  CompletionStage<Void> change(Retention retention) {
    return factory
        .makeAsync(record, SnapshotTracker.TYPE, initial.get())
        .thenApply(AtomicObjectFactory.Made::proxy)
        .thenCompose(
            proxy ->
                factory
                    .<VersionedCacheRecord, Boolean>async(proxy, r -> r.changeRetention(retention))
                    .whenComplete((done, failure) -> factory.closeAsync(proxy)))
        .thenAccept(done -> changed(retention));
  }

  /** A read that began before this moment may have found the former retention: it is ignored. */
  private synchronized void changed(Retention retention) {
    known = retention;
    readNanos = nanoTime.getAsLong();
  }
}
