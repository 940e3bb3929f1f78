package io.ensemble.cache.quorum;

import io.ensemble.cache.CompletionCause;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.RequestListener;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Batches the queued writes of a key. While a batch is in progress, the next batch collects the
 * writes that arrive, and takes one turn in the {@link PerKeyQueue}. The members of a batch are
 * fixed when it begins, for all attempts. The reason: a proposal without responses may turn out to
 * be chosen, and then all its writes have taken effect. Each write is answered by its own deadline.
 * Bounded; thread-safe.
 *
 * @param <W> the writers
 */
public final class WriteBatcher<W extends WriteBatcher.Writer> {

  /** How many writers may wait for one key, and so the largest size of a batch. */
  public static final int LIMIT = PerKeyQueue.LIMIT;

  /**
   * The turn of a batch comes when the batch before ends, which has a deadline; so this limit is
   * never reached.
   */
  private static final Duration NEVER = Duration.ofDays(1);

  /** A write that waits for one answer; the first of several counts. */
  public interface Writer {

    /** The point in time by which the write is answered. */
    Deadline deadline();

    /**
     * Removes the write from a batch that has begun, unless an attempt has included it.
     *
     * @return whether the write was removed: it has no effect, and never will
     */
    boolean withdraw();

    /** The write has no effect, and never will. */
    void refused(String why);

    /** The deadline of the write passed before its batch ended; the write may take effect. */
    void unknown(String why);

    /** The batch failed with an exception. */
    void failed(Throwable why);
  }

  /** Performs batches. */
  @FunctionalInterface
  public interface BatchExecutor<W> {

    /**
     * Performs a batch.
     *
     * @param writers in the order of their arrival
     * @param deadline the latest of the writers'
     * @return a function that answers a writer; called for each of them
     */
    CompletionStage<Consumer<W>> execute(Bytes key, List<W> writers, Deadline deadline);
  }

  private final PerKeyQueue perKeyQueue;
  private final Scheduler scheduler;
  private final BatchExecutor<W> executor;
  private final Map<Bytes, Batch> openBatches = new ConcurrentHashMap<>();

  public WriteBatcher(PerKeyQueue perKeyQueue, Scheduler scheduler, BatchExecutor<W> executor) {
    this.perKeyQueue = perKeyQueue;
    this.scheduler = scheduler;
    this.executor = executor;
  }

  /** Adds a write to the next batch of its key, which begins now if no write is in progress. */
  public void add(Bytes key, W writer) {
    Batch newBatch = new Batch(key);
    List<Member> joinedMembers = new ArrayList<>(1);
    Batch batch =
        openBatches.compute(
            key,
            (same, existing) -> {
              Batch target = existing == null ? newBatch : existing;
              target.join(writer).ifPresent(joinedMembers::add);
              return target;
            });
    if (joinedMembers.isEmpty()) {
      writer.refused("%d writers are waiting for the key".formatted(LIMIT));
      return;
    }
    if (batch == newBatch) {
      newBatch.queue();
    }
    joinedMembers.get(0).startTimer();
  }

  /** How many keys have queued writes. */
  public int size() {
    return openBatches.size();
  }

  /** Writers that have one turn. */
  private final class Batch {

    private final Bytes key;

    /** Grows until the batch begins; guarded by the map's entry. */
    private final List<Member> members = new ArrayList<>(1);

    Batch(Bytes key) {
      this.key = key;
    }

    Optional<Member> join(W writer) {
      if (members.size() == LIMIT) {
        return Optional.empty();
      }
      Member member = new Member(writer, this);
      members.add(member);
      return Optional.of(member);
    }

    void removeMember(Member member) {
      openBatches.computeIfPresent(
          key,
          (same, batch) -> {
            batch.members.remove(member);
            return batch;
          });
    }

    void queue() {
      perKeyQueue
          .take(key, Deadline.after(NEVER, scheduler), this::begin, this::refuse)
          .whenComplete(
              (notification, failure) ->
                  complete(
                      failure == null
                          ? notification
                          : writer -> writer.failed(CompletionCause.of(failure))));
    }

    /**
     * Answers several writers in a task each: the continuation of a caller may take long, or wait
     * for another writer of the batch.
     */
    private void complete(Consumer<W> notification) {
      if (members.size() == 1) {
        members.get(0).complete(notification);
        return;
      }
      for (Member member : members) {
        try {
          scheduler.execute(() -> member.complete(notification));
        } catch (RejectedExecutionException rejection) {
          member.complete(notification);
        }
      }
    }

    private CompletionStage<Consumer<W>> begin() {
      openBatches.remove(key, this);
      List<W> activeWriters =
          members.stream().filter(Member::begin).map(member -> member.writer).toList();
      if (activeWriters.isEmpty()) {
        return CompletableFuture.completedFuture(writer -> {});
      }
      Deadline latest = latest(activeWriters);
      for (Member member : members) {
        member.stopTimerIfAt(latest);
      }
      return executor.execute(key, activeWriters, latest);
    }

    private Consumer<W> refuse(String why) {
      openBatches.remove(key, this);
      return writer -> writer.refused(why);
    }
  }

  /** The latest deadline, with all listeners. */
  private Deadline latest(List<W> writers) {
    long latestNanos = writers.get(0).deadline().atNanos();
    for (W writer : writers) {
      long writerDeadline = writer.deadline().atNanos();
      latestNanos = writerDeadline - latestNanos > 0 ? writerDeadline : latestNanos;
    }
    List<RequestListener> listeners =
        writers.stream()
            .map(writer -> writer.deadline().witness())
            .filter(Objects::nonNull)
            .map(Objects::requireNonNull)
            .toList();
    return new Deadline(latestNanos, RequestListener.all(listeners));
  }

  /** A writer in a batch. */
  private final class Member {

    private final W writer;
    private final Batch batch;

    // The fields below are guarded by this object's lock.
    private boolean started;
    private boolean finished;
    private Scheduler.@Nullable Timer timer;

    Member(W writer, Batch batch) {
      this.writer = writer;
      this.batch = batch;
    }

    /** Ensures an answer by the writer's deadline. */
    synchronized void startTimer() {
      if (finished) {
        return;
      }
      try {
        long remainingNanos = Math.max(0, writer.deadline().remainingNanos(scheduler));
        timer = scheduler.after(remainingNanos, this::expire);
      } catch (RejectedExecutionException rejection) {
        // Closed: the writer gets the result of its batch, in time or not.
      }
    }

    /** Whether the writer still waits when its batch begins. */
    boolean begin() {
      boolean late = writer.deadline().hasPassed(scheduler);
      synchronized (this) {
        if (finished) {
          return false;
        }
        started = true;
        finished = late;
      }
      if (late) {
        refuseLate();
      }
      return !late;
    }

    /** Ends the timer of a writer with the batch's deadline: the batch answers by then. */
    void stopTimerIfAt(Deadline latest) {
      if (writer.deadline().atNanos() == latest.atNanos()) {
        end();
      }
    }

    private synchronized void end() {
      finished = true;
      if (timer != null) {
        timer.cancel();
      }
    }

    void complete(Consumer<W> notification) {
      end();
      try {
        notification.accept(writer);
      } catch (RuntimeException | Error thrown) {
        writer.failed(thrown);
      }
    }

    private void expire() {
      boolean performed;
      synchronized (this) {
        if (finished) {
          return;
        }
        finished = true;
        performed = started;
      }
      if (!performed) {
        batch.removeMember(this);
        refuseLate();
      } else if (writer.withdraw()) {
        refuseLate();
      } else {
        writer.unknown("the batch that contains the write has not completed");
      }
    }

    private void refuseLate() {
      writer.refused("the write waited for other writers of the key until its deadline");
    }
  }
}
