package io.ensemble.objects.root;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WireTest {

  private static final UUID BIRTH = new UUID(1, 2);
  private static final Bytes SOME = Bytes.of(new byte[] {1, 2, 3});

  private static Root inline() {
    Member member =
        new Member(
            new UUID(3, 4), 5, 6, List.of(Outcome.of(new byte[] {7}), Outcome.declined("no")));
    return new Root(
        "type", BIRTH, 8, 9, new Body.Inline(SOME), List.of(member), 2, new UUID(3, 4), null, 77);
  }

  private static Root stored() {
    Body body =
        new Body.Stored(new UUID(5, 6), 3, 1, List.of(List.of(SOME, Bytes.EMPTY), List.of()));
    Announced announced = new Announced(new UUID(7, 8), new UUID(3, 4), 5);
    return new Root("\u00fc", BIRTH, 5, 3, body, List.of(), 0, null, announced, 0);
  }

  @Test
  void rootsAreReadAsTheyWereWritten() {
    for (Root root : List.of(inline(), stored(), inline().disposed())) {
      assertThat(Wire.root(Wire.write(root))).isEqualTo(root);
    }
  }

  @Test
  void batchesAreReadAsTheyWereWritten() {
    Batch batch = new Batch(BIRTH, new UUID(9, 9), 3, 4, List.of(SOME, Bytes.EMPTY));

    assertThat(Wire.batch(Wire.write(batch))).isEqualTo(batch);
  }

  @Test
  void oneIsNotTakenForTheOther() {
    byte[] batch = Wire.write(new Batch(BIRTH, BIRTH, 1, 1, List.of(SOME)));

    assertThatThrownBy(() -> Wire.root(batch)).isInstanceOf(UnreadableException.class);
    assertThatThrownBy(() -> Wire.batch(Wire.write(inline())))
        .isInstanceOf(UnreadableException.class);
    assertThatThrownBy(() -> Wire.root(new byte[0])).isInstanceOf(UnreadableException.class);
  }

  @Test
  void whateverIsCutOffIsMissed() {
    byte[] bytes = Wire.write(stored());

    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> Wire.root(cut)).isInstanceOf(UnreadableException.class);
    }
    assertThatThrownBy(() -> Wire.root(Arrays.copyOf(bytes, bytes.length + 1)))
        .isInstanceOf(UnreadableException.class);
  }

  @Test
  void damagedBytesAreReadOrRefusedAndNothingElse() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Wire.write(i % 2 == 0 ? inline() : stored());
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        assertThat(Wire.root(bytes)).isNotNull();
      } catch (UnreadableException e) {
        assertThat(e).hasMessageContaining("not an atomic object's entry");
      }
    }
  }
}
