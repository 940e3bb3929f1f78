package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.collection.CollectionCursor;
import io.ensemble.collection.EntryCollection;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A collection has each key that stays exactly once, at simulated sites that fail. */
class MwmrCollectionTest {

  private static final int KEYS = 200;

  private final MwmrSimFixture mwmrSimFixture = new MwmrSimFixture();
  private final Opened one = mwmrSimFixture.process();
  private Runnable beforeWaiting = () -> {};

  /** No site holds all keys: in the second half, each third of the keys misses another site. */
  @BeforeEach
  void write() {
    for (int i = 0; i < KEYS; i++) {
      String missing = mwmrSimFixture.federation.siteNames().get(i % 3);
      if (i >= KEYS / 2) {
        mwmrSimFixture.cut(one, missing);
      }
      mwmrSimFixture.put(one, "k" + i, i);
      mwmrSimFixture.heal(one, missing);
    }
    mwmrSimFixture.put(one, "gone", 1);
    mwmrSimFixture.put(one, "gone", null);
    mwmrSimFixture.pass(3_000);
  }

  /** Three passes. */
  private EntryCollection<Bytes, Long> collection() {
    return EntryCollection.of(
            new SimulatedEntries(
                one.engine(),
                () -> MwmrSimFixture.in(one.client(), 900),
                mwmrSimFixture,
                () -> beforeWaiting.run()))
        .withMemory(16, 80, 1 << 20);
  }

  private static CollectionCursor<Long> numbers(EntryCollection<Bytes, Long> collection) {
    return collection.open((key, value) -> value);
  }

  private static List<Long> rest(CollectionCursor<Long> cursor) {
    List<Long> all = new ArrayList<>();
    addRest(cursor, all);
    return all;
  }

  private static void addRest(CollectionCursor<Long> cursor, List<Long> found) {
    for (Optional<Long> next = cursor.next(); next.isPresent(); next = cursor.next()) {
      found.add(next.get());
    }
  }

  private static Long[] all() {
    return IntStream.range(0, KEYS).mapToObj(Long::valueOf).toArray(Long[]::new);
  }

  @Test
  void everyKeyIsReturnedOnce() {
    assertThat(rest(numbers(collection()))).containsExactlyInAnyOrder(all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lyon", "oslo", "rome"})
  void aSiteMayBeDown(String site) {
    mwmrSimFixture.down(site);

    assertThat(rest(numbers(collection()))).containsExactlyInAnyOrder(all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lyon", "oslo", "rome"})
  void aSiteMayFailInTheMiddle(String site) {
    int[] waits = {0};
    beforeWaiting =
        () -> {
          if (++waits[0] == 5) {
            mwmrSimFixture.down(site);
          }
        };

    assertThat(rest(numbers(collection()))).containsExactlyInAnyOrder(all());
  }

  @Test
  void whileOthersWriteEachValueIsOneThatARegisterHad() {
    Opened other = mwmrSimFixture.process();
    int[] writes = {0};
    beforeWaiting =
        () -> {
          int i = writes[0]++;
          if (i % 10 == 0) {
            mwmrSimFixture.put(other, "new" + i, 10_000 + i);
            mwmrSimFixture.put(other, "k" + i % KEYS, i % KEYS);
          }
        };

    List<Long> found = rest(numbers(collection()));

    assertThat(found).contains(all()).doesNotHaveDuplicates();
  }

  @Test
  void aCallThatFoundTooFewSitesMayBeRepeatedHereOrInAnotherProcess() {
    CollectionCursor<Long> cursor = numbers(collection());
    List<Long> found = new ArrayList<>();
    for (int i = 0; i < 70; i++) {
      found.add(cursor.next().orElseThrow());
    }
    mwmrSimFixture.down("lyon");
    mwmrSimFixture.down("oslo");
    assertThatThrownBy(() -> addRest(cursor, found)).isInstanceOf(QuorumUnavailableException.class);
    List<Long> elsewhere = new ArrayList<>(found);
    String position = cursor.position();
    mwmrSimFixture.up("lyon");
    mwmrSimFixture.up("oslo");

    addRest(cursor, found);
    addRest(numbers(collection().from(position)), elsewhere);

    assertThat(found).containsExactlyInAnyOrder(all());
    assertThat(elsewhere).isEqualTo(found);
  }
}
