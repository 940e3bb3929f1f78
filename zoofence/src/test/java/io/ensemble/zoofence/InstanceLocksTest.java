package io.ensemble.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.InstanceLocks.Lock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InstanceLocksTest {
  private static final Lock WHOLE = new Lock("3:1", true, "/a");
  private static final Lock ALONE = new Lock("3:1", false, "/b");

  private static InstanceLocks read(String text) {
    return InstanceLocks.read(StandardCharsets.UTF_8.encode(text));
  }

  @Test
  void whatIsWrittenReadsTheSame() {
    var locks = new InstanceLocks(List.of(WHOLE, ALONE, new Lock("7:2", true, "/with space/ü")));

    assertThat(InstanceLocks.read(ByteBuffer.wrap(locks.bytes()))).isEqualTo(locks);
    assertThat(InstanceLocks.read(ByteBuffer.wrap(InstanceLocks.NONE.bytes())))
        .isEqualTo(InstanceLocks.NONE);
  }

  @Test
  void linesThatAreNoLocksAreSkippedAndReadingLeavesTheBuffer() {
    ByteBuffer data = StandardCharsets.UTF_8.encode("\nx\nh whole\nh alone /b\n");

    assertThat(InstanceLocks.read(data).held()).containsExactly(new Lock("h", false, "/b"));
    assertThat(data.position()).isZero();
  }

  @Test
  void aWholeLockCoversWhatIsBelowAndAnotherOnlyItsPath() {
    var locks = new InstanceLocks(List.of(WHOLE, ALONE));

    assertThat(List.of("/a", "/a/x/y", "/b")).allMatch(locks::isLocked);
    assertThat(List.of("/", "/ab", "/b/x")).noneMatch(locks::isLocked);
    assertThat(read("h whole /\n").isLocked("/any/where")).isTrue();
  }

  @Test
  void locksOfOthersMeetWhereOneCoversTheOthersPath() {
    var locks = new InstanceLocks(List.of(WHOLE));

    assertThat(locks.hasConflict(List.of(new Lock("5:1", false, "/a/x")))).isTrue();
    assertThat(locks.hasConflict(List.of(new Lock("5:1", true, "/")))).isTrue();
    assertThat(locks.hasConflict(List.of(new Lock("5:1", false, "/")))).isFalse();
    assertThat(locks.hasConflict(List.of(new Lock("3:1", true, "/a")))).isFalse();
    assertThat(locks.hasConflict(List.of())).isFalse();
  }

  @Test
  void aHolderTakesALockOnceAndGivesAllBack() {
    InstanceLocks locks = InstanceLocks.NONE.with(List.of(WHOLE, ALONE)).with(List.of(WHOLE));
    InstanceLocks both = locks.with(List.of(new Lock("5:1", false, "/a")));

    assertThat(locks.held()).containsExactly(WHOLE, ALONE);
    assertThat(both.without("3:1").held()).containsExactly(new Lock("5:1", false, "/a"));
    assertThat(both.without("9:9")).isEqualTo(both);
  }

  @Test
  void whatTwoTakeTogetherIsHeldOnce() {
    assertThat(InstanceLocks.NONE.with(List.of(WHOLE, WHOLE)).held()).containsExactly(WHOLE);
  }

  @Test
  void aPathWithABreakReadsTheSame() {
    var locks =
        new InstanceLocks(
            List.of(new Lock("3:1", true, "/a\nx whole /"), new Lock("3:1", true, "/%0A\r%")));

    assertThat(InstanceLocks.read(ByteBuffer.wrap(locks.bytes()))).isEqualTo(locks);
  }
}
