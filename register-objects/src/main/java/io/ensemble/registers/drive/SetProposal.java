package io.ensemble.registers.drive;

import io.ensemble.registers.ContentionManager;
import io.ensemble.registers.RegisterObjectException.NotApplied;
import io.ensemble.registers.RegisterObjectException.TooManyParticipants;
import io.ensemble.registers.RegisterObjectException.Unknown;
import io.ensemble.registers.RegisterObjectException.Unreadable;
import io.ensemble.registers.algorithm.Execution;
import io.ensemble.registers.algorithm.RegisterOperations;
import io.ensemble.registers.algorithm.RegisterOperations.NoDecision.TooLate;
import io.ensemble.registers.algorithm.RegisterOperations.SetSize;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.drive.OperationDriver.Ending;
import io.ensemble.registers.memory.RegisterMemory;
import io.ensemble.registers.memory.UnreadableCellException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The proposals of this process to a set agreement object, one for each instance. A process has one
 * value in an instance: a call after a failed one goes on with it. Thread-safe.
 */
public final class SetProposal {

  private static final SecureRandom RANDOM = new SecureRandom();

  /** A process that is behind by more decisions of the others misses these instances. */
  public static final int FORMER_DECISIONS = 16;

  private final String name;
  private final RegisterMemory memory;
  private final SetSize size;
  private final Duration deadline;
  private final ContentionManager contention;

  // All are guarded by this object's lock.
  private @Nullable CompletableFuture<byte[]> last;
  private byte @Nullable [] first;
  private @Nullable Participant self;
  private boolean isEntered;
  private @Nullable Execution suspended;
  private long instance;
  private List<Bytes> former = List.of();

  /**
   * @param deadline the longest time of a call
   */
  public SetProposal(
      String name,
      RegisterMemory memory,
      SetSize size,
      Duration deadline,
      ContentionManager contention) {
    this.name = name;
    this.memory = memory;
    this.size = size;
    this.deadline = deadline;
    this.contention = contention;
  }

  public String name() {
    return name;
  }

  public SetSize size() {
    return size;
  }

  /** The number of the instance that the next proposal is for, from 0. */
  public synchronized long instance() {
    return instance;
  }

  /** Proposes the value, or goes on with the value of an earlier call. */
  public synchronized CompletionStage<byte[]> propose(byte[] value) {
    if (first == null) {
      first = value.clone();
    }
    CompletableFuture<byte[]> present = last;
    if (present == null || present.isCompletedExceptionally()) {
      present = run(first).toCompletableFuture();
      last = present;
    }
    return present.thenApply(byte[]::clone);
  }

  /** Proposes the value in the next instance, or goes on with the value of a failed call. */
  public synchronized CompletionStage<byte[]> proposeNext(byte[] value) {
    CompletableFuture<byte[]> present = last;
    if (present != null && !present.isDone()) {
      return CompletableFuture.failedFuture(
          new NotApplied("a proposal of this process is in progress", name, null));
    }
    if (present != null && !present.isCompletedExceptionally()) {
      List<Bytes> all = new ArrayList<>(former);
      all.add(new Bytes(present.join()));
      former = all.subList(Math.max(0, all.size() - FORMER_DECISIONS), all.size());
      instance++;
      first = null;
      last = null;
    }
    return propose(value);
  }

  private CompletionStage<byte[]> run(byte[] value) {
    Execution execution = suspended;
    Participant participant = self;
    if (execution == null || participant == null) {
      if (participant == null || !isEntered) {
        participant = new Participant(RANDOM.nextLong(), RANDOM.nextLong());
        self = participant;
      }
      Bytes bytes = new Bytes(value);
      execution =
          Execution.begin(
              isEntered
                  ? RegisterOperations.proposeNextToSet(
                      name, size, participant, instance, former, bytes)
                  : RegisterOperations.proposeToSet(
                      name, size, participant, instance, former, bytes));
    }
    long deadlineNanos = System.nanoTime() + deadline.toNanos();
    return OperationDriver.run(memory, participant, contention, execution, deadlineNanos)
        .thenApply(this::ended);
  }

  private synchronized byte[] ended(Ending ending) {
    if (ending instanceof Ending.Abandoned abandoned) {
      suspended = abandoned.isWriting() ? null : abandoned.at();
      isEntered &= !abandoned.isWriting(); // The next call is that of another participant.
      Throwable cause = abandoned.cause();
      if (abandoned.isProposed()) {
        throw new Unknown(cause.toString(), name, cause);
      }
      throw cause instanceof UnreadableCellException
          ? new Unreadable(name, cause)
          : new NotApplied(cause.toString(), name, cause);
    }
    suspended = null;
    Object result = ((Ending.Returned) ending).result();
    if (result instanceof Bytes decided) {
      isEntered = true;
      return decided.toArray();
    }
    if (result instanceof TooLate late) {
      isEntered = true;
      first = null;
      String why =
          "instances %d to %d were missed; the next proposal is for %d"
              .formatted(instance, late.instance() - 1, late.instance());
      instance = late.instance();
      former = late.former();
      throw new NotApplied(why, name, null);
    }
    throw new TooManyParticipants(name, size.processes());
  }
}
