package io.ensemble.stamp;

/**
 * The position of one write in the order of its key's writes: hybrid time first, the writer to
 * break a tie. A stamp is never a Hot Rod entry version, which is opaque.
 *
 * @param micros hybrid time: microseconds since 1970, never behind a stamp that the writer has seen
 * @param writer the process that wrote
 */
public record Stamp(long micros, WriterId writer) implements Comparable<Stamp> {

  /** Below every write. */
  public static final Stamp NONE = new Stamp(0, WriterId.NONE);

  @Override
  public int compareTo(Stamp other) {
    int byTime = Long.compare(micros, other.micros);
    return byTime != 0 ? byTime : writer.compareTo(other.writer);
  }

  /** Whether this write comes after {@code other}. */
  public boolean isAfter(Stamp other) {
    return compareTo(other) > 0;
  }

  /**
   * The lowest stamp above this one: no other write is between them, and none has it. Both have the
   * same time, unless this writer is the highest of all.
   */
  public Stamp rightAfter() {
    WriterId next = writer.next();
    return new Stamp(next.equals(WriterId.NONE) ? Math.addExact(micros, 1) : micros, next);
  }

  @Override
  public String toString() {
    return micros + "@" + writer;
  }
}
