package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Ballot;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CellCodecTest {

  private static final long NOW = 1_790_000_000_000_000L;
  private static final WriterId WRITER = new WriterId(-5, 77);

  private static Ballot ballot(long round, Kind kind) {
    return new Ballot(round, kind, WRITER);
  }

  private static Bytes withState(int... state) {
    byte[] bytes = new byte[state.length];
    for (int i = 0; i < state.length; i++) {
      bytes[i] = (byte) state[i];
    }
    return EnvelopeCodec.encode(
        new Envelope(new Stamp(NOW, WRITER), 0, null, Bytes.of(bytes), Bytes.of((byte) 1)));
  }

  private static void refuses(Bytes stored, String why) {
    assertThatExceptionOfType(MalformedEnvelopeException.class)
        .isThrownBy(() -> CellCodec.decode(stored))
        .withMessageContaining(why);
  }

  /** Random cells that keep the order of the three ballots; some of these are equal or zero. */
  private static Cell<Payload> random(SplittableRandom random) {
    WriterId[] writers = new WriterId[1 + random.nextInt(9)];
    Arrays.setAll(writers, i -> new WriterId(random.nextLong(), random.nextLong()));
    List<Ballot> three = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      three.add(
          random.nextInt(3) == 0 && i > 0
              ? three.get(i - 1)
              : random.nextInt(5) == 0 ? Ballot.ZERO : any(random, writers));
    }
    three.sort(null);
    List<Ballot> recent = new ArrayList<>();
    for (int i = random.nextInt(Content.HORIZON + 1); i > 0; i--) {
      recent.add(any(random, writers));
    }
    Payload value = null;
    if (random.nextInt(4) > 0) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      value = new Payload(Bytes.of(bytes), random.nextBoolean() ? 0 : random.nextLong());
    }
    long sequence = random.nextLong() >>> random.nextInt(1, 64);
    return new Cell<>(
        three.get(2), three.get(1), three.get(0), new Content<>(sequence, recent, value));
  }

  private static Ballot any(SplittableRandom random, WriterId[] writers) {
    long round = random.nextBoolean() ? NOW + random.nextInt(1_000) : random.nextLong(NOW);
    return new Ballot(
        round, Kind.values()[random.nextInt(3)], writers[random.nextInt(writers.length)]);
  }

  @Test
  void everyCellComesBack() {
    SplittableRandom random = new SplittableRandom(42);
    Set<Integer> flags = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      Cell<Payload> cell = random(random);
      Bytes stored = CellCodec.encode(cell);

      assertThat(CellCodec.decode(stored)).as("cell %d", i).isEqualTo(cell);
      Bytes state = EnvelopeCodec.decode(stored).state();
      assertThat(state).isNotNull();
      flags.add((int) state.array()[0]);
    }
    // Three kinds; with or without a promise; the floor as the accepted ballot, zero, or in full.
    assertThat(flags).hasSize(3 * 2 * 3);
  }

  @Test
  void aPromiseOnAnAbsentKeyComesBack() {
    Ballot promised = ballot(NOW, Kind.CLASSIC);
    Cell<Payload> cell = new Cell<>(promised, Ballot.ZERO, Ballot.ZERO, Content.absent());

    assertThat(CellCodec.decode(CellCodec.encode(cell))).isEqualTo(cell);
  }

  @Test
  void theFirstWriteOfAKeyCostsFortyBytesAtMost() {
    Ballot fast = ballot(NOW, Kind.FAST);
    Payload value = new Payload(Bytes.of(new byte[1_000]), 0);
    Cell<Payload> cell =
        new Cell<>(fast, fast, Ballot.ZERO, new Content<>(1, List.of(fast), value));

    assertThat(CellCodec.encode(cell).size() - 1_000).isLessThanOrEqualTo(40);
  }

  @Test
  void anyTruncationOrExtraByteIsRefusedOrAnotherPayload() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 300; i++) {
      Bytes stored = CellCodec.encode(random(random));
      for (int size = 0; size < stored.size(); size++) {
        Bytes cut = Bytes.of(Arrays.copyOf(stored.array(), size));
        try {
          assertThat(CellCodec.encode(CellCodec.decode(cut)).size()).isLessThanOrEqualTo(size);
        } catch (MalformedEnvelopeException refused) {
          assertThat(refused).hasMessageContaining("malformed entry");
        }
      }
    }
  }

  @Test
  void bytesThatSomebodyElseMadeAreRefused() {
    SplittableRandom random = new SplittableRandom(8);
    for (int i = 0; i < 20_000; i++) {
      byte[] state = new byte[random.nextInt(40)];
      random.nextBytes(state);
      Bytes stored =
          EnvelopeCodec.encode(
              new Envelope(new Stamp(NOW, WRITER), 0, null, Bytes.of(state), Bytes.of((byte) 1)));
      try {
        assertThat(CellCodec.decode(stored)).isNotNull();
      } catch (MalformedEnvelopeException refused) {
        assertThat(refused).hasMessageContaining("malformed entry");
      }
    }
  }

  @Test
  void whatIsWrongIsSaid() {
    refuses(
        EnvelopeCodec.encode(Envelope.of(new Stamp(NOW, WRITER), Bytes.of((byte) 1), 0)),
        "acceptor state");
    refuses(withState(3, 0, 0, 0), "a kind of ballot");
    refuses(withState(2, 0, 0, 1, 6, 0), "a writer listed in the table");
    refuses(withState(2, 0, 0, 65), "in a list");
    refuses(withState(2, 0, 0, 0, 0), "no bytes after");
    // A floor above the accepted ballot: a classic one of its round above a fast one.
    refuses(withState(8, 0, 0, 2, 0, 0), "floor <= accepted");
    refuses(withState(2), "more bytes");
  }
}
