package io.ensemble.objects.sync.permit;

import java.util.OptionalLong;

/**
 * Decides what a request does for the queue of its object: shows that its process is alive, ends a
 * round, or waits for room. Not thread-safe: a request has one call in progress at a time.
 */
public final class QueueMembership {

  /** What a request does next for the queue. */
  public enum Duty {
    NONE,
    SHOW_ITSELF,
    END_ROUND
  }

  /**
   * A request that was dead when another one found the queue full is removed within this number of
   * rounds.
   */
  private static final int ROUNDS_TO_REFUSAL = 2;

  private final WaiterFailureDetector waiterFailureDetector;
  private volatile OptionalLong foundFullIn = OptionalLong.empty();

  /** The part of one request; the requests of a handle share the detector. */
  public QueueMembership(WaiterFailureDetector waiterFailureDetector) {
    this.waiterFailureDetector = waiterFailureDetector;
  }

  /**
   * The duty of a request.
   *
   * @param waits whether the request is in the queue
   */
  public Duty duty(QueueRound round, boolean waits, long now) {
    if (waits && !round.shown()) {
      return Duty.SHOW_ITSELF;
    }
    boolean others = round.waiting() > (waits ? 1 : 0);
    return waiterFailureDetector.isOver(round, now) && others ? Duty.END_ROUND : Duty.NONE;
  }

  /** Records that the request found no room in the queue. */
  public void recordFull(QueueRound round) {
    if (foundFullIn.isEmpty()) {
      foundFullIn = OptionalLong.of(round.number());
    }
  }

  /** Records that the queue has room, or that the request has a place. */
  public void recordRoom() {
    foundFullIn = OptionalLong.empty();
  }

  /** Whether the request waits for room in the queue. */
  public boolean needsRoom() {
    return foundFullIn.isPresent();
  }

  /** Whether every request in the full queue has shown since then that its process is alive. */
  public boolean isRefused(QueueRound round) {
    return foundFullIn.isPresent()
        && round.isFull()
        && round.number() >= foundFullIn.getAsLong() + ROUNDS_TO_REFUSAL;
  }

  /**
   * The failure of a request that is refused.
   *
   * @param object what the request is for, as text
   */
  public static WaitQueueFullException refusal(Object object) {
    return new WaitQueueFullException(PermitState.MOST_WAITING, object);
  }
}
