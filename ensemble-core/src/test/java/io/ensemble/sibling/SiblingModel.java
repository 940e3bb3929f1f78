package io.ensemble.sibling;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The same lattice, implemented naively: the sets of all seen and of all overwritten events. The
 * test numbers the events and never uses a number twice.
 */
record SiblingModel(Set<Integer> seen, Set<Integer> overwritten) {

  static final SiblingModel EMPTY = new SiblingModel(Set.of(), Set.of());

  SiblingModel join(SiblingModel other) {
    return new SiblingModel(union(seen, other.seen), union(overwritten, other.overwritten));
  }

  /** The state after event {@code number}, which replaces the events {@code what}. */
  SiblingModel written(int number, Set<Integer> what, boolean removal) {
    Set<Integer> gone = union(overwritten, what);
    return new SiblingModel(
        union(union(seen, what), Set.of(number)), removal ? union(gone, Set.of(number)) : gone);
  }

  /** The values that no seen event has overwritten. */
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
