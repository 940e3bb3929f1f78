package io.ensemble.cache.distributed;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.partition.PartitionedKey;
import io.ensemble.repartition.KeyRoute;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Confines calls on a distributed cache to the parts that hold their keys, while its parts change.
 * Each part has a generation entry. An answer from a part is given only under a lease: the part's
 * entry is no newer than the generation known to this process. Calls on keys that are being moved
 * wait. Calls that certainly had no effect are retried. While the cache is in use, the lease costs
 * a call nothing; after a pause it costs a parallel read of the part. Thread-safe.
 */
public final class RepartitionFence {

  static final String CHANGING = "the parts of the cache are changing";

  private final ConfigurationLeaseRules rules;
  private final Bytes markKey;
  private final Scheduler scheduler;
  private final PartitionTableWaitQueue waitQueue;
  // By part: a part that was deleted and created again is another instance.
  private final Map<CacheInstance, GenerationReader> marks = new ConcurrentHashMap<>();

  // Changed only while the waiting calls are released.
  private volatile PartitionTable partitionTable;

  /**
   * @param birth of the distributed cache
   * @param look starts a read of its catalog record
   */
  public RepartitionFence(
      ConfigurationLeaseRules rules,
      String birth,
      PartitionTable first,
      Scheduler scheduler,
      Runnable look) {
    this.rules = rules;
    this.markKey = GenerationEntries.key(birth);
    this.scheduler = scheduler;
    this.waitQueue = new PartitionTableWaitQueue(scheduler, look);
    this.partitionTable = first;
  }

  /** The latest partition table known to this process. */
  PartitionTable dealt() {
    return partitionTable;
  }

  /** Adopts {@code next} as the present table; without effect if a later table is known. */
  void deal(PartitionTable next) {
    waitQueue.releaseIf(
        () -> {
          boolean later = next.revision() > partitionTable.revision();
          partitionTable = later ? next : partitionTable;
          return later;
        });
    marks.keySet().retainAll(partitionTable.faces().values());
  }

  void close() {
    waitQueue.close();
  }

  /**
   * A kind of call.
   *
   * @param <T> the type of its answer
   */
  interface CallKind<T> {

    CompletionStage<T> ask(CacheEngine part, Deadline deadline);

    /** Whether the answer is valid only under a lease on the part. */
    boolean counts(T found);

    /** Whether the call certainly had no effect, by its answer or failure. */
    boolean isInVain(@Nullable T found, @Nullable Throwable failure);

    /** Whether the call never has an effect, so that it may be repeated. */
    boolean isRepeatable();

    /** The answer for a call that had no effect; may throw an exception instead. */
    T refused(QuorumFailure why);

    /** The answer for a call with an unknown effect; may throw an exception instead. */
    T doubtful(QuorumFailure why);
  }

  /** Reads. */
  record ReadCall<T>(
      String cache, Function<CacheEngine, Function<Deadline, CompletionStage<T>>> call)
      implements CallKind<T> {
    @Override
    public CompletionStage<T> ask(CacheEngine part, Deadline deadline) {
      return call.apply(part).apply(deadline);
    }

    @Override
    public boolean counts(T found) {
      return true;
    }

    @Override
    public boolean isInVain(@Nullable T found, @Nullable Throwable failure) {
      return failure != null && CompletionCause.of(failure) instanceof QuorumUnavailableException;
    }

    @Override
    public boolean isRepeatable() {
      return true;
    }

    @Override
    public T refused(QuorumFailure why) {
      throw new QuorumUnavailableException(cache, why);
    }

    @Override
    public T doubtful(QuorumFailure why) {
      return refused(why);
    }
  }

  /** Writes, and calls that may write. */
  record WriteCall<R>(
      Function<CacheEngine, Function<Deadline, CompletionStage<WriteOutcome<R>>>> call)
      implements CallKind<WriteOutcome<R>> {
    @Override
    public CompletionStage<WriteOutcome<R>> ask(CacheEngine part, Deadline deadline) {
      return call.apply(part).apply(deadline);
    }

    @Override
    public boolean counts(WriteOutcome<R> found) {
      return found instanceof WriteOutcome.Applied<R>
          || found instanceof WriteOutcome.Superseded<R>;
    }

    @Override
    public boolean isInVain(@Nullable WriteOutcome<R> found, @Nullable Throwable failure) {
      return found instanceof WriteOutcome.Refused<R>;
    }

    @Override
    public boolean isRepeatable() {
      return false;
    }

    @Override
    public WriteOutcome<R> refused(QuorumFailure why) {
      return new WriteOutcome.Refused<>(why);
    }

    @Override
    public WriteOutcome<R> doubtful(QuorumFailure why) {
      return new WriteOutcome.Unknown<>(why);
    }
  }

  /** Makes the call at the part that serves {@code key}. */
  <T> CompletionStage<T> call(PartitionedKey key, CallKind<T> kind, Deadline deadline) {
    PartitionTable now = partitionTable;
    KeyRoute place = now.place(key);
    CacheInstance part = now.face(place.part());
    GenerationReader mark = mark(place.part(), now);
    if (place.held() || mark.trust().isOver(place.generation())) {
      return after(now, deadline, () -> call(key, kind, deadline), () -> kind.refused(why(part)));
    }
    mark.use();
    return kind.ask(part.running(), deadline)
        .handle(
            (found, failure) -> {
              if (kind.isInVain(found, failure)
                  && mark.trust().isOver(place.generation())
                  && !deadline.hasPassed(scheduler)) {
                return call(key, kind, deadline);
              }
              if (failure != null) {
                return CompletableFuture.<T>failedFuture(CompletionCause.of(failure));
              }
              return kind.counts(found)
                  ? told(new PartResponse<>(key, kind, deadline, now, place.part(), found), place)
                  : CompletableFuture.completedFuture(found);
            })
        .thenCompose(stage -> stage);
  }

  /** The answer of a part to a call that began under the partition table {@code began}. */
  private record PartResponse<T>(
      PartitionedKey key,
      CallKind<T> kind,
      Deadline deadline,
      PartitionTable began,
      String part,
      T found) {}

  /** Gives the answer if the lease on the part covers the generation of {@code place}. */
  private <T> CompletionStage<T> told(PartResponse<T> response, KeyRoute place) {
    GenerationReader mark = mark(response.part, response.began);
    if (mark.holds(place.generation())) {
      return CompletableFuture.completedFuture(response.found);
    }
    return mark.confirmed(place.generation(), response.deadline)
        .thenCompose(
            yes ->
                yes
                    ? CompletableFuture.completedFuture(response.found)
                    : late(response, mark, place));
  }

  /** Handles an answer that is not valid under the partition table of its call. */
  private <T> CompletionStage<T> late(
      PartResponse<T> response, GenerationReader mark, KeyRoute place) {
    QuorumFailure why = why(response.began.face(response.part));
    if (!mark.trust().isOver(place.generation())) {
      return CompletableFuture.supplyAsync(() -> response.kind.doubtful(why), scheduler);
    }
    if (response.kind.isRepeatable()) {
      return call(response.key, response.kind, response.deadline);
    }
    PartitionTable known = partitionTable;
    KeyRoute now = known.place(response.key);
    return settles(response, known) && now.generation() > place.generation()
        ? told(response, now)
        : after(
            known,
            response.deadline,
            () -> late(response, mark, place),
            () -> response.kind.doubtful(why));
  }

  /**
   * Whether the part has held the key since the call began, and serves it now. Beyond one
   * generation the parts in between are unknown, so the result is false.
   */
  private static boolean settles(PartResponse<?> response, PartitionTable known) {
    KeyRoute now = known.place(response.key);
    return known.revision() > response.began.revision()
        && known.generation() <= response.began.generation() + 1
        && known.present().part(response.key).equals(response.part)
        && !now.held()
        && now.part().equals(response.part);
  }

  /** Continues once the partition table is another than {@code known}. */
  private <T> CompletionStage<T> after(
      PartitionTable known,
      Deadline deadline,
      Supplier<CompletionStage<T>> next,
      Supplier<T> otherwise) {
    return waitQueue
        .awaitNewerTable(() -> partitionTable != known, deadline)
        .thenCompose(yes -> yes ? next.get() : CompletableFuture.supplyAsync(otherwise, scheduler));
  }

  /** The partition table once no repartition is under way; fails at the deadline. */
  CompletionStage<PartitionTable> settled(Deadline deadline) {
    PartitionTable now = partitionTable;
    return now.coming().isEmpty()
        ? CompletableFuture.completedFuture(now)
        : after(now, deadline, () -> settled(deadline), () -> fail(now));
  }

  private static <T> T fail(PartitionTable now) {
    throw refuse(now);
  }

  /** The failure of a scan whose partition table is no longer valid. */
  static QuorumUnavailableException refuse(PartitionTable now) {
    return new QuorumUnavailableException(
        now.present().definition().name(), why(now.present().parts().get(0)));
  }

  /**
   * Returns a batch of a scan of a part, if the partition table is still that of the scan's
   * beginning.
   */
  <T> CompletionStage<T> walked(PartitionTable began, String part, T met, Deadline deadline) {
    GenerationReader mark = mark(part, began);
    CompletionStage<Boolean> trusted =
        mark.holds(began.generation())
            ? CompletableFuture.completedFuture(true)
            : mark.confirmed(began.generation(), deadline);
    return trusted.thenApply(yes -> yes ? met : fail(began));
  }

  /** The reader of a part's generation entry. */
  GenerationReader mark(String part, PartitionTable known) {
    return marks.computeIfAbsent(
        known.face(part), face -> new GenerationReader(rules, face::running, markKey, scheduler));
  }

  private static QuorumFailure why(CacheInstance part) {
    return SiteResponses.notAsked(part.definition().sites(), CHANGING);
  }
}
