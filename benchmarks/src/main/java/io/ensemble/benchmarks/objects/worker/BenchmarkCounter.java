package io.ensemble.benchmarks.objects.worker;

import io.ensemble.objects.ReadOnly;

/** The object that is measured, as a user would write it. */
public class BenchmarkCounter {

  private long value;

  /** Adds one, and returns what came of it. */
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

  /** What it holds. */
  @ReadOnly
  public long value() {
    return value;
  }
}
