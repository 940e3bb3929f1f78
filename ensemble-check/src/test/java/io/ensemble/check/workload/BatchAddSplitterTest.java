package io.ensemble.check.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.HistoryReader;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchAddSplitterTest {

  @Test
  void manyVersionsAreOperationsOfTheirOwn() throws Exception {
    List<HistoryOperation> all =
        HistoryReader.read(
                new StringReader(
                    """
                    {"client":7,"key":"k","op":"put_versions","in":[[3,10],[5,11]],"out":null,"call_ns":1,"return_ns":4,"ok":true}
                    {"client":8,"key":"k","op":"put_versions","in":[[9,12]],"out":null,"call_ns":2,"return_ns":null,"ok":"unknown"}
                    {"client":9,"key":"k","op":"latest","in":null,"out":[5,11],"call_ns":5,"return_ns":6,"ok":true}
                    """))
            .operations();

    List<HistoryOperation> single = BatchAddSplitter.split(all);

    assertThat(single)
        .extracting(HistoryOperation::describe)
        .containsExactly(
            "put_version([3,10]) = \"added\"",
            "put_version([5,11]) = \"added\"",
            "put_version([9,12]) = ?",
            "latest() = [5,11]");
    assertThat(single).extracting(HistoryOperation::client).doesNotHaveDuplicates();
    assertThat(single.get(1).returnNanos()).isEqualTo(4);
    assertThat(single.get(2).outcome()).isEqualTo(HistoryOutcome.UNKNOWN);
  }
}
