package io.ensemble.objects.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RootCodecTest {

  private static final UUID BIRTH = new UUID(1, 2);
  private static final ByteString SOME = ByteString.of(new byte[] {1, 2, 3});

  private static ObjectRoot inline() {
    SessionEntry member =
        new SessionEntry(
            new UUID(3, 4),
            5,
            6,
            List.of(CallOutcome.of(new byte[] {7}), CallOutcome.declined("no")));
    return new ObjectRoot(
        "type",
        BIRTH,
        8,
        9,
        new StateLocation.Inline(SOME),
        List.of(member),
        2,
        new UUID(3, 4),
        null,
        77);
  }

  private static ObjectRoot stored() {
    StateLocation body =
        new StateLocation.Stored(
            new UUID(5, 6), 3, 1, List.of(List.of(SOME, ByteString.EMPTY), List.of()));
    SnapshotAnnouncement announced = new SnapshotAnnouncement(new UUID(7, 8), new UUID(3, 4), 5);
    return new ObjectRoot("\u00fc", BIRTH, 5, 3, body, List.of(), 0, null, announced, 0);
  }

  @Test
  void rootsAreReadAsTheyWereWritten() {
    for (ObjectRoot root : List.of(inline(), stored(), inline().disposed())) {
      assertThat(RootCodec.root(RootCodec.write(root))).isEqualTo(root);
    }
  }

  @Test
  void batchesAreReadAsTheyWereWritten() {
    CallBatch batch = new CallBatch(BIRTH, new UUID(9, 9), 3, 4, List.of(SOME, ByteString.EMPTY));

    assertThat(RootCodec.batch(RootCodec.write(batch))).isEqualTo(batch);
  }

  @Test
  void oneIsNotTakenForTheOther() {
    byte[] batch = RootCodec.write(new CallBatch(BIRTH, BIRTH, 1, 1, List.of(SOME)));

    assertThatThrownBy(() -> RootCodec.root(batch)).isInstanceOf(UnreadableException.class);
    assertThatThrownBy(() -> RootCodec.batch(RootCodec.write(inline())))
        .isInstanceOf(UnreadableException.class);
    assertThatThrownBy(() -> RootCodec.root(new byte[0])).isInstanceOf(UnreadableException.class);
  }

  @Test
  void whateverIsCutOffIsMissed() {
    byte[] bytes = RootCodec.write(stored());

    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> RootCodec.root(cut)).isInstanceOf(UnreadableException.class);
    }
    assertThatThrownBy(() -> RootCodec.root(Arrays.copyOf(bytes, bytes.length + 1)))
        .isInstanceOf(UnreadableException.class);
  }

  @Test
  void damagedBytesAreReadOrRefusedAndNothingElse() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = RootCodec.write(i % 2 == 0 ? inline() : stored());
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        assertThat(RootCodec.root(bytes)).isNotNull();
      } catch (UnreadableException e) {
        assertThat(e).hasMessageContaining("not the entry of an atomic object");
      }
    }
  }
}
