package io.ensemble.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.benchmarks.measure.Sample.End;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LossesTest {

  private static Sample write(long number, long begun, long ended, End end) {
    return new Sample(0, number, true, begun, begun, ended, end);
  }

  private static final List<Sample> WRITES =
      List.of(
          write(1, 10, 20, End.DONE),
          write(2, 15, 30, End.DONE),
          write(3, 40, 50, End.DONE),
          write(4, 60, 70, End.UNKNOWN));

  @Test
  void theLastWriteThatIsThereHasLostNothing() {
    assertThat(Losses.of(WRITES, Optional.of(3L))).isZero();
  }

  @Test
  void aWriteThatBeganAfterTheOneFoundHadEndedIsLost() {
    assertThat(Losses.of(WRITES, Optional.of(2L))).isEqualTo(1);
  }

  @Test
  void oneOfTwoAtATimeMayHaveWon() {
    assertThat(Losses.of(WRITES.subList(0, 2), Optional.of(1L))).isZero();
    assertThat(Losses.of(WRITES.subList(0, 2), Optional.of(2L))).isZero();
  }

  @Test
  void aWriteOfUnknownEndMayComeAtAnyTime() {
    assertThat(Losses.of(WRITES, Optional.of(4L))).isZero();
  }

  @Test
  void whatWasThereBeforeOrNothingMeansThatAllAreLost() {
    assertThat(Losses.of(WRITES, Optional.of(-1L))).isEqualTo(3);
    assertThat(Losses.of(WRITES, Optional.empty())).isEqualTo(3);
    assertThat(Losses.of(WRITES.subList(3, 4), Optional.empty())).isZero();
  }

  @Test
  void aValueThatNobodyWroteIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Losses.of(WRITES, Optional.of(7L)));
  }
}
