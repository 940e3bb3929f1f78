package io.ensemble.testkit.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.truth.CasTrialRounds.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The results of all runs so far, written to {@code target/site-truth-NAME.md} after each run. */
final class GuaranteeTable {

  private record Row(SiteCacheSetting setting, Fault fault) {}

  private final Class<?> test;
  private final String name;
  private final Path file;
  private final StringBuilder records = new StringBuilder();
  private final Map<Row, List<ChainAnomalies>> runs = new LinkedHashMap<>();

  /**
   * @param test the class of the test
   * @param name distinguishes the tables of a test
   */
  GuaranteeTable(Class<?> test, String name) {
    this.test = test;
    this.name = name;
    this.file = Path.of("target", "site-truth-" + name + ".md");
  }

  void add(Fault fault, Map<SiteCacheSetting, ChainAnomalies> results) throws IOException {
    results.forEach(
        (setting, breaks) ->
            runs.computeIfAbsent(new Row(setting, fault), row -> new ArrayList<>()).add(breaks));
    Files.createDirectories(file.getParent());
    Files.writeString(file, table());
  }

  /**
   * Records a chain with anomalies, to be kept if a judgement fails. Ignores settings that are
   * expected to lose values.
   */
  void record(SiteCacheSetting setting, Supplier<String> chain) {
    if (setting.isAccepted() || setting == SiteCacheSetting.OPTIMISTIC) {
      records.append('\n').append(setting).append(": ").append(chain.get());
    }
  }

  /**
   * Runs a judgement of these runs; if it fails, keeps the table and the recorded chains in the
   * directory of failures.
   */
  void judge(Runnable judgement) {
    FailureArtifacts.judge(judgement, () -> table() + records, test, name);
  }

  /** The sum of all runs. */
  ChainAnomalies of(SiteCacheSetting setting, Fault fault) {
    return sum(runs.getOrDefault(new Row(setting, fault), List.of()));
  }

  private static ChainAnomalies sum(List<ChainAnomalies> all) {
    return all.stream().reduce(ChainAnomalies.NONE, ChainAnomalies::plus);
  }

  /**
   * Requires that accepted settings lose nothing. Stale reads are counted but allowed, because the
   * nodes of a site learn of a new owner one after the other.
   *
   * @param explanations the observations, for the failure message
   */
  void assertAcceptedOnesHold(String explanations) {
    judge(() -> requireAcceptedOnesHold(explanations));
  }

  private void requireAcceptedOnesHold(String explanations) {
    runs.forEach(
        (row, all) -> {
          if (row.setting().isAccepted()) {
            assertThat(sum(all))
                .as("%s%n%s", row, explanations)
                .returns(false, ChainAnomalies::forgets);
            assertThat(all).as("%s", row).allMatch(breaks -> breaks.acknowledged() > 0);
          }
        });
  }

  private String table() {
    StringBuilder table =
        new StringBuilder(
            """
            | setting | owner | runs | acknowledged | reads | runs with a break | breaks | told false, and there |
            |---|---|---|---|---|---|---|---|
            """);
    runs.forEach(
        (row, all) -> {
          ChainAnomalies sum = sum(all);
          table.append(
              "| %s | %s | %d | %,d | %,d | %d | %s | %d |%n"
                  .formatted(
                      row.setting().told(),
                      row.fault(),
                      all.size(),
                      sum.acknowledged(),
                      sum.reads(),
                      all.stream().filter(ChainAnomalies::any).count(),
                      sum.kinds(),
                      sum.denied()));
        });
    return table.toString();
  }
}
