package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What counts as progress of a change. */
class TallyTest {

  private final Tally tally = new Tally();

  @Test
  void aPassThatBeginsAgainMakesProgressOnlyWhereItComesFurther() {
    tally.cameTo(1);
    tally.cameTo(2);
    long before = tally.progress();

    tally.cameTo(1); // Of the next attempt, which fails where the former one did.
    tally.cameTo(2);

    assertThat(tally.progress()).isEqualTo(before);
    tally.cameTo(3);
    assertThat(tally.progress()).isGreaterThan(before);
  }

  @Test
  void afterAPassTheNextOneMakesProgressFromItsBeginning() {
    tally.cameTo(10);
    tally.passed();
    long before = tally.progress();

    tally.cameTo(1);

    assertThat(tally.progress()).isGreaterThan(before);
  }

  @Test
  void anEmptyPassIsProgressToo() {
    long before = tally.progress();

    tally.passed();

    assertThat(tally.progress()).isGreaterThan(before);
  }
}
