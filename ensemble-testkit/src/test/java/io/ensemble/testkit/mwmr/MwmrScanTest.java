package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CacheEngine.EntryScan.Entry;
import io.ensemble.testkit.mwmr.MwmrSimCache.Opened;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A scan returns each key that is present throughout, exactly once. */
class MwmrScanTest {

  private static final int KEYS = 200;

  private final MwmrSimFixture mwmrSimFixture = new MwmrSimFixture();
  private final Opened one = mwmrSimFixture.process();

  @BeforeEach
  void write() {
    for (int i = 0; i < KEYS; i++) {
      // No site holds all keys: in the second half, each third of the keys misses another site.
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

  private static List<Long> numbers(List<Entry> entries) {
    return entries.stream().map(entry -> HistoryPayloads.number(entry.value())).toList();
  }

  private static Long[] all() {
    return IntStream.range(0, KEYS).mapToObj(Long::valueOf).toArray(Long[]::new);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1_000})
  void everyKeyIsMetOnce(int batch) {
    assertThat(numbers(mwmrSimFixture.scan(one.engine(), one.client(), batch)))
        .containsExactlyInAnyOrder(all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lyon", "oslo", "rome"})
  void aSiteMayBeDown(String site) {
    mwmrSimFixture.down(site);

    assertThat(numbers(mwmrSimFixture.scan(one.engine(), one.client(), 16)))
        .containsExactlyInAnyOrder(all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lyon", "oslo", "rome"})
  void aSiteMayFailInTheMiddle(String site) {
    List<Entry> met = new ArrayList<>();
    try (EntryScan scan = one.engine().scan(16)) {
      met.addAll(mwmrSimFixture.get(scan.next(MwmrSimFixture.in(one.client(), 900))));
      mwmrSimFixture.down(site);
      goOn(scan, met);
    }

    assertThat(numbers(met)).containsExactlyInAnyOrder(all());
  }

  private void goOn(EntryScan scan, List<Entry> met) {
    for (List<Entry> next = mwmrSimFixture.get(scan.next(MwmrSimFixture.in(one.client(), 5_000)));
        !next.isEmpty();
        next = mwmrSimFixture.get(scan.next(MwmrSimFixture.in(one.client(), 5_000)))) {
      met.addAll(next);
    }
  }

  @Test
  void whileOthersWrite() {
    Opened other = mwmrSimFixture.process();
    List<Entry> met = new ArrayList<>();
    try (EntryScan scan = one.engine().scan(16)) {
      for (int i = 0; i < 10; i++) {
        met.addAll(mwmrSimFixture.get(scan.next(MwmrSimFixture.in(one.client(), 900))));
        mwmrSimFixture.put(other, "new" + i, 10_000 + i);
        mwmrSimFixture.put(other, "k" + (i * 19), i * 19);
      }
      goOn(scan, met);
    }

    assertThat(numbers(met)).contains(all());
    assertThat(met.stream().map(Entry::key)).doesNotHaveDuplicates();
  }

  @Test
  void aCallThatFoundTooFewSitesMayBeRepeated() {
    List<Entry> met = new ArrayList<>();
    try (EntryScan scan = one.engine().scan(16)) {
      met.addAll(mwmrSimFixture.get(scan.next(MwmrSimFixture.in(one.client(), 900))));
      mwmrSimFixture.down("lyon");
      mwmrSimFixture.down("oslo");
      assertThatThrownBy(() -> goOn(scan, new ArrayList<>()))
          .isInstanceOf(QuorumUnavailableException.class)
          .hasMessageContaining("oslo");
      mwmrSimFixture.up("lyon");
      mwmrSimFixture.up("oslo");
      goOn(scan, met);
    }

    assertThat(numbers(met)).containsExactlyInAnyOrder(all());
  }
}
