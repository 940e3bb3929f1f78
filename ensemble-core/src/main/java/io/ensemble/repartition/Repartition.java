package io.ensemble.repartition;

import io.ensemble.DistributedDefinition;
import io.ensemble.change.Heartbeat;
import io.ensemble.change.OwnerLiveness;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A change of the parts of a distributed cache, as its record holds it. Every method returns
 * another value, which takes effect by the compare-and-set of the record.
 *
 * @param to the new definition of the cache
 * @param step the phase of the change
 * @param owner the mover at work; {@link OwnerLiveness#NOBODY} after it has resigned
 * @param turn the number of the owner, counted from 1; grows with each new owner
 * @param moved the former parts that hold no key of the moving share any more
 * @param beat the owner's last heartbeat, with the number of keys that it has moved
 */
public record Repartition(
    DistributedDefinition to,
    RepartitionPhase step,
    String owner,
    long turn,
    SortedSet<String> moved,
    Heartbeat beat) {

  public Repartition {
    moved = Collections.unmodifiableSortedSet(new TreeSet<>(moved));
    if (turn < 1 || owner.isBlank()) {
      throw new IllegalArgumentException(
          "a change must have an owner and a turn of 1 or more; cache=%s owner=%s turn=%d"
              .formatted(to.name(), owner, turn));
    }
    if (step == RepartitionPhase.MARKING && !moved.isEmpty()) {
      throw new IllegalArgumentException(
          "keys must not be moved before leases without marks have expired; cache=%s moved=%s"
              .formatted(to.name(), moved));
    }
  }

  /** The first state of a change. */
  public static Repartition begun(DistributedDefinition to, String owner) {
    return new Repartition(to, RepartitionPhase.MARKING, owner, 1, new TreeSet<>(), Heartbeat.NONE);
  }

  /** The change once the leases on the former marks have expired. */
  public Repartition moving() {
    return new Repartition(to, RepartitionPhase.MOVING, owner, turn, moved, beat);
  }

  /** The change with one more part done. */
  public Repartition moved(String part) {
    SortedSet<String> more = new TreeSet<>(moved);
    more.add(part);
    return new Repartition(to, step, owner, turn, more, beat);
  }

  /** The change with another mover. */
  public Repartition takenOver(String by) {
    return new Repartition(to, step, by, turn + 1, moved, Heartbeat.NONE);
  }

  /** The change without an owner: the first process that finds it may take it over. */
  public Repartition resigned() {
    return new Repartition(to, step, OwnerLiveness.NOBODY, turn, moved, beat);
  }

  /** The change after another heartbeat of its owner, which has moved this many keys. */
  public Repartition beaten(long keys) {
    return new Repartition(to, step, owner, turn, moved, beat.next(keys, 0));
  }

  /** The state that advances while the owner is alive. */
  public OwnerLiveness sign() {
    return new OwnerLiveness(owner, turn, step.name() + moved.size(), beat.number());
  }
}
