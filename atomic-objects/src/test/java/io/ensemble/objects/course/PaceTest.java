package io.ensemble.objects.course;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many trips to the store calls take, counted in virtual time. */
class PaceTest {

  private static final long MILLI = 1_000_000;
  private static final long ONE_WAY = 2 * MILLI;
  private static final long WRITING = MILLI / 2;

  /** As many as would win who read and compare-and-set against each other. */
  private static final double ONE_A_TRIP = 1e9 / (2 * ONE_WAY + WRITING);

  private static Market.Outcome second(int processes, int callersOfEach) {
    Market market = new Market(processes, callersOfEach, ONE_WAY, WRITING);
    market.run(1_000 * MILLI);
    return market.run(1_000 * MILLI);
  }

  @Test
  void aCallerAloneStepsAndLooks() {
    Market.Outcome outcome = second(1, 1);

    assertThat(outcome.calls()).isGreaterThan((int) (0.5 * ONE_A_TRIP));
    assertThat(outcome.requests("Swap")).isBetween(outcome.calls() - 1, outcome.calls() + 1);
    assertThat(outcome.requests("Look")).isBetween(outcome.calls() - 1, outcome.calls() + 1);
    assertThat(outcome.requests("Post") + outcome.requests("lost")).isZero();
  }

  @Test
  void callersOfOneProcessShareItsSteps() {
    Market.Outcome outcome = second(1, 16);

    assertThat(outcome.calls()).isGreaterThan((int) (15 * 0.5 * ONE_A_TRIP));
  }

  @Test
  void callersOfSeveralProcessesShareTheCombinersSteps() {
    assertThat(second(4, 1).calls()).isGreaterThan((int) (1.2 * ONE_A_TRIP));
    assertThat(second(4, 2).calls()).isGreaterThan((int) (2.4 * ONE_A_TRIP));
    assertThat(second(4, 4).calls()).isGreaterThan((int) (4.8 * ONE_A_TRIP));
  }

  @Test
  void whereEventsTellWhenToLookNobodyLooksInVain() {
    Market.Outcome outcome = second(4, 4);

    // The combiner looks once a step, each member once a batch.
    assertThat(outcome.requests("Look"))
        .isLessThan((int) (1.1 * (outcome.requests("Swap") + outcome.requests("Post"))));
    assertThat(outcome.requests("lost")).isZero();
  }

  @Test
  void aCombinerLooksIntoMailboxesOfThoseThatPost() {
    Market.Outcome outcome = second(8, 2);

    // Each of the others posts at every other step, and is asked for at each.
    assertThat(outcome.requests("mailboxes")).isLessThan(3 * outcome.requests("Post"));
  }
}
