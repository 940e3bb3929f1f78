package io.ensemble.objects.sync;

import io.ensemble.objects.ReadOnly;

/** What a counter is. */
class CounterState {

  private long value;

  @ReadOnly
  public long get() {
    return value;
  }

  public long set(long next) {
    long before = value;
    value = next;
    return before;
  }

  public long add(long delta) {
    value += delta;
    return value;
  }

  public boolean compareAndSet(long expected, long next) {
    if (value != expected) {
      return false;
    }
    value = next;
    return true;
  }
}
