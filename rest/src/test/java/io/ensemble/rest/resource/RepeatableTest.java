package io.ensemble.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.CatalogException.Reason;
import io.ensemble.rest.http.Failures;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What nobody knows the end of is not told as what was not done. */
class RepeatableTest {

  private static Supplier<Object> fails(Reason reason) {
    return () -> {
      throw new CatalogException(reason, "as the test wants it");
    };
  }

  private static Problem problem(Supplier<Object> call) {
    return Failures.problem(catchThrowable(call::get));
  }

  @Test
  void aLostAnswerOfTheCatalogIsNoInvitationToRepeatUnlessTheChangeIsRepeatable() {
    Problem any = problem(fails(Reason.UNKNOWN));
    Problem repeatable = problem(() -> Repeatable.change(fails(Reason.UNKNOWN)));

    assertThat(any.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
    assertThat(any.members()).doesNotContainEntry("retrySafe", true);
    assertThat(repeatable.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
    assertThat(repeatable.members()).containsEntry("retrySafe", true);
  }

  @Test
  void whatTheCatalogDidNotDoIsToldSo() {
    Problem refused = problem(() -> Repeatable.change(fails(Reason.UNAVAILABLE)));

    assertThat(refused.type()).isEqualTo(ProblemType.CATALOG_UNAVAILABLE);
  }

  @Test
  void aLookThatFailsAfterTheChangeDoesNotSayThatNothingWasDone() {
    for (Reason reason : new Reason[] {Reason.UNAVAILABLE, Reason.CORRUPT}) {
      Problem after = problem(() -> Repeatable.look(fails(reason)));

      assertThat(after.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
      assertThat(after.detail()).startsWith("done");
    }
  }

  @Test
  void aCallThatIsInterruptedGoesOn() {
    Problem problem = Failures.problem(new CompletionException(new CancellationException("late")));

    assertThat(problem.type()).isEqualTo(ProblemType.UNKNOWN_OUTCOME);
  }
}
