package io.ensemble.rest.resource.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A change with an unknown outcome is not reported as one that was not made. */
class IdempotentChangeTest {

  private static Supplier<Object> fails(Reason reason) {
    return () -> {
      throw new CatalogException(reason, "as the test requires it");
    };
  }

  private static Problem problem(Supplier<Object> call) {
    return ProblemMapper.problem(catchThrowable(call::get));
  }

  @Test
  void aLostAnswerOfTheCatalogIsNoInvitationToRepeatUnlessTheChangeIsRepeatable() {
    Problem any = problem(fails(Reason.UNKNOWN));
    Problem repeatable = problem(() -> IdempotentChange.change(fails(Reason.UNKNOWN)));

    assertThat(any.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
    assertThat(any.members()).doesNotContainEntry("retrySafe", true);
    assertThat(repeatable.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
    assertThat(repeatable.members()).containsEntry("retrySafe", true);
  }

  @Test
  void whatTheCatalogDidNotDoIsToldSo() {
    Problem refused = problem(() -> IdempotentChange.change(fails(Reason.UNAVAILABLE)));

    assertThat(refused.type()).isEqualTo(ProblemType.CATALOG_UNAVAILABLE);
  }

  @Test
  void aLookThatFailsAfterTheChangeDoesNotSayThatNothingWasDone() {
    for (Reason reason : new Reason[] {Reason.UNAVAILABLE, Reason.CORRUPT}) {
      Problem after = problem(() -> IdempotentChange.readState(fails(reason)));

      assertThat(after.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
      assertThat(after.detail()).startsWith("applied");
    }
  }

  @Test
  void aCallThatIsInterruptedGoesOn() {
    Problem problem =
        ProblemMapper.problem(new CompletionException(new CancellationException("late")));

    assertThat(problem.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
  }

  @Test
  void whatTheCatalogDoesNotAllowIsNotMadeRightByRepeatingIt() {
    Problem refused = problem(() -> IdempotentChange.change(fails(Reason.NOT_ALLOWED)));

    assertThat(refused.type()).isEqualTo(ProblemType.CATALOG_UNAVAILABLE);
    assertThat(refused.members()).containsEntry("retrySafe", false);
  }

  /** A promotion may be under way at the sites that did not answer in time. */
  @Test
  void tooFewAnswersMeanThatNothingWasDoneUnlessTheChangeTakesLong() {
    QuorumFailure missing = new QuorumFailure(2, 3, Set.of("oslo"), Map.of("lyon", "silent"));
    Supplier<Object> silent =
        () -> {
          throw new QuorumUnavailableException("c", missing);
        };

    assertThat(problem(() -> IdempotentChange.change(silent)).type())
        .isEqualTo(ProblemType.SITES_UNAVAILABLE);
    Problem slow = problem(() -> IdempotentChange.changeSlowly(silent));
    assertThat(slow.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
    assertThat(slow.members()).containsEntry("retrySafe", true);
  }

  @Test
  void anUnknownOutcomeOfAnyOtherChangeIsNoInvitationToRepeatIt() {
    QuorumFailure missing = new QuorumFailure(2, 3, Set.of("oslo"), Map.of("lyon", "silent"));
    Problem unknown = ProblemMapper.problem(new UnknownOutcomeException("c", missing));

    assertThat(unknown.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
    assertThat(unknown.members()).containsEntry("retrySafe", false);
  }
}
