package io.ensemble.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeCodecTest {

  private static final Stamp STAMP = new Stamp(5, new WriterId(1, 2));

  @Test
  void theLayoutIsTheDocumentedOne() {
    Envelope envelope = new Envelope(STAMP, 7, bytes(1), bytes(2, 3), bytes(9));

    String stored = HexFormat.of().formatHex(EnvelopeCodec.encode(envelope).array());

    assertThat(stored)
        .isEqualTo(
            "01" // format version
                + "1c" // end of life, context, state
                + "0000000000000005" // time
                + "00000000000000010000000000000002" // writer
                + "0000000000000007" // end of life
                + "0101" // context
                + "020203" // state
                + "09"); // payload
  }

  @Test
  void aValueCostsTwentySixBytes() {
    assertThat(EnvelopeCodec.encode(Envelope.of(STAMP, bytes(1, 2, 3), 0)).size()).isEqualTo(29);
  }

  @Test
  void whatIsEncryptedSaysSoAndFitsItsForm() {
    Bytes sealed = EncryptedPayload.payload(STAMP, ciphertext());
    Envelope envelope = new Envelope(STAMP, 0, null, null, sealed, true);

    assertThat(roundTrip(envelope)).isEqualTo(envelope);
    assertThat(EnvelopeCodec.encode(envelope).array()[1]).isEqualTo((byte) 2);
    assertThat(EnvelopeCodec.isEncrypted(EnvelopeCodec.encode(envelope))).isTrue();
    assertThat(EncryptedPayload.of(sealed).keyId()).isEqualTo(0x01020304);
    byte[] cut = EnvelopeCodec.encode(envelope).array();
    assertThatThrownBy(() -> EnvelopeCodec.decode(Bytes.of(Arrays.copyOf(cut, cut.length - 1))))
        .isInstanceOf(MalformedEnvelopeException.class);
    assertThatThrownBy(
            () -> EnvelopeCodec.encode(new Envelope(STAMP, 0, null, null, bytes(1), true)))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void anEncryptedValueIsOlderThanItsEntryAtNoTime() {
    Bytes sealed = EncryptedPayload.payload(STAMP, ciphertext());

    EncryptedPayload.check(sealed, STAMP);
    EncryptedPayload.check(sealed, new Stamp(4, new WriterId(9, 9)));
    for (Stamp later :
        new Stamp[] {new Stamp(6, STAMP.writer()), new Stamp(5, new WriterId(1, 3))}) {
      assertThatThrownBy(() -> EncryptedPayload.check(sealed, later))
          .isInstanceOf(MalformedEnvelopeException.class);
    }
  }

  private static byte[] ciphertext() {
    byte[] ciphertext = new byte[5 + 12 + 16];
    ciphertext[0] = 1;
    for (byte i = 1; i <= 4; i++) {
      ciphertext[i] = i;
    }
    return ciphertext;
  }

  @Test
  void aTombstoneIsNotAnEmptyValue() {
    Envelope tombstone = Envelope.of(STAMP, null, 0);
    Envelope empty = Envelope.of(STAMP, bytes(), 0);

    assertThat(roundTrip(tombstone)).isEqualTo(tombstone);
    assertThat(roundTrip(empty)).isEqualTo(empty);
    assertThat(tombstone.isTombstone()).isTrue();
    assertThat(empty.isTombstone()).isFalse();
  }

  @Test
  void emptyContextAndStateAreNotMissing() {
    Envelope envelope = new Envelope(STAMP, 0, bytes(), bytes(), null);

    assertThat(roundTrip(envelope)).isEqualTo(envelope);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsWrittenIsRead(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 2_000; i++) {
      Envelope envelope = random(random);

      Bytes stored = EnvelopeCodec.encode(envelope);

      assertThat(EnvelopeCodec.decode(stored)).as("seed %d", seed).isEqualTo(envelope);
      assertThat(EnvelopeCodec.stampOf(stored)).isEqualTo(envelope.stamp());
    }
  }

  @Test
  void lengthsNeedingSeveralBytesAreRead() {
    for (int length : new int[] {127, 128, 16_383, 16_384, 2_097_152}) {
      Envelope envelope = new Envelope(STAMP, 0, Bytes.of(new byte[length]), null, bytes(1));

      assertThat(roundTrip(envelope)).isEqualTo(envelope);
    }
  }

  @Test
  void whatIsCutShortIsRefused() {
    byte[] stored =
        EnvelopeCodec.encode(new Envelope(STAMP, 7, bytes(1), bytes(2, 3), null)).array();

    for (int length = 0; length < stored.length; length++) {
      Bytes cut = Bytes.of(Arrays.copyOf(stored, length));

      assertThatThrownBy(() -> EnvelopeCodec.decode(cut))
          .as("length %d", length)
          .isInstanceOf(MalformedEnvelopeException.class);
    }
  }

  @Test
  void unknownVersionsAndFlagsAreRefused() {
    byte[] version = EnvelopeCodec.encode(Envelope.of(STAMP, bytes(1), 0)).array().clone();
    version[0] = 2;
    byte[] flag = EnvelopeCodec.encode(Envelope.of(STAMP, bytes(1), 0)).array().clone();
    flag[1] |= (byte) 0x80;

    assertThatThrownBy(() -> EnvelopeCodec.decode(Bytes.of(version)))
        .isInstanceOf(MalformedEnvelopeException.class)
        .hasMessageContaining("got=2");
    assertThatThrownBy(() -> EnvelopeCodec.decode(Bytes.of(flag)))
        .isInstanceOf(MalformedEnvelopeException.class);
    assertThatThrownBy(() -> EnvelopeCodec.stampOf(Bytes.of(flag)))
        .isInstanceOf(MalformedEnvelopeException.class);
  }

  @Test
  void lengthsBeyondTheEndAreRefused() {
    byte[] head = EnvelopeCodec.encode(new Envelope(STAMP, 0, bytes(), null, null)).array();
    byte[] huge = Arrays.copyOf(head, head.length + 9);
    Arrays.fill(huge, head.length - 1, huge.length, (byte) 0xff);
    huge[huge.length - 1] = 0x01;
    byte[] endless = Arrays.copyOf(head, head.length + 12);
    Arrays.fill(endless, head.length - 1, endless.length, (byte) 0xff);

    assertThatThrownBy(() -> EnvelopeCodec.decode(Bytes.of(huge)))
        .isInstanceOf(MalformedEnvelopeException.class);
    assertThatThrownBy(() -> EnvelopeCodec.decode(Bytes.of(endless)))
        .isInstanceOf(MalformedEnvelopeException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void noiseIsReadOrRefusedButNeverBreaks(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] noise = EnvelopeCodec.encode(random(random)).array().clone();
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        noise[random.nextInt(noise.length)] = (byte) random.nextInt();
      }
      try {
        Envelope read = EnvelopeCodec.decode(Bytes.of(noise));
        assertThat(roundTrip(read)).as("seed %d", seed).isEqualTo(read);
      } catch (MalformedEnvelopeException refused) {
        assertThat(refused).hasMessageStartingWith("malformed entry");
      }
    }
  }

  private static Envelope random(SplittableRandom random) {
    Stamp stamp = new Stamp(random.nextLong(), new WriterId(random.nextLong(), random.nextLong()));
    long end = random.nextBoolean() ? 0 : random.nextLong();
    return new Envelope(stamp, end, perhaps(random), perhaps(random), perhaps(random));
  }

  private static Bytes perhaps(SplittableRandom random) {
    if (random.nextInt(3) == 0) {
      return null;
    }
    byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 400 : 20)];
    random.nextBytes(bytes);
    return Bytes.of(bytes);
  }

  private static Envelope roundTrip(Envelope envelope) {
    return EnvelopeCodec.decode(EnvelopeCodec.encode(envelope));
  }

  private static Bytes bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return Bytes.of(bytes);
  }
}
