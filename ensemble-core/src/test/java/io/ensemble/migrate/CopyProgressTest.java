package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which steps count as progress of a change. */
class CopyProgressTest {

  private final CopyProgress copyProgress = new CopyProgress();

  @Test
  void aPassThatBeginsAgainMakesProgressOnlyWhereItComesFurther() {
    copyProgress.recordStep(1);
    copyProgress.recordStep(2);
    long before = copyProgress.progress();

    copyProgress.recordStep(1); // The next attempt fails where the former one did.
    copyProgress.recordStep(2);

    assertThat(copyProgress.progress()).isEqualTo(before);
    copyProgress.recordStep(3);
    assertThat(copyProgress.progress()).isGreaterThan(before);
  }

  @Test
  void afterAPassTheNextOneMakesProgressFromItsBeginning() {
    copyProgress.recordStep(10);
    copyProgress.finishScan();
    long before = copyProgress.progress();

    copyProgress.recordStep(1);

    assertThat(copyProgress.progress()).isGreaterThan(before);
  }

  @Test
  void anEmptyPassIsProgressToo() {
    long before = copyProgress.progress();

    copyProgress.finishScan();

    assertThat(copyProgress.progress()).isGreaterThan(before);
  }
}
