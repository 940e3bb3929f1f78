package io.ensemble.registers.drive;

import io.ensemble.registers.ContentionManager;
import io.ensemble.registers.ObjectStateCodec;
import io.ensemble.registers.RegisterObjectException.NotApplied;
import io.ensemble.registers.RegisterObjectException.TooManyParticipants;
import io.ensemble.registers.RegisterObjectException.Unknown;
import io.ensemble.registers.RegisterObjectException.Unreadable;
import io.ensemble.registers.StateOperation;
import io.ensemble.registers.StateOperation.Effect;
import io.ensemble.registers.algorithm.Execution;
import io.ensemble.registers.algorithm.Frame;
import io.ensemble.registers.algorithm.Operation;
import io.ensemble.registers.algorithm.Participation;
import io.ensemble.registers.algorithm.RegisterOperations;
import io.ensemble.registers.algorithm.RegisterOperations.Invoked;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.drive.OperationDriver.Ending;
import io.ensemble.registers.memory.RegisterMemory;
import io.ensemble.registers.memory.UnreadableCellException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The operations of this process on one object, one after the other. A participant takes part in
 * each consensus once, so an operation that is abandoned inside a consensus ends the participation,
 * and the next operation is that of another participant. Thread-safe.
 */
public final class ObjectQueue<S> {

  static final int MOST_WAITING = 1_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String name;
  private final RegisterMemory memory;
  private final ObjectStateCodec<S> codec;
  private final Bytes initial;
  private final int maxParticipants;
  private final Duration deadline;
  private final ContentionManager contention;

  // All are guarded by this object's lock.
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
  private int waiting;
  private boolean isClosed;

  /** The last return of an entry after an abandoned operation. */
  private CompletionStage<Void> leaving = CompletableFuture.completedFuture(null);

  /** Only the operation in progress uses it. */
  private volatile @Nullable Participation me;

  /**
   * @param initial the state before the first operation, the same in all processes
   * @param maxParticipants the greatest number of participants
   * @param deadline the longest time of an operation, from its call
   */
  public ObjectQueue(
      String name,
      RegisterMemory memory,
      ObjectStateCodec<S> codec,
      S initial,
      int maxParticipants,
      Duration deadline,
      ContentionManager contention) {
    this.name = name;
    this.memory = memory;
    this.codec = codec;
    this.initial = new Bytes(codec.encode(initial));
    this.maxParticipants = maxParticipants;
    this.deadline = deadline;
    this.contention = contention;
  }

  public String name() {
    return name;
  }

  /** Applies an operation after those that were added before. */
  public <V extends @Nullable Object> CompletionStage<V> add(StateOperation<S, V> operation) {
    long deadlineNanos = System.nanoTime() + deadline.toNanos();
    CompletableFuture<V> result;
    synchronized (this) {
      if (isClosed) {
        return CompletableFuture.failedFuture(new NotApplied("the objects are closed", name, null));
      }
      if (waiting == MOST_WAITING) {
        return CompletableFuture.failedFuture(
            new NotApplied(MOST_WAITING + " operations of this process wait", name, null));
      }
      waiting++;
      result =
          last.handle((ended, failure) -> null)
              .thenCompose(nothing -> execute(operation, deadlineNanos).toCompletableFuture());
      last = result;
    }
    result.whenComplete((ended, failure) -> remove());
    return result.copy(); // A caller that cancels it, or bounds it, must not change this queue.
  }

  private synchronized void remove() {
    waiting--;
  }

  /** The operation that replaces the state if it is {@code expected}. */
  public StateOperation<S, Boolean> swap(S expected, S next) {
    byte[] bytes = codec.encode(expected);
    return state ->
        Arrays.equals(codec.encode(state), bytes)
            ? new Effect<>(next, true)
            : new Effect<>(state, false);
  }

  /**
   * Returns the entry of this process after the operations in progress. Refuses later ones. Ends
   * also after the returns of entries that abandoned operations have begun, each of which lasts no
   * longer than an operation.
   */
  public synchronized CompletionStage<Void> leave() {
    isClosed = true;
    CompletableFuture<Void> left =
        last.handle((ended, failure) -> me)
            .thenCompose(
                present ->
                    present == null
                        ? CompletableFuture.<Void>completedFuture(null)
                        : leave(present).toCompletableFuture())
            .thenCompose(nothing -> leaving());
    last = left;
    return left.copy();
  }

  private <V extends @Nullable Object> CompletionStage<V> execute(
      StateOperation<S, V> operation, long deadlineNanos) {
    if (System.nanoTime() - deadlineNanos >= 0) {
      throw new NotApplied("the deadline passed before it was its turn", name, null);
    }
    Participation present = me;
    if (present == null) {
      Participant self = new Participant(RANDOM.nextLong(), RANDOM.nextLong());
      return run(
              self,
              RegisterOperations.join(name, self, initial, maxParticipants - 1),
              deadlineNanos)
          .thenCompose(ending -> joined(ending, operation, deadlineNanos));
    }
    Frame frame = RegisterOperations.invoke(name, present, untyped(operation));
    return run(present.self(), frame, deadlineNanos).thenApply(ending -> ended(ending, present));
  }

  private CompletionStage<Ending> run(Participant self, Frame frame, long deadlineNanos) {
    return OperationDriver.run(memory, self, contention, Execution.begin(frame), deadlineNanos);
  }

  private <V extends @Nullable Object> CompletionStage<V> joined(
      Ending ending, StateOperation<S, V> operation, long deadlineNanos) {
    if (ending instanceof Ending.Abandoned abandoned) {
      throw failure(abandoned);
    }
    if (((Ending.Returned) ending).result() instanceof Participation joined) {
      me = joined;
      return execute(operation, deadlineNanos);
    }
    throw new TooManyParticipants(name, maxParticipants);
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // The result is that of the operation.
  private <V extends @Nullable Object> V ended(Ending ending, Participation before) {
    if (ending instanceof Ending.Abandoned abandoned) {
      if (!abandoned.isWriting() && !RegisterOperations.isInConsensus(abandoned.at())) {
        me = before.unannounced();
      } else if (abandoned.isWriting()) {
        me = null; // Its entry must stay while a write may still take effect.
      } else {
        await(leave(before));
      }
      throw failure(abandoned);
    }
    Invoked invoked = Objects.requireNonNull((Invoked) ((Ending.Returned) ending).result());
    me = invoked.me();
    return (V) invoked.result();
  }

  private synchronized void await(CompletionStage<Void> left) {
    leaving = leaving.thenCombine(left, (earlier, later) -> null);
  }

  private synchronized CompletionStage<Void> leaving() {
    return leaving;
  }

  /** Without effect if it fails: the index of the participant then stays in use. */
  private CompletionStage<Void> leave(Participation left) {
    me = null;
    Frame leave = RegisterOperations.leave(name, left.node());
    return run(left.self(), leave, System.nanoTime() + deadline.toNanos())
        .thenApply(ending -> null);
  }

  private RuntimeException failure(Ending.Abandoned abandoned) {
    Throwable cause = abandoned.cause();
    if (abandoned.isProposed()) {
      return new Unknown(cause.toString(), name, cause);
    }
    return cause instanceof UnreadableCellException
        ? new Unreadable(name, cause)
        : new NotApplied(cause.toString(), name, cause);
  }

  private Operation untyped(StateOperation<S, ?> operation) {
    return state -> {
      Effect<S, ?> effect =
          BlockingGuard.inside(() -> operation.apply(codec.decode(state.toArray())));
      return new Operation.Effect(new Bytes(codec.encode(effect.state())), effect.result());
    };
  }
}
