package io.ensemble.check.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WriterRotationTest {

  @Test
  void oneProcessWritesAtATimeAndEachInItsTurn() {
    for (long second = 0; second < 60; second++) {
      long nanos = second * 1_000_000_000L;

      int[] writing =
          IntStream.range(0, 3)
              .filter(i -> new WriterRotation(i, 3, 6_000).hasTurn(nanos))
              .toArray();

      assertThat(writing).containsExactly((int) (second / 6 % 3));
    }
  }

  @Test
  void whoHasNoTurnTriesToWriteNowAndThen() {
    SplittableRandom random = new SplittableRandom(1);
    WriterRotation turns = new WriterRotation(1, 2, 6_000);

    assertThat(IntStream.range(0, 10_000).filter(i -> turns.mayWrite(0, random)).count())
        .isBetween(10L, 200L);
    assertThat(turns.mayWrite(7_000_000_000L, random)).isTrue();
  }
}
