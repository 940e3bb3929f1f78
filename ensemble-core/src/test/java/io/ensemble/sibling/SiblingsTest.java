package io.ensemble.sibling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SiblingsTest {

  private static final Actor LYON = actor(1);
  private static final Actor OSLO = actor(2);
  private static final Siblings<String> NONE = Siblings.none();

  @Test
  void aWriteTakesThePlaceOfWhatItHasSeenAndOfNothingElse() {
    Siblings<String> both =
        put(NONE, LYON, 1, NONE.seen(), "a").join(put(NONE, OSLO, 2, NONE.seen(), "b"));

    Siblings<String> after = put(both, LYON, 3, both.seen(), "c");
    Siblings<String> beside = put(both, LYON, 3, put(NONE, OSLO, 2, NONE.seen(), "b").seen(), "c");

    assertThat(both.values()).containsExactly("b", "a");
    assertThat(after.values()).containsExactly("c");
    assertThat(beside.values()).containsExactly("c", "a");
  }

  @Test
  void whatWasOverwrittenDoesNotComeBackWithALateCopy() {
    Siblings<String> old = put(NONE, LYON, 1, NONE.seen(), "a");
    Siblings<String> seenInOslo = put(old, OSLO, 2, old.seen(), "b");

    assertThat(seenInOslo.join(old)).isEqualTo(seenInOslo);
    assertThat(old.join(seenInOslo)).isEqualTo(seenInOslo);
    assertThat(seenInOslo.holds(old)).isTrue();
    assertThat(old.holds(seenInOslo)).isFalse();
  }

  @Test
  void aValueInAnotherFormComesAndGoesAsItWouldHave() {
    Siblings<String> two =
        put(NONE, LYON, 1, NONE.seen(), "a").join(put(NONE, OSLO, 2, NONE.seen(), "b"));
    Siblings<String> overwritten =
        put(two, OSLO, 3, put(NONE, LYON, 1, NONE.seen(), "a").seen(), "c");
    Siblings<String> removed = put(two, OSLO, 3, two.seen(), null);

    Siblings<String> renewed =
        two.renewed(
            two.alive().stream()
                .map(s -> new Sibling<>(s.actor(), s.stamp(), s.value() + "'"))
                .toList(),
            (value, stamp) -> value);

    assertThat(renewed.values()).containsExactly("b'", "a'");
    assertThat(renewed.seen()).isEqualTo(two.seen());
    assertThat(renewed.join(two)).isEqualTo(renewed);
    assertThat(two.join(renewed)).isEqualTo(renewed);
    assertThat(renewed.join(removed).values()).isEmpty();
    assertThat(removed.join(renewed).values()).isEmpty();
    assertThat(overwritten.join(renewed).values()).containsExactly("c", "b'");
    assertThat(renewed.join(overwritten)).isEqualTo(overwritten.join(renewed));
  }

  /** A new form replaces only the value that it was made of. */
  @Test
  void aValueThatIsNotThereAsItWasFoundStaysInItsForm() {
    Siblings<String> old = put(NONE, LYON, 1, NONE.seen(), "a");
    Siblings<String> later = put(old, LYON, 2, old.seen(), "b");

    assertThat(later.renewed(old.alive(), (value, stamp) -> value + "'").values())
        .containsExactly("b");
  }

  @Test
  void aValueThatARemovalHasNotSeenOutlivesIt() {
    Siblings<String> first = put(NONE, LYON, 1, NONE.seen(), "a");
    Siblings<String> removed = put(first, LYON, 2, first.seen(), null);
    Siblings<String> meanwhile = put(first, OSLO, 3, first.seen(), "b");

    assertThat(removed.values()).isEmpty();
    assertThat(removed.join(meanwhile).values()).containsExactly("b");
    assertThat(removed.join(first).values()).isEmpty();
  }

  @Test
  void aDotThatWasGivenTwiceAfterAllEndsAsOneValueEverywhere() {
    Siblings<String> base = put(NONE, LYON, 1, NONE.seen(), "base");
    Siblings<String> one = base.written(LYON, new Stamp(5, new WriterId(0, 1)), base.seen(), "x");
    Siblings<String> back = base.written(LYON, new Stamp(5, new WriterId(0, 2)), base.seen(), "y");
    Siblings<String> later = put(one, OSLO, 7, ActorVersionVector.NONE, "z");

    assertThat(one.join(back)).isEqualTo(back.join(one));
    assertThat(one.join(back).values()).containsExactly("y");
    assertThat(later.join(back)).isEqualTo(back.join(later));
    assertThat(later.join(one).join(back)).isEqualTo(later.join(one.join(back)));
  }

  @Test
  void theBoundKeepsTheLatestAndTheRestDoesNotComeBack() {
    List<Siblings<String>> single = new ArrayList<>();
    for (int store = 1; store <= 5; store++) {
      single.add(put(NONE, actor(store), store, NONE.seen(), "v" + store));
    }
    Siblings<String> all = single.stream().reduce(NONE, Siblings::join);

    Siblings<String> bounded = all.atMost(3);

    assertThat(bounded.values()).containsExactly("v5", "v4", "v3");
    assertThat(bounded.holds(all)).isTrue();
    assertThat(bounded.join(single.get(0))).isEqualTo(bounded);
    assertThat(bounded.atMost(3)).isSameAs(bounded);
  }

  @Test
  void aWriteThatIsNotLaterThanWhatItHasSeenIsRefused() {
    Siblings<String> there = put(NONE, LYON, 5, NONE.seen(), "a");
    ActorVersionVector future = put(NONE, OSLO, 9, NONE.seen(), "b").seen();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> put(there, LYON, 5, ActorVersionVector.NONE, "b"));
    assertThatIllegalArgumentException().isThrownBy(() -> put(there, LYON, 9, future, "b"));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new Siblings<>(
                    stamp(1),
                    new ActorVersionVector(new TreeMap<>()),
                    List.of(new Sibling<>(LYON, stamp(1), "unseen"))));
  }

  @Test
  void joinIsALeastUpperBoundOfStatesThatCameAboutInAnyWay() {
    List<Siblings<String>> states = someStates(60, 11);

    for (Siblings<String> a : states) {
      assertThat(a.join(a)).isEqualTo(a);
      assertThat(a.join(NONE)).isEqualTo(a);
      for (Siblings<String> b : states) {
        Siblings<String> both = a.join(b);
        assertThat(both).isEqualTo(b.join(a));
        assertThat(both.holds(a)).isTrue();
        assertThat(both.holds(b)).isTrue();
        assertThat(both.atMost(2).holds(both)).isTrue();
        for (Siblings<String> c : states) {
          assertThat(both.join(c)).isEqualTo(a.join(b.join(c)));
        }
      }
    }
  }

  /** Actors that write, take copies and drop, in random order; dots may even collide. */
  private static List<Siblings<String>> someStates(int number, long seed) {
    Random random = new Random(seed);
    List<Siblings<String>> states = new ArrayList<>(List.of(NONE));
    while (states.size() < number) {
      Siblings<String> from = states.get(random.nextInt(states.size()));
      Siblings<String> other = states.get(random.nextInt(states.size()));
      long time = Math.max(from.last().micros(), other.seen().latestMicros());
      Stamp stamp = new Stamp(time + 1 + random.nextInt(2), new WriterId(0, states.size()));
      String value = random.nextInt(4) == 0 ? null : "v" + states.size();
      Siblings<String> next =
          switch (random.nextInt(5)) {
            case 0 -> from.join(other);
            case 1 -> from.atMost(1 + random.nextInt(2));
            case 2 -> from.written(actor(1 + random.nextInt(3)), stamp, other.seen(), value);
            default -> from.written(actor(1 + random.nextInt(3)), stamp, from.seen(), value);
          };
      states.add(next);
    }
    return states;
  }

  static Siblings<String> put(
      Siblings<String> at, Actor actor, long micros, ActorVersionVector overwritten, String value) {
    return at.written(actor, stamp(micros), overwritten, value);
  }

  private static Actor actor(long number) {
    return new Actor(number, number);
  }

  private static Stamp stamp(long micros) {
    return new Stamp(micros, new WriterId(0, 7));
  }
}
