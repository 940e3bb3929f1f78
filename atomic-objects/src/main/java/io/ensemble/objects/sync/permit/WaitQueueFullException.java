package io.ensemble.objects.sync.permit;

/**
 * A request was refused, because the queue of the object is full of requests of living processes.
 * The request has no place in the queue and holds nothing; retrying is safe.
 */
public final class WaitQueueFullException extends IllegalStateException {

  private final int waiting;

  WaitQueueFullException(int waiting, Object object) {
    super("the queue is full; at most %d requests may wait; object=%s".formatted(waiting, object));
    this.waiting = waiting;
  }

  /** The number of waiting requests, which is the limit. */
  public int waiting() {
    return waiting;
  }
}
