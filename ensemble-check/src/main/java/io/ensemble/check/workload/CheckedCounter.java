package io.ensemble.check.workload;

import io.ensemble.objects.ReadOnly;

/** A number. */
public class CheckedCounter {
  private long value;

  /** Zero. */
  public CheckedCounter() {}

  /** What it is. */
  @ReadOnly
  public long get() {
    return value;
  }

  /** Adds, and gives what it is then. */
  public long add(long amount) {
    value += amount;
    return value;
  }

  /** Adds, and gives what it was. */
  public long getAndAdd(long amount) {
    long old = value;
    value += amount;
    return old;
  }

  /** Sets it if it is as expected. */
  public boolean compareAndSet(long expected, long fresh) {
    if (value != expected) {
      return false;
    }
    value = fresh;
    return true;
  }
}
