package io.ensemble.registers;

import io.ensemble.registers.drive.BlockingGuard;
import io.ensemble.registers.drive.ObjectQueue;
import io.ensemble.registers.drive.ResultWait;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A linearizable object with a state of any type (LEADS D2.6, appendix E, Algorithm 5).
 *
 * <p>Operations are obstruction-free: an operation ends for certain while its process alone takes
 * steps. Others may delay it until its deadline; the {@link ContentionManager} makes that rare.
 *
 * <p>Costs, for a process that is alone and after its first operation: one read for an operation
 * that only reads; otherwise five reads and four writes that wait for one another. One write more
 * directly after a change by the same process. A read is one round trip of an MWMR cache, a write
 * one or two. One of the reads is of all k participants that there ever were: 2k + 1 requests, at
 * most 64 at a time.
 *
 * <p>Thread-safe. Operations of one process wait for one another in the order of their calls, at
 * most 1,000 of them. Stages complete on threads of the cache. Blocking methods must not be called
 * there, nor inside an operation.
 *
 * @param <S> the states' type
 */
public final class RegisterObject<S> {

  private final ObjectQueue<S> queue;
  private final BlockingGuard guard;

  RegisterObject(ObjectQueue<S> queue, BlockingGuard guard) {
    this.queue = queue;
    this.guard = guard;
  }

  /** The name of the object. */
  public String name() {
    return queue.name();
  }

  /**
   * Applies an operation to the state.
   *
   * @throws RegisterObjectException if it was not applied, or perhaps was
   * @throws IllegalStateException on a thread of the cache and inside an operation, where this
   *     would wait for itself
   */
  public <V extends @Nullable Object> V invoke(StateOperation<S, V> operation) {
    guard.refuse();
    return ResultWait.toItsEnd(invokeAsync(operation));
  }

  /** As {@link #invoke}. The stage fails with a {@link RegisterObjectException}. */
  public <V extends @Nullable Object> CompletionStage<V> invokeAsync(
      StateOperation<S, V> operation) {
    return queue.add(operation);
  }

  /** The state. */
  public S get() {
    return invoke(state -> new StateOperation.Effect<>(state, state));
  }

  /**
   * Replaces the state if it is {@code expected}, as its bytes show; says whether it was.
   *
   * @throws RegisterObjectException if it was not replaced, or perhaps was
   */
  public boolean compareAndSwap(S expected, S next) {
    return invoke(queue.swap(expected, next));
  }
}
