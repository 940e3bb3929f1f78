package io.ensemble.check.workload;

import io.ensemble.objects.ReadOnly;

/** A number. */
public class CheckedCounter {
  private long value;

  /** Creates a counter with value 0. */
  public CheckedCounter() {}

  /** The value. */
  @ReadOnly
  public long get() {
    return value;
  }

  /** Adds, and returns the new value. */
  public long add(long amount) {
    value += amount;
    return value;
  }

  /** Adds, and returns the former value. */
  public long getAndAdd(long amount) {
    long old = value;
    value += amount;
    return old;
  }

  /** Sets the value if it is as expected. */
  public boolean compareAndSet(long expected, long fresh) {
    if (value != expected) {
      return false;
    }
    value = fresh;
    return true;
  }
}
