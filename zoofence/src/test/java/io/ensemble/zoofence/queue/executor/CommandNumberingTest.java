package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CommandNumberingTest {
  private final CommandNumbering numbering = new CommandNumbering(CommandNumbering.ROLL_AT);

  @Test
  void numbersGrowFromOneZnodeToTheNext() {
    assertThat(numbering.readBase(new byte[0])).isTrue();
    long last = numbering.toNumber(Integer.MAX_VALUE);

    assertThat(numbering.readBase(numbering.nextBase())).as("another znode").isFalse();

    assertThat(numbering.toNumber(0)).isEqualTo(last + 1);
    assertThat(numbering.toSequence(last + 1)).isZero();
    assertThat(numbering.readBase(Long.toString(last + 1).getBytes())).isTrue();
  }

  @Test
  void aQueueIsReplacedLongBeforeTheCounterEnds() {
    assertThat(numbering.readBase(null)).isTrue();

    assertThat(numbering.isToRoll(CommandNumbering.ROLL_AT - 1)).isFalse();
    assertThat(numbering.isToRoll(CommandNumbering.ROLL_AT)).isTrue();
  }
}
