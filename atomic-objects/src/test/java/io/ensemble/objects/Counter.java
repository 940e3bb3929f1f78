package io.ensemble.objects;

/** The object that these tests share. */
public class Counter {

  static final ObjectType<Counter> TYPE = ObjectType.of(Counter.class);

  private long value;

  public long increment() {
    return ++value;
  }

  @ReadOnly
  public long get() {
    return value;
  }
}
