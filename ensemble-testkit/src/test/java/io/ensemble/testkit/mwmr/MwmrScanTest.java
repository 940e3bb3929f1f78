package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CacheEngine.EntryScan.Entry;
import io.ensemble.testkit.mwmr.SimCache.Opened;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A walk meets every key that is there throughout, once. */
class MwmrScanTest {

  private static final int KEYS = 200;

  private final Scene scene = new Scene();
  private final Opened one = scene.process();

  @BeforeEach
  void write() {
    for (int i = 0; i < KEYS; i++) {
      // Not every site holds every key: each third of them misses another site.
      String missing = scene.federation.siteNames().get(i % 3);
      if (i >= KEYS / 2) {
        scene.cut(one, missing);
      }
      scene.put(one, "k" + i, i);
      scene.heal(one, missing);
    }
    scene.put(one, "gone", 1);
    scene.put(one, "gone", null);
    scene.pass(3_000);
  }

  private static List<Long> numbers(List<Entry> entries) {
    return entries.stream().map(entry -> Values.number(entry.value())).toList();
  }

  private static Long[] all() {
    return IntStream.range(0, KEYS).mapToObj(Long::valueOf).toArray(Long[]::new);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1_000})
  void everyKeyIsMetOnce(int batch) {
    assertThat(numbers(scene.scan(one.engine(), one.client(), batch)))
        .containsExactlyInAnyOrder(all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lyon", "oslo", "rome"})
  void aSiteMayBeDown(String site) {
    scene.down(site);

    assertThat(numbers(scene.scan(one.engine(), one.client(), 16)))
        .containsExactlyInAnyOrder(all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lyon", "oslo", "rome"})
  void aSiteMayFailInTheMiddle(String site) {
    List<Entry> met = new ArrayList<>();
    try (EntryScan scan = one.engine().scan(16)) {
      met.addAll(scene.get(scan.next(Scene.in(one.client(), 900))));
      scene.down(site);
      goOn(scan, met);
    }

    assertThat(numbers(met)).containsExactlyInAnyOrder(all());
  }

  private void goOn(EntryScan scan, List<Entry> met) {
    for (List<Entry> next = scene.get(scan.next(Scene.in(one.client(), 5_000)));
        !next.isEmpty();
        next = scene.get(scan.next(Scene.in(one.client(), 5_000)))) {
      met.addAll(next);
    }
  }

  @Test
  void whileOthersWrite() {
    Opened other = scene.process();
    List<Entry> met = new ArrayList<>();
    try (EntryScan scan = one.engine().scan(16)) {
      for (int i = 0; i < 10; i++) {
        met.addAll(scene.get(scan.next(Scene.in(one.client(), 900))));
        scene.put(other, "new" + i, 10_000 + i);
        scene.put(other, "k" + (i * 19), i * 19);
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
      met.addAll(scene.get(scan.next(Scene.in(one.client(), 900))));
      scene.down("lyon");
      scene.down("oslo");
      assertThatThrownBy(() -> goOn(scan, new ArrayList<>()))
          .isInstanceOf(QuorumUnavailableException.class)
          .hasMessageContaining("oslo");
      scene.up("lyon");
      scene.up("oslo");
      goOn(scan, met);
    }

    assertThat(numbers(met)).containsExactlyInAnyOrder(all());
  }
}
