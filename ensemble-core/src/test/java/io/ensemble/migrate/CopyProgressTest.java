package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which steps count as progress of a change. */
class CopyProgressTest {

  private final CopyProgress copyProgress = new CopyProgress();

  @Test
  void aPassThatBeginsAgainMakesProgressOnlyWhereItComesFurther() {
    copyProgress.cameTo(1);
    copyProgress.cameTo(2);
    long before = copyProgress.progress();

    copyProgress.cameTo(1); // The next attempt fails where the former one did.
    copyProgress.cameTo(2);

    assertThat(copyProgress.progress()).isEqualTo(before);
    copyProgress.cameTo(3);
    assertThat(copyProgress.progress()).isGreaterThan(before);
  }

  @Test
  void afterAPassTheNextOneMakesProgressFromItsBeginning() {
    copyProgress.cameTo(10);
    copyProgress.passed();
    long before = copyProgress.progress();

    copyProgress.cameTo(1);

    assertThat(copyProgress.progress()).isGreaterThan(before);
  }

  @Test
  void anEmptyPassIsProgressToo() {
    long before = copyProgress.progress();

    copyProgress.passed();

    assertThat(copyProgress.progress()).isGreaterThan(before);
  }
}
