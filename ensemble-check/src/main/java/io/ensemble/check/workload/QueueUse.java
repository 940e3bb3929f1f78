package io.ensemble.check.workload;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A client of a queue. At the end the queue is emptied, so that lost values are detected. */
final class QueueUse implements ObjectUse {
  private final CheckedQueue queue;

  QueueUse(CheckedQueue queue) {
    this.queue = queue;
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5, 6, 7 -> ObjectCall.of("enqueue", fresh, () -> queue.enqueue(fresh));
      case 8, 9 -> ObjectCall.of("size", null, queue::size);
      default -> last();
    };
  }

  @Override
  public ObjectCall last() {
    return ObjectCall.of("dequeue", null, queue::dequeue);
  }

  @Override
  public boolean hasMore(@Nullable Object result) {
    return result != null;
  }
}
