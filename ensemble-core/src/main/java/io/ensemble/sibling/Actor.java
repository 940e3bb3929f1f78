package io.ensemble.sibling;

import io.ensemble.stamp.Stamp;
import java.util.Comparator;

/**
 * Who applies writes to one key: one store, for as long as it has something of the key. Whoever
 * writes there replaces what is there by compare-and-set, so an actor's writes are in line, each
 * having seen the one before. A store that forgot the key, or another that took its place, is
 * another actor: it has not seen all that the former one did.
 *
 * @param birth time of the actor's first write
 * @param by a digest of who wrote that: no two actors have both in common
 */
public record Actor(long birth, long by) implements Comparable<Actor> {

  /** Of values from before a cache kept siblings: a later one has seen the earlier ones. */
  public static final Actor NONE = new Actor(0, 0);

  private static final Comparator<Actor> ORDER =
      Comparator.comparingLong(Actor::birth).thenComparingLong(Actor::by);

  /** An actor whose first write has that stamp, which no other write has. */
  static Actor born(Stamp stamp) {
    long high = stamp.writer().high() * 0x9e3779b97f4a7c15L;
    return new Actor(stamp.micros(), (high ^ high >>> 32) + stamp.writer().low());
  }

  @Override
  public int compareTo(Actor other) {
    return ORDER.compare(this, other);
  }
}
