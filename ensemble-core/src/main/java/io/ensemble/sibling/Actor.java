package io.ensemble.sibling;

import io.ensemble.stamp.Stamp;
import java.util.Comparator;

/**
 * The identity under which writes to one key are applied: one store, for as long as it holds any
 * state of the key. Every write there replaces the stored state by compare-and-set. So an actor's
 * writes are totally ordered, and each has seen the one before. A store that lost the key, or a
 * store that replaced it, is another actor, because it has not seen all writes of the former one.
 *
 * @param birth time of the actor's first write
 * @param by a digest of the writer of that first write: no two actors have both in common
 */
public record Actor(long birth, long by) implements Comparable<Actor> {

  /**
   * The actor of values from before a cache kept siblings: a later one has seen the earlier ones.
   */
  public static final Actor NONE = new Actor(0, 0);

  private static final Comparator<Actor> ORDER =
      Comparator.comparingLong(Actor::birth).thenComparingLong(Actor::by);

  /** An actor whose first write has this stamp, which no other write has. */
  static Actor born(Stamp stamp) {
    long high = stamp.writer().high() * 0x9e3779b97f4a7c15L;
    return new Actor(stamp.micros(), (high ^ high >>> 32) + stamp.writer().low());
  }

  @Override
  public int compareTo(Actor other) {
    return ORDER.compare(this, other);
  }
}
