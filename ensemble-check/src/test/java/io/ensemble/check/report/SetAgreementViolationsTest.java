package io.ensemble.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SetAgreementViolationsTest {

  private final List<HistoryOperation> operations = new ArrayList<>();

  /** A call of 10 ns that got a decision. */
  private void decided(long call, long proposed, long instance, long decided) {
    operations.add(
        new HistoryOperation(
            operations.size(),
            "agreement",
            "propose",
            null,
            LongNode.valueOf(proposed),
            JsonNodeFactory.instance.arrayNode().add(instance).add(decided),
            call,
            call + 10,
            HistoryOutcome.OK));
  }

  private void unknown(long call, long proposed) {
    operations.add(
        new HistoryOperation(
            operations.size(),
            "agreement",
            "propose",
            null,
            LongNode.valueOf(proposed),
            NullNode.instance,
            call,
            null,
            HistoryOutcome.UNKNOWN));
  }

  private GuaranteeVerdict judge(int values) {
    return GuaranteeVerdict.setAgreement(new OperationHistory(operations), values);
  }

  private void isViolated(int values, String why) {
    GuaranteeVerdict verdict = judge(values);
    assertThat(verdict.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(verdict.explanation()).contains(why);
  }

  @Test
  void soManyValuesInEachInstanceAreAllowed() {
    decided(0, 1, 0, 1);
    decided(1, 2, 0, 2);
    decided(2, 3, 0, 1);
    decided(20, 4, 1, 4);
    decided(21, 5, 1, 6);
    unknown(22, 6);

    assertThat(judge(2).held()).isTrue();
    isViolated(1, "one value too many");
  }

  @Test
  void aValueThatWasProposedOnlyAfterwardsIsFound() {
    decided(0, 1, 0, 2);
    decided(11, 2, 0, 2);

    isViolated(2, "not proposed before");
  }

  @Test
  void aValueOfAnotherInstanceIsFound() {
    decided(0, 1, 0, 1);
    decided(20, 2, 1, 1);

    isViolated(2, "another instance");
  }
}
