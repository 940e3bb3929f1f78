package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

final class CodecsTest {
  private static final QueueCommand COMMAND =
      new QueueCommand(
          -7,
          OpCode.setData,
          ByteBuffer.wrap(new byte[] {1, 2, 3}, 1, 2),
          List.of(
              new QueueCommand.Credential("digest", ByteBuffer.wrap(new byte[] {9})),
              new QueueCommand.Credential("ü", ByteBuffer.allocate(0))),
          3);

  @Test
  void aCommandReadsAsItWasWritten() {
    assertThat(QueueCommand.read(COMMAND.bytes())).isEqualTo(COMMAND);
    assertThat(QueueCommand.read(COMMAND.bytes())).isEqualTo(COMMAND);

    QueueCommand lock = QueueCommand.read(QueueCommand.lock("/queues/3/c-0000000007").bytes());
    assertThat(lock.lockedFor()).isEqualTo("/queues/3/c-0000000007");
    assertThat(lock.type()).isEqualTo(QueueCommand.LOCK);

    QueueCommand move = QueueCommand.read(QueueCommand.move("/a\nb", "1,3", List.of()).bytes());
    assertThat(move.movedPath()).isEqualTo("/a\nb");
    assertThat(move.movedTo()).isEqualTo("1,3");
  }

  @Test
  void bytesOfNoCommandAreRefused() {
    byte[] bytes = COMMAND.bytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> QueueCommand.read(cut)).isInstanceOf(IllegalArgumentException.class);
    }
    bytes[0] = 2;
    assertThatThrownBy(() -> QueueCommand.read(bytes)).hasMessageContaining("got 2");
    byte[] negative = ByteBuffer.allocate(40).put((byte) 1).putInt(17, 1).putInt(21, -1).array();
    assertThatThrownBy(() -> QueueCommand.read(negative))
        .isInstanceOf(IllegalArgumentException.class);
    byte[] fewer = ByteBuffer.allocate(40).put((byte) 1).putInt(17, -1).array();
    assertThatThrownBy(() -> QueueCommand.read(fewer)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anOutcomesNameReadsAsItWasWritten() {
    var outcome = new CommandOutcome(-101, 1L << 60, ByteBuffer.wrap(new byte[] {-1, -2, 63, 62}));

    String name = outcome.name("1f", 12);

    assertThat(name).doesNotContain("/");
    assertThat(CommandOutcome.read(name))
        .isEqualTo(new CommandOutcome.Addressed("1f", 12, outcome));
    assertThat(outcome.body().remaining()).isEqualTo(4);
  }

  @Test
  void aNameOfNoOutcomeIsRefused() {
    for (String name :
        List.of("", "1f:2", "1f:2:AAAA", "1f:x:AAAAAAAAAAAAAAAA", "1:2:/:", "1:2:!")) {
      assertThatThrownBy(() -> CommandOutcome.read(name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aSlotReadsAsItWasWritten() {
    assertThat(
            List.of(
                new DedupSlot(7, List.of("/a", "/b c"), List.of("/-")),
                new DedupSlot(8, List.of(), List.of()),
                DedupSlot.UNUSED))
        .allSatisfy(slot -> assertThat(DedupSlot.read(slot.bytes())).isEqualTo(slot));
    assertThat(DedupSlot.read(new byte[0])).isEqualTo(DedupSlot.UNUSED);
  }
}
