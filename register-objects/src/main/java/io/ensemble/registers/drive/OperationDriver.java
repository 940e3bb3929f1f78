package io.ensemble.registers.drive;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.registers.ContentionManager;
import io.ensemble.registers.algorithm.Execution;
import io.ensemble.registers.algorithm.Move;
import io.ensemble.registers.algorithm.RegisterValue;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Proposal;
import io.ensemble.registers.algorithm.RegisterValue.Ranked;
import io.ensemble.registers.memory.RegisterMemory;
import io.ensemble.registers.memory.RegisterMemory.Written;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Executes one operation: makes one access after the other until the operation ends, an access
 * fails, or the deadline is over. Accesses that certainly had no effect are repeated.
 */
final class OperationDriver {

  /** How an operation has ended. */
  sealed interface Ending {

    /** The algorithm has returned. */
    record Returned(@Nullable Object result) implements Ending {}

    /**
     * The operation was abandoned.
     *
     * @param isProposed whether a value of this operation may be in a register, so that other
     *     processes may decide it
     * @param isWriting whether a write may still take effect
     * @param at where the operation can go on, unless a write may still take effect
     */
    record Abandoned(boolean isProposed, boolean isWriting, Execution at, Throwable cause)
        implements Ending {}
  }

  /** Registers that do not answer often say so at once. */
  private static final long BEFORE_REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final Object REPEAT = new Object();

  private final RegisterMemory memory;
  private final Participant self;
  private final ContentionManager contention;
  private final long deadlineNanos;
  private final CompletableFuture<Ending> ending = new CompletableFuture<>();

  private Execution execution;
  private boolean isProposed;
  private boolean isRepeated;
  private int attempts;
  private long attemptBegunNanos = System.nanoTime();

  private OperationDriver(
      RegisterMemory memory,
      Participant self,
      ContentionManager contention,
      Execution execution,
      long deadlineNanos) {
    this.memory = memory;
    this.self = self;
    this.contention = contention;
    this.deadlineNanos = deadlineNanos;
    this.execution = execution;
  }

  /**
   * Executes an operation of a process, from its begin or from where it was abandoned. The stage
   * never fails.
   *
   * @param deadlineNanos on the clock of {@link System#nanoTime()}; no access begins after it
   */
  static CompletionStage<Ending> run(
      RegisterMemory memory,
      Participant self,
      ContentionManager contention,
      Execution execution,
      long deadlineNanos) {
    OperationDriver driver =
        new OperationDriver(memory, self, contention, execution, deadlineNanos);
    driver.advance();
    return driver.ending;
  }

  /** Takes steps until one is waited for. Only one thread at a time executes an operation. */
  private void advance() {
    while (!ending.isDone()) {
      if (execution.isEnded()) {
        ending.complete(new Ending.Returned(execution.result()));
        return;
      }
      if (System.nanoTime() - deadlineNanos >= 0) {
        abandon(false, new TimeoutException("the deadline is over"));
        return;
      }
      CompletableFuture<?> access = begin(execution.move());
      if (!access.isDone()) {
        access.whenComplete(
            (answer, failure) -> {
              take(answer, failure);
              advance();
            });
        return;
      }
      access.whenComplete(this::take);
    }
  }

  private CompletableFuture<?> begin(Move move) {
    try {
      if (isRepeated) {
        isRepeated = false;
        return delay(BEFORE_REPEAT_NANOS, REPEAT);
      }
      if (move instanceof Move.Read read) {
        return memory.read(read.register()).toCompletableFuture();
      }
      if (move instanceof Move.ReadAll reads) {
        return memory.readAll(reads.registers()).toCompletableFuture();
      }
      if (move instanceof Move.Write write) {
        CompletableFuture<?> written =
            memory.write(write.register(), write.cell()).toCompletableFuture();
        isProposed |= isProposal(write.cell().value());
        return written;
      }
      return pause();
    } catch (RuntimeException | Error e) { // The access was not made.
      abandon(false, e);
      return CompletableFuture.completedFuture(REPEAT);
    }
  }

  private boolean isProposal(RegisterValue value) {
    return (value instanceof Proposal proposal && proposal.proposer().equals(self))
        || (value instanceof Ranked ranked && ranked.writer().equals(self));
  }

  private CompletableFuture<?> pause() {
    long now = System.nanoTime();
    attempts++;
    Duration pause = contention.pause(attempts, Duration.ofNanos(now - attemptBegunNanos));
    long nanos = Math.min(pause.toNanos(), Math.max(0, deadlineNanos - now));
    attemptBegunNanos = now + nanos;
    return delay(nanos, null);
  }

  private static CompletableFuture<?> delay(long nanos, @Nullable Object answer) {
    return nanos <= 0
        ? CompletableFuture.completedFuture(answer)
        : CompletableFuture.supplyAsync(
            () -> answer, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS));
  }

  private void take(@Nullable Object answer, @Nullable Throwable failure) {
    try {
      if (failure != null) {
        retryOrAbandon(CompletionCause.of(failure));
      } else if (answer == Written.UNKNOWN) {
        abandon(true, new IllegalStateException("a write has an unknown outcome"));
      } else if (answer == Written.REFUSED) {
        isRepeated = true;
      } else if (answer != REPEAT) {
        execution = execution.answer(answer == Written.DONE ? null : answer);
      }
    } catch (RuntimeException | Error e) { // Of the operation's own code.
      abandon(false, e);
    }
  }

  private void retryOrAbandon(Throwable failure) {
    if (failure instanceof QuorumUnavailableException) {
      isRepeated = true;
      return;
    }
    boolean isWriting =
        execution.move() instanceof Move.Write && !(failure instanceof WriterPresentException);
    abandon(isWriting, failure);
  }

  private void abandon(boolean isWriting, Throwable cause) {
    ending.complete(new Ending.Abandoned(isProposed, isWriting, execution, cause));
  }
}
