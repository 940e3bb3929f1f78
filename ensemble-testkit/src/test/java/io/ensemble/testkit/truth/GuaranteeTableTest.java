package io.ensemble.testkit.truth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.testkit.truth.CasChain.Answer;
import io.ensemble.testkit.truth.CasTrialRounds.Fault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GuaranteeTableTest {

  @Test
  void aSettingThatIsHeldToItsPromiseAndForgetsLeavesTheTableAndItsChains() throws Exception {
    ChainValue first = new ChainValue(1, 0, 0);
    ChainValue lost = first.after(2);
    CasChain chain = new CasChain(first);
    chain.attempted(lost, 0x17, "client 3", 2_000_000, 4_000_000, Answer.ACKNOWLEDGED);
    chain.saw(first, "client 4", 1_000_000, 5_000_000);
    GuaranteeTable truths = new GuaranteeTable(GuaranteeTableTest.class, "unit");
    truths.add(Fault.KILL, Map.of(SiteCacheSetting.REPLICA, chain.judged(first)));
    truths.record(SiteCacheSetting.REPLICA, () -> chain.recorded(first, 0));
    truths.record(SiteCacheSetting.ONE_OWNER, () -> "expected");

    Throwable failure = catchThrowable(() -> truths.assertAcceptedOnesHold("explained"));

    assertThat(failure).isInstanceOf(AssertionError.class).hasMessageContaining("explained");
    Path kept = Path.of(failure.getMessage().replaceAll("(?s).*\nrecords: ", ""));
    try {
      assertThat(kept.getFileName().toString()).startsWith("GuaranteeTableTest-unit");
      assertThat(Files.readString(kept))
          .contains("| KILL | 1 | 1 | 1 | 1 | acknowledged and lost 1 |")
          .containsSubsequence(
              "REPLICA: first " + first,
              "read: " + first + " by client 4 from 1.000 ms to 5.000 ms",
              "missing: " + lost + " on version 0000000000000017 by client 3 from 2.000 ms")
          .doesNotContain("expected");
    } finally {
      Files.delete(kept);
    }
  }
}
