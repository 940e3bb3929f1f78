package io.ensemble.check.workload;

import io.ensemble.objects.ReadOnly;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Values, first in, first out. */
public class CheckedQueue {
  private final ArrayDeque<Long> values = new ArrayDeque<>();

  /** Creates an empty queue. */
  public CheckedQueue() {}

  /** Puts a value at its end. */
  public void enqueue(long value) {
    values.addLast(value);
  }

  /** Takes the value at its beginning; null if it is empty. */
  public @Nullable Long dequeue() {
    return values.pollFirst();
  }

  /** The number of values. */
  @ReadOnly
  public long size() {
    return values.size();
  }
}
