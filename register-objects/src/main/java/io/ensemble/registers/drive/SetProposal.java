package io.ensemble.registers.drive;

import io.ensemble.registers.ContentionManager;
import io.ensemble.registers.RegisterObjectException.NotApplied;
import io.ensemble.registers.RegisterObjectException.TooManyParticipants;
import io.ensemble.registers.RegisterObjectException.Unknown;
import io.ensemble.registers.RegisterObjectException.Unreadable;
import io.ensemble.registers.algorithm.Execution;
import io.ensemble.registers.algorithm.RegisterOperations;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.drive.OperationDriver.Ending;
import io.ensemble.registers.memory.RegisterMemory;
import io.ensemble.registers.memory.UnreadableCellException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The proposal of this process in one instance of set agreement. A process has one value there: a
 * call after the first one goes on with it. Thread-safe.
 */
public final class SetProposal {

  private static final SecureRandom RANDOM = new SecureRandom();

  private final String name;
  private final RegisterMemory memory;
  private final int processes;
  private final int values;
  private final Duration deadline;
  private final ContentionManager contention;

  // All are guarded by this object's lock.
  private @Nullable CompletableFuture<byte[]> last;
  private byte @Nullable [] first;
  private @Nullable Participant self;
  private @Nullable Execution suspended;

  /**
   * @param deadline the longest time of a call
   */
  public SetProposal(
      String name,
      RegisterMemory memory,
      int processes,
      int values,
      Duration deadline,
      ContentionManager contention) {
    this.name = name;
    this.memory = memory;
    this.processes = processes;
    this.values = values;
    this.deadline = deadline;
    this.contention = contention;
  }

  public String name() {
    return name;
  }

  public int processes() {
    return processes;
  }

  public int values() {
    return values;
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

  private CompletionStage<byte[]> run(byte[] value) {
    Execution execution = suspended;
    Participant participant = self;
    if (execution == null || participant == null) {
      participant = new Participant(RANDOM.nextLong(), RANDOM.nextLong());
      execution =
          Execution.begin(
              RegisterOperations.proposeToSet(
                  name, processes, values, participant, new Bytes(value)));
      self = participant;
    }
    long deadlineNanos = System.nanoTime() + deadline.toNanos();
    return OperationDriver.run(memory, participant, contention, execution, deadlineNanos)
        .thenApply(this::ended);
  }

  private synchronized byte[] ended(Ending ending) {
    if (ending instanceof Ending.Abandoned abandoned) {
      suspended = abandoned.isWriting() ? null : abandoned.at();
      Throwable cause = abandoned.cause();
      if (abandoned.isProposed()) {
        throw new Unknown(cause.toString(), name, cause);
      }
      throw cause instanceof UnreadableCellException
          ? new Unreadable(name, cause)
          : new NotApplied(cause.toString(), name, cause);
    }
    suspended = null;
    if (((Ending.Returned) ending).result() instanceof Bytes decided) {
      return decided.toArray();
    }
    throw new TooManyParticipants(name, processes);
  }
}
