package io.ensemble.cache.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.cache.Payload;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Keys and values are numbers; one of 13 cannot be decoded. */
class ChangeDecoderTest {

  private static final ChangeStamp STAMP = stamp(50);

  private final ChangeDecoder<Integer, Integer> decoder =
      new ChangeDecoder<>(
          ChangeDecoderTest::number, (key, value) -> number(key) * 100 + number(value.value()));

  private static ChangeStamp stamp(long micros) {
    return new ChangeStamp(1, new Stamp(micros, new WriterId(0, 1)));
  }

  private static int number(Bytes bytes) {
    if (bytes.array()[0] == 13) {
      throw new IllegalStateException("a type without a schema");
    }
    return bytes.array()[0];
  }

  private ChangeEvent<Integer, Integer> decoded(int key, @Nullable Integer value) {
    Payload payload = value == null ? null : new Payload(Bytes.of(value.byteValue()), 0);
    return decoder.decoded(new Change<>(Kind.MODIFIED, Bytes.of((byte) key), payload, STAMP));
  }

  private static void checkGap(ChangeEvent<Integer, Integer> event, Optional<Integer> key) {
    Gap<Integer, Integer> gap = (Gap<Integer, Integer>) event;
    assertThat(gap.reason()).isEqualTo(GapReason.UNREADABLE);
    assertThat(gap.key()).isEqualTo(key);
    assertThat(gap.missed()).isEqualTo(OptionalLong.of(1));
    assertThat(STAMP.isAfter(gap.after())).isTrue();
    assertThat(gap.before().isAfter(STAMP)).isTrue();
  }

  @Test
  void keysAndValuesAreDecoded() {
    assertThat(decoded(2, 3)).isEqualTo(new Change<>(Kind.MODIFIED, 2, 203, STAMP));
    assertThat(decoded(2, null)).isEqualTo(new Change<>(Kind.MODIFIED, 2, null, STAMP));
  }

  @Test
  void aValueOfAnUnknownTypeIsAGapOfItsKey() {
    checkGap(decoded(2, 13), Optional.of(2));
  }

  @Test
  void aKeyOfAnUnknownTypeIsAGapWithoutAKey() {
    checkGap(decoded(13, 3), Optional.empty());
    checkGap(decoded(13, null), Optional.empty());
  }

  @Test
  void aGapOfAnUnknownKeyStaysAGap() {
    Gap<Bytes, Payload> gap =
        new Gap<>(
            GapReason.OVERWRITTEN,
            Optional.of(Bytes.of((byte) 13)),
            STAMP,
            stamp(60),
            OptionalLong.of(4));

    assertThat(decoder.decoded(gap))
        .isEqualTo(
            new Gap<>(
                GapReason.OVERWRITTEN, Optional.empty(), STAMP, stamp(60), OptionalLong.of(4)));
  }
}
