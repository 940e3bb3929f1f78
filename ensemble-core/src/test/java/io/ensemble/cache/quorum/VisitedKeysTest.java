package io.ensemble.cache.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VisitedKeysTest {

  private final VisitedKeys met = new VisitedKeys(7);

  private static Bytes key(long number, int size) {
    return Bytes.of(ByteBuffer.allocate(Math.max(8, size)).putLong(number).array());
  }

  @Test
  void whatWasMetIsKnownAndNothingElse() {
    for (int i = 0; i < 100_000; i += 2) {
      met.add(key(i, 8));
    }

    for (int i = 0; i < 100_000; i++) {
      assertThat(met.contains(key(i, 8))).isEqualTo(i % 2 == 0);
    }
    assertThat(met.size()).isEqualTo(50_000);
  }

  @Test
  void aKeyThatIsMetAgainCostsNothing() {
    for (int i = 0; i < 1_000; i++) {
      met.add(key(i % 10, 8));
    }

    assertThat(met.size()).isEqualTo(10);
    assertThat(met.bytes()).isEqualTo(1_024);
  }

  @Test
  void noKeyIsAddedBeyondTheBound() {
    VisitedKeys bounded = new VisitedKeys(7, 100);
    for (int i = 0; i < 99; i++) {
      bounded.add(key(i, 8));
    }
    assertThat(bounded.isFull()).isFalse();

    bounded.add(key(99, 8));
    bounded.add(key(100, 8));
    bounded.add(key(99, 8));

    assertThat(bounded.isFull()).isTrue();
    assertThat(bounded.size()).isEqualTo(100);
    assertThat(bounded.contains(key(99, 8))).isTrue();
    assertThat(bounded.contains(key(100, 8))).isFalse();
  }

  @Test
  void aLongKeyCostsNoMoreThanAShortOne() {
    for (int i = 0; i < 50_000; i++) {
      met.add(key(i, 4_096));
      if (met.size() > 100) {
        assertThat(met.bytes() / met.size()).isBetween(21L, 43L);
      }
    }
  }

  @Test
  void keysThatDifferInLengthOrInOneBitOnlyAreTold() {
    Set<Bytes> all = new HashSet<>();
    Random random = new Random(3);
    byte[] zeros = new byte[0];
    for (int size = 0; size < 40; size++) {
      all.add(Bytes.of(new byte[size]));
      byte[] noise = new byte[size];
      random.nextBytes(noise);
      for (int bit = 0; bit < 8 * size; bit++) {
        byte[] flipped = noise.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        all.add(Bytes.of(flipped));
      }
    }
    assertThat(all).contains(Bytes.of(zeros)).hasSizeGreaterThan(6_000);

    for (Bytes key : all) {
      assertThat(met.contains(key)).as("%s", key).isFalse();
      met.add(key);
    }
    assertThat(met.size()).isEqualTo(all.size());
  }
}
