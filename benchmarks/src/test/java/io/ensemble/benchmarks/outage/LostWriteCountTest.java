package io.ensemble.benchmarks.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.benchmarks.outage.OperationSample.SampleOutcome;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LostWriteCountTest {

  private static OperationSample write(long number, long begun, long ended, SampleOutcome end) {
    return new OperationSample(0, number, true, begun, begun, ended, end);
  }

  private static final List<OperationSample> WRITES =
      List.of(
          write(1, 10, 20, SampleOutcome.DONE),
          write(2, 15, 30, SampleOutcome.DONE),
          write(3, 40, 50, SampleOutcome.DONE),
          write(4, 60, 70, SampleOutcome.UNKNOWN));

  @Test
  void theLastWriteThatIsThereHasLostNothing() {
    assertThat(LostWriteCount.of(WRITES, Optional.of(3L))).isZero();
  }

  @Test
  void aWriteThatBeganAfterTheOneFoundHadEndedIsLost() {
    assertThat(LostWriteCount.of(WRITES, Optional.of(2L))).isEqualTo(1);
  }

  @Test
  void oneOfTwoAtATimeMayHaveWon() {
    assertThat(LostWriteCount.of(WRITES.subList(0, 2), Optional.of(1L))).isZero();
    assertThat(LostWriteCount.of(WRITES.subList(0, 2), Optional.of(2L))).isZero();
  }

  @Test
  void aWriteOfUnknownEndMayComeAtAnyTime() {
    assertThat(LostWriteCount.of(WRITES, Optional.of(4L))).isZero();
  }

  @Test
  void whatWasThereBeforeOrNothingMeansThatAllAreLost() {
    assertThat(LostWriteCount.of(WRITES, Optional.of(-1L))).isEqualTo(3);
    assertThat(LostWriteCount.of(WRITES, Optional.empty())).isEqualTo(3);
    assertThat(LostWriteCount.of(WRITES.subList(3, 4), Optional.empty())).isZero();
  }

  @Test
  void aValueThatNobodyWroteIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LostWriteCount.of(WRITES, Optional.of(7L)));
  }
}
