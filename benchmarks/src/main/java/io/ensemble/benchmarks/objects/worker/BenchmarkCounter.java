package io.ensemble.benchmarks.objects.worker;

import io.ensemble.objects.ReadOnly;

/** The measured object, as a user would write it. */
public class BenchmarkCounter {

  private long value;

  /** Adds 1, and returns the new value. */
  public long increment() {
    return ++value;
  }

  /** Replaces the value if it is the expected one. */
  public boolean compareAndSet(long expected, long next) {
    boolean same = value == expected;
    if (same) {
      value = next;
    }
    return same;
  }

  /** The value. */
  @ReadOnly
  public long value() {
    return value;
  }
}
