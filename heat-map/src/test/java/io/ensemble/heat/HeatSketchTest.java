package io.ensemble.heat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.ensemble.codec.Codec;
import io.ensemble.heat.HeatSketch.SiteRequests;
import io.ensemble.site.Bytes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;
import org.junit.jupiter.api.Test;

class HeatSketchTest {

  private static final Codec CODEC = new Codec(List.of());

  /** Key i of 100,000 is used in proportion to 1 / (i + 1). */
  private static final class Zipf {
    private final double[] sums = new double[100_000];
    private final Random random;

    Zipf(long seed) {
      random = new Random(seed);
      double sum = 0;
      for (int i = 0; i < sums.length; i++) {
        sum += 1.0 / (i + 1);
        sums[i] = sum;
      }
    }

    int next() {
      int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
      return found < 0 ? -found - 1 : found;
    }
  }

  private static Bytes key(int i) {
    return CODEC.encode("key-" + i);
  }

  @Test
  void aMergeHasTheBoundsOfOneSketchOfAllOperations() {
    Zipf zipf = new Zipf(1);
    HeatSketch merged = new HeatSketch(false);
    HeatSketch whole = new HeatSketch(false);
    Map<Bytes, Long> exact = new HashMap<>();
    for (int part = 0; part < 10; part++) {
      HeatSketch one = new HeatSketch(false);
      for (int i = 0; i < 20_000; i++) {
        Bytes key = key(zipf.next());
        int size = 1 + i % 1000;
        exact.merge(key, 1L, Long::sum);
        for (HeatSketch sketch : List.of(one, whole)) {
          if (i % 4 == 0) {
            sketch.write(key, size);
          } else {
            sketch.read(key, size);
          }
        }
      }
      one.requests("lyon", new SiteRequests(3, 1));
      merged.merge(HeatSketch.of(one.toBytes()));
    }

    assertThat(merged.reads()).isEqualTo(150_000).isEqualTo(whole.reads());
    assertThat(merged.writes()).isEqualTo(50_000);
    assertThat(merged.sites()).containsExactly(Map.entry("lyon", new SiteRequests(30, 10)));
    for (HeatSketch sketch : List.of(merged, whole)) {
      double error = ItemsSketch.getAprioriError(HeatSketch.KEY_MAP, 200_000);
      assertThat((double) sketch.keys().getMaximumError()).isLessThanOrEqualTo(error);
      exact.forEach(
          (key, count) ->
              assertThat(count)
                  .isBetween(sketch.keys().getLowerBound(key), sketch.keys().getUpperBound(key)));
      // Five standard errors.
      assertThat(sketch.distinct().getEstimate())
          .isCloseTo(exact.size(), within(0.115 * exact.size()));
      // Ranks of uniform sizes, with twice the error that 99 % of sketches keep.
      assertThat(sketch.sizes().getQuantile(0.5)).isCloseTo(500, within(30f));
      assertThat(sketch.sizes().getQuantile(0.99)).isCloseTo(990, within(30f));
      assertThat(sketch.sizes().getMaxItem()).isEqualTo(1000);
    }
  }

  @Test
  void theHottestOfManyKeysAreFound() {
    Zipf zipf = new Zipf(2);
    HeatSketch sketch = new HeatSketch(false);
    for (int i = 0; i < 200_000; i++) {
      sketch.read(key(zipf.next()), 10);
    }

    List<Bytes> hottest =
        Arrays.stream(sketch.keys().getFrequentItems(ErrorType.NO_FALSE_NEGATIVES))
            .map(ItemsSketch.Row::getItem)
            .limit(5)
            .toList();

    assertThat(hottest).containsExactlyInAnyOrder(key(0), key(1), key(2), key(3), key(4));
    assertThat(sketch.keys().getLowerBound(key(0))).isGreaterThan(14_000).isLessThan(18_000);
  }

  @Test
  void anEmptySketchIsEncoded() {
    HeatSketch read = HeatSketch.of(new HeatSketch(true).toBytes());

    assertThat(read.isEmpty()).isTrue();
    assertThat(read.isHmac()).isTrue();
    assertThat(read.distinct().getEstimate()).isZero();
  }

  @Test
  void bytesThatAreCutOffOrChangedAreRejected() {
    HeatSketch sketch = new HeatSketch(false);
    for (int i = 0; i < 50; i++) {
      sketch.write(key(i % 7), i);
    }
    sketch.requests("lyon", new SiteRequests(1, 2));
    byte[] bytes = sketch.toBytes();

    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatIllegalArgumentException().isThrownBy(() -> HeatSketch.of(cut));
      byte[] changed = bytes.clone();
      changed[length] ^= 0x40;
      assertThatIllegalArgumentException().isThrownBy(() -> HeatSketch.of(changed));
    }
  }

  @Test
  void manyLongKeysHaveABoundedSize() {
    HeatSketch sketch = new HeatSketch(false);
    String prefix = "p".repeat(1000);
    for (int i = 0; i < 10_000; i++) {
      sketch.write(CODEC.encode(prefix + i % 2000), i);
    }
    for (int i = 0; i < 200; i++) {
      sketch.requests("site-" + i, new SiteRequests(1, 0));
    }

    assertThat(sketch.sites()).hasSize(HeatSketch.MOST_SITES + 1);
    assertThat(sketch.sites().get(HeatSketch.OTHER_SITES).reads()).isEqualTo(136);
    assertThat(sketch.toBytes()).hasSizeLessThan(40_000);
    assertThat(sketch.distinct().getEstimate()).isCloseTo(2000, within(230.0));
    assertThat(HeatSketch.of(sketch.toBytes()).keys().getNumActiveItems())
        .isEqualTo(sketch.keys().getNumActiveItems());
  }

  @Test
  void aKeyIsShownAsText() {
    Bytes text = CODEC.encode("köln");
    Bytes number = CODEC.encode(7L);
    Bytes far = SketchKey.of(CODEC.encode("x".repeat(100)));

    assertThat(SketchKey.text(text, false)).isEqualTo("köln");
    assertThat(SketchKey.text(number, false)).startsWith("0x00");
    assertThat(SketchKey.text(Bytes.of(new byte[16]), true)).isEqualTo("hmac:" + "00".repeat(16));
    assertThat(far.size()).isEqualTo(SketchKey.MOST_BYTES);
    assertThat(SketchKey.text(far, false)).matches("x{46}…[0-9a-f]{32}");
    assertThat(far).isNotEqualTo(SketchKey.of(CODEC.encode("x".repeat(101))));
  }
}
