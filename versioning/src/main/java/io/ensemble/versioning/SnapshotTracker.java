package io.ensemble.versioning;

import io.ensemble.objects.AtomicObjectException.NoSuchObject;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.ObservedState;
import io.ensemble.versioning.drive.HistoryReadException;
import io.ensemble.versioning.order.VersionSpace;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The snapshots of a whole cache. A key without a history at the time of a snapshot may get one
 * later; before its first version, it then reads the highest snapshot. A process records a snapshot
 * before it reads keys. A process that creates a key reads the snapshots after the key exists. So
 * the content of a snapshot is stable, including the absence of a key.
 */
final class SnapshotTracker<T> {

  static final ObjectType<VersionedCacheRecord> TYPE =
      ObjectType.of(VersionedCacheRecord.class).named("ensemble.versioned-cache");

  private static final int ATTEMPTS = 256;

  private final AtomicObjectFactory factory;
  private final String record;
  private final VersionSpace<T> space;
  private final Supplier<VersionedCacheRecord> initial;

  /**
   * @param initial makes the record of the cache, if it is missing
   */
  SnapshotTracker(
      AtomicObjectFactory factory,
      String record,
      VersionSpace<T> space,
      Supplier<VersionedCacheRecord> initial) {
    this.factory = factory;
    this.record = record;
    this.space = space;
    this.initial = initial;
  }

  /** A number of the record; another one if it was deleted and created again. */
  CompletionStage<UUID> birth() {
    return birth(ATTEMPTS);
  }

  private CompletionStage<UUID> birth(int attempts) {
    return ObservedState.of(factory, record, TYPE, null)
        .thenCompose(
            found -> {
              if (found.isPresent()) {
                return CompletableFuture.completedFuture(found.get().birth());
              }
              return attempts > 1 // The entry was replaced while it was read.
                  ? birth(attempts - 1)
                  : CompletableFuture.failedFuture(
                      new IllegalStateException("the record changes all the time; " + record));
            });
  }

  /** The highest version of a snapshot; the initial version if there was none. */
  CompletionStage<byte[]> highest() {
    return factory
        .glance(record, TYPE, VersionedCacheRecord::highestSnapshot)
        .exceptionally(
            failure -> {
              if (failure instanceof CompletionException e
                  && e.getCause() instanceof NoSuchObject) {
                return new byte[0];
              }
              throw failure instanceof CompletionException e ? e : new CompletionException(failure);
            })
        .thenApply(this::orInitial);
  }

  private byte[] orInitial(byte[] recorded) {
    return recorded.length == 0 ? space.write(space.initial()) : recorded;
  }

  /**
   * Records a snapshot, unless there was a higher one.
   *
   * @param highest the highest one that was read before
   */
  CompletionStage<Void> record(T version, byte[] highest) {
    return covers(highest, version)
        ? CompletableFuture.completedFuture(null)
        : factory
            .makeAsync(record, TYPE, initial.get())
            .thenApply(AtomicObjectFactory.Made::proxy)
            .thenCompose(
                proxy ->
                    recordOn(proxy, version, ATTEMPTS)
                        .whenComplete((done, failure) -> factory.closeAsync(proxy)));
  }

  private boolean covers(byte[] highest, T version) {
    return space.compare(version, space.read(highest)) <= 0;
  }

  private CompletionStage<Void> recordOn(VersionedCacheRecord proxy, T version, int attempts) {
    if (attempts == 0) {
      return CompletableFuture.failedFuture(
          new HistoryReadException(
              "other snapshots were recorded at each of " + ATTEMPTS + " attempts"));
    }
    return factory
        .<VersionedCacheRecord, byte[]>async(proxy, VersionedCacheRecord::highestSnapshot)
        .thenCompose(
            highest ->
                covers(orInitial(highest), version)
                    ? CompletableFuture.completedFuture(null)
                    : factory
                        .<VersionedCacheRecord, Boolean>async(
                            proxy, r -> r.raiseSnapshot(highest, space.write(version)))
                        .thenCompose(
                            done ->
                                done
                                    ? CompletableFuture.completedFuture(null)
                                    : recordOn(proxy, version, attempts - 1)));
  }
}
