package io.ensemble.sibling;

import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The state of a key at one site: a dotted version vector set (Preguiça, Almeida, Baquero et al.,
 * "Dotted Version Vectors", 2010; Almeida et al., "Scalable and Accurate Causality Tracking for
 * Eventually Consistent Stores", 2014).
 *
 * <p>Each dot is unknown, or alive with its value, or dead: covered by {@code seen} and not alive.
 * Every operation moves dots along that line only. So {@link #join} is a least upper bound, and a
 * value that is dead anywhere is eventually dead everywhere. A write has one dot, is alive, and
 * kills the values that it overwrites; a removal has one that is dead immediately. A value that
 * {@link #atMost} drops stays seen, and so does not return.
 *
 * <p>The papers count an actor's writes; here the times of the stamps replace the numbers. They
 * rise along an actor's writes, and a version vector requires no more. If a store has gone back in
 * time, so that two writes have one dot, the write with the higher stamp stays.
 *
 * <p>Immutable; equal states are equal objects with equal stored forms.
 *
 * @param last the highest stamp of any write or removal
 * @param seen the dots that were seen
 * @param alive the values that no write has replaced, latest first
 */
public record Siblings<V>(Stamp last, ActorVersionVector seen, List<Sibling<V>> alive) {

  public Siblings {
    alive = alive.stream().sorted(Sibling.LATEST_FIRST).toList();
    for (Sibling<V> one : alive) {
      if (!seen.covers(one.actor(), one.stamp().micros()) || one.stamp().isAfter(last)) {
        throw new IllegalArgumentException(
            "a sibling must be covered by the causal context; sibling=" + one + " " + seen);
      }
    }
    if (seen.latestMicros() > last.micros()) {
      throw new IllegalArgumentException(
          "the causal context must not exceed the last stamp; " + seen + " " + last);
    }
  }

  /** The state of a key without any write. */
  public static <V> Siblings<V> none() {
    return new Siblings<>(Stamp.NONE, ActorVersionVector.NONE, List.of());
  }

  /** The state of a key that includes both states. */
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

  /** The state after a write of {@code actor}, as described in {@link StoredSiblings#written}. */
  Siblings<V> written(Actor actor, Stamp stamp, ActorVersionVector overwritten, @Nullable V value) {
    long micros = stamp.micros();
    if (micros <= last.micros() || micros <= overwritten.latestMicros()) {
      throw new IllegalArgumentException(
          ("a write must be later than the stamps that it overwrites; stamp=%s last=%s "
                  + "overwritten=%s")
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
   * The state with other forms of values that are alive. The forms are the same writes, with the
   * same dots, so that a later write replaces them as before. Their stamps are right after the
   * former ones, so that the new form stays. A value that is no longer alive as it was found keeps
   * its state.
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

  /** The state with at most {@code most} siblings; those with the lowest stamps are dropped. */
  public Siblings<V> atMost(int most) {
    return alive.size() <= most ? this : new Siblings<>(last, seen, alive.subList(0, most));
  }

  /** Whether the key has no write. */
  public boolean isNone() {
    return equals(none());
  }

  /** The values, latest first. */
  public List<V> values() {
    return alive.stream().map(Sibling::value).map(Objects::requireNonNull).toList();
  }
}
