package io.ensemble.repartition;

import io.ensemble.DistributedDefinition;
import io.ensemble.change.Heartbeat;
import io.ensemble.change.OwnerLiveness;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A change of the parts of a distributed cache, as its record holds it. Every method gives another
 * value; it comes into force by the compare-and-set of the record.
 *
 * @param to what the cache will be
 * @param step how far it has come
 * @param owner the mover at work; {@link OwnerLiveness#NOBODY} when it has given its turn up
 * @param turn the how many-th owner it is; grows with every other one
 * @param moved the former parts that hold nothing of the moving share any more
 * @param beat the owner's last sign of life, with how many keys it has moved
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
          "a change has an owner, whose turn counts from 1; cache=%s owner=%s turn=%d"
              .formatted(to.name(), owner, turn));
    }
    if (step == RepartitionPhase.MARKING && !moved.isEmpty()) {
      throw new IllegalArgumentException(
          "nothing is moved before marks are outwaited; cache=%s moved=%s"
              .formatted(to.name(), moved));
    }
  }

  /** The first state of a change. */
  public static Repartition begun(DistributedDefinition to, String owner) {
    return new Repartition(to, RepartitionPhase.MARKING, owner, 1, new TreeSet<>(), Heartbeat.NONE);
  }

  /** The same once marks are outwaited. */
  public Repartition moving() {
    return new Repartition(to, RepartitionPhase.MOVING, owner, turn, moved, beat);
  }

  /** The same with one part more that is done. */
  public Repartition moved(String part) {
    SortedSet<String> more = new TreeSet<>(moved);
    more.add(part);
    return new Repartition(to, step, owner, turn, more, beat);
  }

  /** The same in the hands of another mover. */
  public Repartition takenOver(String by) {
    return new Repartition(to, step, by, turn + 1, moved, Heartbeat.NONE);
  }

  /** The same in nobody's hands: whoever comes first may take it over. */
  public Repartition resigned() {
    return new Repartition(to, step, OwnerLiveness.NOBODY, turn, moved, beat);
  }

  /** The same, its owner alive, which has moved so many keys. */
  public Repartition beaten(long keys) {
    return new Repartition(to, step, owner, turn, moved, beat.next(keys, 0));
  }

  /** What moves while its owner lives. */
  public OwnerLiveness sign() {
    return new OwnerLiveness(owner, turn, step.name() + moved.size(), beat.number());
  }
}
