package io.ensemble.check.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.OperationHistory;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseExpiriesTest {
  private static final String DIED =
      """
      {"client":0,"key":"l","op":"cas","in":[null,1],"out":true,"call_ns":0,"return_ns":5,"ok":true}
      {"client":1,"key":"l","op":"cas","in":[null,2],"out":true,"call_ns":6,"return_ns":9,"ok":true}
      """;
  private static final String RELEASED_LATER =
      """
      {"client":0,"key":"l","op":"cas","in":[1,null],"out":true,"call_ns":20,"return_ns":25,"ok":true}
      """;

  @Test
  void aHolderThatNeverGaveBackMayHaveLostItsLease() throws Exception {
    assertThat(held(DIED)).isTrue();
  }

  @Test
  void twoHoldersAtOnceAreFoundThoughLeasesEnd() throws Exception {
    assertThat(held(DIED + RELEASED_LATER)).isFalse();
  }

  @Test
  void aTokenThatDoesNotGrowIsTold() throws Exception {
    List<HistoryOperation> grown = operations(DIED);
    List<HistoryOperation> shrunk = operations(DIED.replace("[null,2]", "[null,0]"));

    assertThat(LeaseExpiries.findTokenViolations(grown)).isEmpty();
    assertThat(LeaseExpiries.findTokenViolations(shrunk))
        .containsExactly("l: client 1 got token 0 after another had got 1");
  }

  /** The history is linearizable: the first client releases before the second has its response. */
  @Test
  void aTokenThatTwoGotIsTold() throws Exception {
    String together =
        """
        {"client":0,"key":"l","op":"cas","in":[null,1],"out":true,"call_ns":0,"return_ns":5,"ok":true}
        {"client":1,"key":"l","op":"cas","in":[null,1],"out":true,"call_ns":0,"return_ns":9,"ok":true}
        {"client":0,"key":"l","op":"cas","in":[1,null],"out":true,"call_ns":6,"return_ns":8,"ok":true}
        """;

    assertThat(held(together)).isTrue();
    assertThat(LeaseExpiries.findTokenViolations(operations(together)))
        .containsExactly("l: two got token 1");
  }

  private static boolean held(String text) throws Exception {
    List<HistoryOperation> all = new ArrayList<>(operations(text));
    all.addAll(LeaseExpiries.withExpiries(all));
    return GuaranteeVerdict.linearizable(new OperationHistory(all)).held();
  }

  private static List<HistoryOperation> operations(String text) throws Exception {
    return HistoryReader.read(new StringReader(text)).operations();
  }
}
