package io.ensemble.growth;

import io.ensemble.DistributedDefinition;
import io.ensemble.change.Beat;
import io.ensemble.change.Sign;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A change of the parts of a distributed cache, as its record holds it. Every method gives another
 * value; it comes into force by the compare-and-set of the record.
 *
 * @param to what the cache will be
 * @param step how far it has come
 * @param owner the mover at work; {@link Sign#NOBODY} when it has given its turn up
 * @param turn the how many-th owner it is; grows with every other one
 * @param moved the former parts that hold nothing of the moving share any more
 * @param beat the owner's last sign of life, with how many keys it has moved
 */
public record Growth(
    DistributedDefinition to,
    GrowthStep step,
    String owner,
    long turn,
    SortedSet<String> moved,
    Beat beat) {

  public Growth {
    moved = Collections.unmodifiableSortedSet(new TreeSet<>(moved));
    if (turn < 1 || owner.isBlank()) {
      throw new IllegalArgumentException(
          "a change has an owner, whose turn counts from 1; cache=%s owner=%s turn=%d"
              .formatted(to.name(), owner, turn));
    }
    if (step == GrowthStep.MARKING && !moved.isEmpty()) {
      throw new IllegalArgumentException(
          "nothing is moved before marks are outwaited; cache=%s moved=%s"
              .formatted(to.name(), moved));
    }
  }

  /** The first state of a change. */
  public static Growth begun(DistributedDefinition to, String owner) {
    return new Growth(to, GrowthStep.MARKING, owner, 1, new TreeSet<>(), Beat.NONE);
  }

  /** The same once marks are outwaited. */
  public Growth moving() {
    return new Growth(to, GrowthStep.MOVING, owner, turn, moved, beat);
  }

  /** The same with one part more that is done. */
  public Growth moved(String part) {
    SortedSet<String> more = new TreeSet<>(moved);
    more.add(part);
    return new Growth(to, step, owner, turn, more, beat);
  }

  /** The same in the hands of another mover. */
  public Growth takenOver(String by) {
    return new Growth(to, step, by, turn + 1, moved, Beat.NONE);
  }

  /** The same in nobody's hands: whoever comes first may take it over. */
  public Growth resigned() {
    return new Growth(to, step, Sign.NOBODY, turn, moved, beat);
  }

  /** The same, its owner alive, which has moved so many keys. */
  public Growth beaten(long keys) {
    return new Growth(to, step, owner, turn, moved, beat.next(keys, 0));
  }

  /** What moves while its owner lives. */
  public Sign sign() {
    return new Sign(owner, turn, step.name() + moved.size(), beat.number());
  }
}
