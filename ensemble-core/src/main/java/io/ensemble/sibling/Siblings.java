package io.ensemble.sibling;

import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one site knows of a key: a dotted version vector set (Preguiça, Almeida, Baquero et al.,
 * "Dotted Version Vectors", 2010; Almeida et al., "Scalable and Accurate Causality Tracking for
 * Eventually Consistent Stores", 2014).
 *
 * <p>Each dot is unknown, or alive with its value, or dead: covered by {@code seen} and not alive.
 * Everything that happens moves dots along that line only, so {@link #join} is a least upper bound,
 * and a value that is dead anywhere is dead everywhere in the end. A write has one dot, is alive,
 * and kills what it is told to overwrite; a removal has one that is dead at once. What {@link
 * #atMost} drops stays seen, and so does not come back.
 *
 * <p>The papers count an actor's writes; here their stamps' times stand for the numbers. They rise
 * along an actor's writes, which is all that a version vector asks for. Should a store have gone
 * back in time, so that two writes have one dot after all, the one of the higher stamp stays.
 *
 * <p>Immutable; equal states are equal objects with equal stored forms.
 *
 * @param last the highest stamp that any write or removal had
 * @param seen the dots that were seen
 * @param alive the values that nobody has overwritten, latest first
 */
public record Siblings<V>(Stamp last, ActorVersionVector seen, List<Sibling<V>> alive) {

  public Siblings {
    alive = alive.stream().sorted(Sibling.LATEST_FIRST).toList();
    for (Sibling<V> one : alive) {
      if (!seen.covers(one.actor(), one.stamp().micros()) || one.stamp().isAfter(last)) {
        throw new IllegalArgumentException("a value has been seen; sibling=" + one + " " + seen);
      }
    }
    if (seen.latestMicros() > last.micros()) {
      throw new IllegalArgumentException("nothing was seen after the last; " + seen + " " + last);
    }
  }

  /** A key of which nothing is known. */
  public static <V> Siblings<V> none() {
    return new Siblings<>(Stamp.NONE, ActorVersionVector.NONE, List.of());
  }

  /** What is known of a key once both are. */
  public Siblings<V> join(Siblings<V> other) {
    List<Sibling<V>> both = new ArrayList<>();
    for (Sibling<V> mine : alive) {
      Sibling<V> theirs = other.find(mine);
      if (theirs != null) {
        both.add(theirs.stamp().isAfter(mine.stamp()) ? theirs : mine);
      } else if (!other.hasSeen(mine)) {
        both.add(mine);
      }
    }
    for (Sibling<V> theirs : other.alive) {
      if (!hasSeen(theirs)) {
        both.add(theirs);
      }
    }
    return new Siblings<>(
        other.last.isAfter(last) ? other.last : last, seen.join(other.seen), both);
  }

  /** Whether a join with {@code other} would change nothing. */
  public boolean holds(Siblings<V> other) {
    return join(other).equals(this);
  }

  private boolean hasSeen(Sibling<V> one) {
    return seen.covers(one.actor(), one.stamp().micros());
  }

  private @Nullable Sibling<V> find(Sibling<V> one) {
    return alive.stream().filter(one::hasDotOf).findFirst().orElse(null);
  }

  /** After a write of {@code actor}, as {@link StoredSiblings#written} says. */
  Siblings<V> written(Actor actor, Stamp stamp, ActorVersionVector overwritten, @Nullable V value) {
    long micros = stamp.micros();
    if (micros <= last.micros() || micros <= overwritten.latestMicros()) {
      throw new IllegalArgumentException(
          "a write is later than what it has seen; stamp=%s last=%s overwritten=%s"
              .formatted(stamp, last, overwritten));
    }
    List<Sibling<V>> left = new ArrayList<>();
    for (Sibling<V> one : alive) {
      if (!overwritten.covers(one.actor(), one.stamp().micros())) {
        left.add(one);
      }
    }
    if (value != null) {
      left.add(new Sibling<>(actor, stamp, value));
    }
    return new Siblings<>(stamp, seen.join(overwritten).with(actor, micros), left);
  }

  /**
   * With other forms of values that are alive: the same writes, with the same dots, so that they
   * come and go as they would have; their stamps are right after what they were, so that the new
   * form stays. What is not alive as it was found stays as it is, or gone.
   *
   * @param forms siblings as they were found, with other values
   * @param stamped the value of a form under its stamp
   */
  public Siblings<V> renewed(List<Sibling<V>> forms, BiFunction<V, Stamp, V> stamped) {
    List<Sibling<V>> next = new ArrayList<>();
    Stamp latest = last.rightAfter();
    for (Sibling<V> one : alive) {
      Sibling<V> renewed = one;
      Stamp stamp = one.stamp().rightAfter();
      for (Sibling<V> form : forms) {
        if (form.hasDotOf(one)
            && form.stamp().equals(one.stamp())
            && stamp.micros() == one.stamp().micros()) {
          renewed = new Sibling<>(one.actor(), stamp, stamped.apply(form.value(), stamp));
        }
      }
      next.add(renewed);
      latest = renewed.stamp().isAfter(latest) ? renewed.stamp() : latest;
    }
    return new Siblings<>(latest, seen, next);
  }

  /** Without the lowest stamps above {@code most} siblings. */
  public Siblings<V> atMost(int most) {
    return alive.size() <= most ? this : new Siblings<>(last, seen, alive.subList(0, most));
  }

  /** Whether nothing is known of the key. */
  public boolean isNone() {
    return equals(none());
  }

  /** The values, latest first. */
  public List<V> values() {
    return alive.stream().map(Sibling::value).map(Objects::requireNonNull).toList();
  }
}
