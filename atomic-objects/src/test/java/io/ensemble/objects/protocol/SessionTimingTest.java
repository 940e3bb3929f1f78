package io.ensemble.objects.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many round trips to the store calls take, counted in virtual time. */
@Execution(ExecutionMode.CONCURRENT)
class SessionTimingTest {

  private static final long MILLI = 1_000_000;
  private static final long ONE_WAY = 2 * MILLI;
  private static final long WRITING = MILLI / 2;

  /** Calls per second when each write of the root makes one call. */
  private static final double ONE_A_TRIP = 1e9 / (2 * ONE_WAY + WRITING);

  private static SessionSimulation.Outcome second(int processes, int callersOfEach) {
    SessionSimulation market = new SessionSimulation(processes, callersOfEach, ONE_WAY, WRITING);
    market.run(1_000 * MILLI);
    return market.run(1_000 * MILLI);
  }

  @Test
  void aCallerAloneOnlySteps() {
    SessionSimulation.Outcome outcome = second(1, 1);

    assertThat(outcome.calls()).isGreaterThan((int) (0.95 * ONE_A_TRIP));
    assertThat(outcome.requests("Swap")).isBetween(outcome.calls() - 1, outcome.calls() + 1);
    assertThat(outcome.requests("Look") + outcome.requests("Post") + outcome.requests("lost"))
        .isZero();
  }

  @Test
  void callersOfOneProcessShareItsSteps() {
    SessionSimulation.Outcome outcome = second(1, 16);

    assertThat(outcome.calls()).isGreaterThan((int) (15 * 0.95 * ONE_A_TRIP));
  }

  @Test
  void callersOfSeveralProcessesShareTheCombinersSteps() {
    assertThat(second(4, 1).calls()).isGreaterThan((int) (1.7 * ONE_A_TRIP));
    assertThat(second(4, 2).calls()).isGreaterThan((int) (3.4 * ONE_A_TRIP));
    assertThat(second(4, 4).calls()).isGreaterThan((int) (6.8 * ONE_A_TRIP));
    assertThat(second(8, 2).calls()).isGreaterThan((int) (5.6 * ONE_A_TRIP));
  }

  @Test
  void whereEventsTellWhenToLookNobodyLooksInVain() {
    SessionSimulation.Outcome outcome = second(4, 4);

    // Each session reads the root about once per batch.
    assertThat(outcome.requests("Look")).isLessThan((int) (1.05 * outcome.requests("Post")));
    assertThat(outcome.requests("lost")).isZero();
  }

  @Test
  void whosePostsNobodyHearsOfIsServedAllTheSame() {
    SessionSimulation market = new SessionSimulation(6, 2, ONE_WAY, WRITING).unheard(2);
    market.run(1_000 * MILLI);

    SessionSimulation.Outcome outcome = market.run(5_000 * MILLI);

    assertThat(outcome.each()).allMatch(calls -> calls > 50);
  }

  @Test
  void moreSessionsThanAreLookedAfterAreAllServed() {
    SessionSimulation.Outcome outcome = second(40, 1);

    assertThat(outcome.calls()).isGreaterThan((int) (8 * ONE_A_TRIP));
    assertThat(outcome.each()).allMatch(calls -> calls > 10);
  }

  @Test
  void mailboxesAreNotReadWhereEventsBringWhatIsPosted() {
    SessionSimulation.Outcome outcome = second(8, 2);

    assertThat(outcome.requests("mailboxes")).isLessThan(outcome.requests("Post") / 5);
  }

  @Test
  void manyProcessesAreServedEquallyWithoutEvents() {
    SessionSimulation market = new SessionSimulation(40, 1, ONE_WAY, WRITING).withoutEvents();
    market.run(1_000 * MILLI);

    SessionSimulation.Outcome outcome = market.run(1_000 * MILLI);

    assertThat(outcome.calls()).isGreaterThan((int) (6 * ONE_A_TRIP));
    assertThat(outcome.each()).allMatch(calls -> calls > 20);
  }

  @Test
  void callersOfSeveralProcessesShareStepsWithoutEvents() {
    SessionSimulation market = new SessionSimulation(4, 2, ONE_WAY, WRITING).withoutEvents();
    market.run(1_000 * MILLI);

    SessionSimulation.Outcome outcome = market.run(1_000 * MILLI);

    assertThat(outcome.calls()).isGreaterThan((int) (2.8 * ONE_A_TRIP));
    assertThat(outcome.requests("shared"))
        .as("reads of the shared mailbox by a busy combiner")
        .isLessThan(outcome.requests("Swap") * 2 / 5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void aFarProcessJoinsThoseThatStepWithoutAPause(int near) {
    SessionSimulation market =
        new SessionSimulation(near, 4, ONE_WAY / 4, WRITING / 4).withoutEvents();
    market.run(1_000 * MILLI);

    SessionSimulation.Outcome outcome =
        market.join(4, 2 * ONE_WAY).join(4, 3 * ONE_WAY).run(2_000 * MILLI);

    assertThat(outcome.each()).as("calls of each process").allMatch(calls -> calls > 50);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void farProcessesWhosePostsAreNotReadPostAgain(int far) {
    SessionSimulation market = nearProcess();
    for (int i = 0; i < far; i++) {
      market.join(1, 25 * MILLI);
    }

    for (int i = 0; i < 6; i++) {
      assertThat(market.run(5_000 * MILLI).each()).as("calls").allMatch(calls -> calls > 3);
    }
  }

  @Test
  void aPostThatIsRemovedIsRepeated() {
    SessionSimulation market = nearProcess().join(1, ONE_WAY);
    for (int i = 0; i < 400; i++) {
      market.clearSharedMailbox();
      market.run(MILLI);
    }

    assertThat(market.run(1_000 * MILLI).each()).as("calls").allMatch(calls -> calls > 50);
  }

  @Test
  void closedSessionsLeaveNoMailboxes() {
    SessionSimulation market = nearProcess().join(1, ONE_WAY).join(1, 2 * ONE_WAY);
    market.run(1_000 * MILLI);
    assertThat(market.hasSharedMailbox()).as("the far processes used it").isTrue();

    assertThat(market.closeAll(1_000 * MILLI)).isZero();
  }

  @Test
  void sessionsWhosePostsCauseNoEventsAreServed() {
    SessionSimulation market = new SessionSimulation(4, 4, ONE_WAY, WRITING);
    market.run(1_000 * MILLI);

    SessionSimulation.Outcome outcome = market.unheard(4).run(3_000 * MILLI);

    assertThat(outcome.each()).as("calls of each process").allMatch(calls -> calls > 40);
  }

  @Test
  void aSessionThatIsOverlookedAfterAStallWaitsNoMultipleOfTheStall() {
    SessionSimulation market = new SessionSimulation(4, 4, ONE_WAY, WRITING);
    market.run(1_000 * MILLI);
    market.unheard(4).stalledFor(25_000 * MILLI);

    SessionSimulation.Outcome outcome = market.run(1_000 * MILLI);

    assertThat(outcome.each()).as("calls of each process").allMatch(calls -> calls > 10);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 40})
  void eventsWithoutContentAreEnoughToShareSteps(int processes) {
    SessionSimulation market =
        new SessionSimulation(processes, 1, ONE_WAY, WRITING).withEventsWithoutContent();
    market.run(1_000 * MILLI);

    SessionSimulation.Outcome outcome = market.run(1_000 * MILLI);

    assertThat(outcome.each()).as("calls of each process").allMatch(calls -> calls > 10);
  }

  @Test
  void processesThatOpenANewObjectTogetherAreServedSoon() {
    SessionSimulation market = new SessionSimulation(4, 2, ONE_WAY, WRITING).withoutEvents();

    SessionSimulation.Outcome outcome = market.run(2 * 50 * ONE_WAY);

    assertThat(outcome.each())
        .as("calls in 50 round trips")
        .areAtLeast(3, new Condition<>(calls -> calls > 0, "served"));
  }

  /** Such events of posts concern a combiner, and a process that makes steps alone is none. */
  @Test
  void aFarProcessIsServedWhereEventsHaveNoContent() {
    SessionSimulation market =
        new SessionSimulation(1, 1, MILLI / 4, MILLI / 8).withEventsWithoutContent();
    market.run(1_000 * MILLI);

    SessionSimulation.Outcome outcome = market.join(1, 25 * MILLI).run(10_000 * MILLI);

    assertThat(outcome.each()).as("calls of each process").allMatch(calls -> calls > 5);
  }

  /** As after the loss of a listener: the sessions have had events, so they expect further ones. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFarProcessIsServedAfterEventsHaveEnded(int near) {
    SessionSimulation market =
        new SessionSimulation(near, 1, MILLI / 4, MILLI / 8).join(1, 25 * MILLI);
    market.run(1_000 * MILLI);

    SessionSimulation.Outcome outcome = market.withoutEvents().run(10_000 * MILLI);

    assertThat(outcome.each()).as("calls of each process").allMatch(calls -> calls > 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFarSessionThatClosesEndsItsCalls(int near) {
    SessionSimulation market =
        new SessionSimulation(near, 2, MILLI / 4, MILLI / 8).withoutEvents().join(1, 25 * MILLI);
    market.run(1_030 * MILLI);

    assertThat(market.close(near, 20_000 * MILLI)).isTrue();
  }

  /** A process near to the store, which makes steps without a pause. */
  private static SessionSimulation nearProcess() {
    SessionSimulation market = new SessionSimulation(1, 1, MILLI / 4, MILLI / 8).withoutEvents();
    market.run(1_000 * MILLI);
    return market;
  }
}
