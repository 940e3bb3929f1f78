package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.cache.Payload;
import io.ensemble.cache.swmr.copy.CopyCodec;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.Term;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Copies and terms survive encoding; malformed bytes are refused. */
class SwmrCodecsTest {

  private static final WriterId WRITER = new WriterId(-5, 77);
  private static final Stamp STAMP = new Stamp(1_790_000_000_000_000L, WRITER);

  private static Bytes bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return Bytes.of(bytes);
  }

  private static Bytes withState(int... state) {
    return EnvelopeCodec.encode(new Envelope(STAMP, 0, null, bytes(state), bytes(1)));
  }

  private static void refusesCopy(Bytes stored) {
    assertThatExceptionOfType(MalformedEnvelopeException.class)
        .isThrownBy(() -> CopyCodec.decode(stored));
  }

  private static void refusesTerm(Bytes stored) {
    assertThatExceptionOfType(MalformedEnvelopeException.class)
        .isThrownBy(() -> TermCodec.decode(stored));
  }

  private static Bytes cut(Bytes whole, int length) {
    return Bytes.of(Arrays.copyOf(whole.array(), length));
  }

  @Test
  void everyCopyComesBack() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 2_000; i++) {
      long epoch = 1 + (random.nextLong() >>> 1 + random.nextInt(62));
      long sequence = random.nextLong() >>> 1 + random.nextInt(62);
      byte[] value = new byte[random.nextInt(40)];
      random.nextBytes(value);
      Payload payload =
          random.nextInt(4) == 0 ? null : new Payload(Bytes.of(value), random.nextInt(2) * 99L);
      Copy<Payload> copy =
          new Copy<>(
              new CopyPosition(Math.max(1, epoch), sequence), random.nextBoolean(), STAMP, payload);

      assertThat(CopyCodec.decode(CopyCodec.encode(copy))).isEqualTo(copy);
    }
  }

  @Test
  void nothingStoredIsAnAbsentCopy() {
    assertThat(CopyCodec.toVersionedCopy(Optional.empty()).copy().isAbsent()).isTrue();
  }

  @Test
  void aCopyWithoutItsStateOrWithAnotherIsRefused() {
    refusesCopy(EnvelopeCodec.encode(Envelope.of(STAMP, bytes(1), 0)));
    refusesCopy(withState());
    refusesCopy(withState(1));
    refusesCopy(withState(1, 1));
    refusesCopy(withState(2, 1, 1)); // neither settled nor unsettled
    refusesCopy(withState(1, 0, 1)); // without an epoch
    refusesCopy(withState(1, 1, 1, 0)); // with a trailing byte
    refusesCopy(
        withState(1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1)); // below 0
    refusesCopy(withState(1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1));
    refusesCopy(withState(1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
    assertThat(CopyCodec.decode(withState(1, 1, 1)).mark()).isEqualTo(new CopyPosition(1, 1));
  }

  @Test
  void anotherFormatAndABeginningOfACopyAreRefused() {
    Bytes whole = withState(0, 7, 9);
    byte[] later = whole.array().clone();
    later[0]++;

    refusesCopy(Bytes.of(later));
    refusesCopy(bytes());
    for (int length = 0; length < whole.size() - 1; length++) { // the last byte is payload
      refusesCopy(cut(whole, length));
    }
  }

  @Test
  void everyTermComesBack() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 2_000; i++) {
      long epoch = Math.max(1, random.nextLong() >>> 1 + random.nextInt(62));
      boolean closing = random.nextInt(4) == 0;
      Term term =
          new Term(
              epoch,
              "größte " + i,
              new WriterId(random.nextLong(), random.nextLong()),
              random.nextLong() >>> 1 + random.nextInt(62),
              random.nextBoolean(),
              closing ? epoch : 1 + Math.floorMod(random.nextLong(), epoch),
              closing);

      assertThat(TermCodec.decode(TermCodec.encode(term).value())).isEqualTo(term);
    }
  }

  @Test
  void aTermTellsItsVersionFirst() {
    byte[] stored = TermCodec.encode(Term.first("lyon", WRITER)).value().array();

    assertThat(Arrays.copyOf(stored, 5)).containsExactly(2, 1, 1, 1, 0);
  }

  /** Version 1 predates the closing of terms; its processes would not notice a closing term. */
  @Test
  void aTermOfAnotherVersionIsRefusedAndNamed() {
    for (int version : new int[] {1, 3}) {
      byte[] stored = TermCodec.encode(Term.first("lyon", WRITER)).value().array().clone();
      stored[0] = (byte) version;

      assertThatExceptionOfType(MalformedEnvelopeException.class)
          .isThrownBy(() -> TermCodec.decode(Bytes.of(stored)))
          .withMessageContaining("written by another version of Ensemble")
          .withMessageContaining("expected=2 got=" + version);
    }
  }

  @Test
  void aTermThatIsClosingAndNotRecoveredIsRefused() {
    byte[] stored = TermCodec.encode(Term.first("lyon", WRITER)).value().array().clone();
    stored[1] = 3; // active and closing
    stored[2] = 2; // in epoch 2, and all keys recovered into 1
    refusesTerm(Bytes.of(stored));
  }

  @Test
  void whatIsNoTermIsRefused() {
    Bytes whole = TermCodec.encode(Term.first("lyon", WRITER)).value();
    for (int length = 0; length <= whole.size() - "lyon".length(); length++) {
      refusesTerm(cut(whole, length)); // also without a primary
    }
    for (int at = 0; at < 5; at++) { // version, active, epoch, floor, beat
      byte[] other = whole.array().clone();
      other[at] = at < 2 ? (byte) 9 : (byte) 0x80;
      if (at == 2) {
        other[at] = 0;
      }
      if (at != 4) {
        refusesTerm(Bytes.of(other));
      }
    }
    byte[] floorAboveEpoch = whole.array().clone();
    floorAboveEpoch[3] = 2;
    refusesTerm(Bytes.of(floorAboveEpoch));
  }
}
