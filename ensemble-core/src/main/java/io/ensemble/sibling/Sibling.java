package io.ensemble.sibling;

import io.ensemble.stamp.Stamp;
import java.util.Comparator;

/**
 * A concurrent value of a key. Its dot, which no other write has, is the actor and the time of the
 * stamp.
 *
 * @param actor the actor that applied the write
 * @param stamp the stamp of the write: above all that the actor had seen; the writer breaks a tie
 */
public record Sibling<V>(Actor actor, Stamp stamp, V value) {

  /** The highest stamp first; no two siblings that are alive at the same time have equal stamps. */
  static final Comparator<Sibling<?>> LATEST_FIRST =
      Comparator.<Sibling<?>, Stamp>comparing(Sibling::stamp)
          .reversed()
          .thenComparing(Sibling::actor);

  boolean hasDotOf(Sibling<V> other) {
    return actor.equals(other.actor) && stamp.micros() == other.stamp.micros();
  }
}
