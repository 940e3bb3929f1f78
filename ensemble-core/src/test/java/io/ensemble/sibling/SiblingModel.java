package io.ensemble.sibling;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The same lattice, naively: the sets of all events that were seen and of all that were
 * overwritten. Events are numbered by the one who tries things out, who never gives a number twice.
 */
record SiblingModel(Set<Integer> seen, Set<Integer> overwritten) {

  static final SiblingModel EMPTY = new SiblingModel(Set.of(), Set.of());

  SiblingModel join(SiblingModel other) {
    return new SiblingModel(union(seen, other.seen), union(overwritten, other.overwritten));
  }

  /** After event {@code number}, which takes the place of {@code what}. */
  SiblingModel written(int number, Set<Integer> what, boolean removal) {
    Set<Integer> gone = union(overwritten, what);
    return new SiblingModel(
        union(union(seen, what), Set.of(number)), removal ? union(gone, Set.of(number)) : gone);
  }

  /** The values that nobody who is known here has overwritten. */
  Set<Integer> alive() {
    Set<Integer> alive = new TreeSet<>(seen);
    alive.removeAll(overwritten);
    return alive;
  }

  private static Set<Integer> union(Set<Integer> one, Set<Integer> other) {
    Set<Integer> both = new HashSet<>(one);
    both.addAll(other);
    return Set.copyOf(both);
  }
}
