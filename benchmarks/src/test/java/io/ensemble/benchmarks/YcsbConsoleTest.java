package io.ensemble.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class YcsbConsoleTest {

  @Test
  void ofAStatusTheProgressIsShown() {
    assertThat(
            YcsbConsole.worthShowing(
                "run 2026-11-21 03:50:39:123 2 sec: 1,234 operations; 617 current ops/sec; est"
                    + " completion in 3 seconds [READ: Count=600, Max=9, Min=1, Avg=2] [UPDATE: 1]"))
        .isEqualTo(
            "ycsb: run 2 sec: 1,234 operations; 617 current ops/sec; est completion in 3 seconds");
  }

  @Test
  void aRateOfNoTimeAtAllIsNotShown() {
    assertThat(
            YcsbConsole.worthShowing(
                "run 2026-11-21 03:50:39:123 0 sec: 0 operations; est completion in 0 second [x]"))
        .isNull();
    assertThat(
            YcsbConsole.worthShowing(
                "run 2026-11-21 03:50:39:123 0 sec: 1 operations; NaN current ops/sec; [x]"))
        .isNull();
    assertThat(
            YcsbConsole.worthShowing(
                "run 2026-11-21 03:50:39:123 0 sec: 90 operations; 617 current ops/sec; [x]"))
        .isEqualTo("ycsb: run 0 sec: 90 operations; 617 current ops/sec");
  }

  @Test
  void ourOwnLinesAreShownAndOthersAreNot() {
    assertThat(YcsbConsole.worthShowing("ycsb: failed: x")).isEqualTo("ycsb: failed: x");
    assertThat(YcsbConsole.worthShowing("DBWrapper: report latency for each error is false"))
        .isNull();
  }
}
