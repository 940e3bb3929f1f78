package io.ensemble.cli.caches;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.CacheRedundancy.Replica;
import io.ensemble.redundancy.ReplicaState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The reports of commands on the replicas of a cache. */
class RedundancyReportTest {

  private static RedundancyReport of(int needed, ReplicaState... states) {
    List<Replica> replicas = new ArrayList<>();
    for (ReplicaState state : states) {
      replicas.add(new Replica("lyon/" + (replicas.size() + 1), state));
    }
    return RedundancyReport.of(new CacheRedundancy("c", replicas, needed));
  }

  @Test
  void aLineTellsWhatTheCacheSurvives() {
    ReplicaState whole = ReplicaState.WHOLE;
    ReplicaState lost = ReplicaState.LOST;

    assertThat(of(3, whole, whole, whole, whole, whole).text())
        .isEqualTo("5 of 5 available; survives 2 further losses");
    assertThat(of(2, whole, whole, whole).text())
        .isEqualTo("3 of 3 available; survives 1 further loss");
    assertThat(of(2, whole, lost, whole).text())
        .isEqualTo("2 of 3 available; survives no further loss");
    assertThat(of(2, whole, lost, lost).text())
        .isEqualTo("1 of 3 available; 2 required to read and write");
  }

  @Test
  void eachReplicaIsWholeOrMissingForAReason() throws Exception {
    RedundancyReport report = of(2, ReplicaState.WHOLE, ReplicaState.NODE_UNREACHABLE);

    assertThat(report.text("lyon/1")).isEqualTo("whole");
    assertThat(report.text("lyon/2")).isEqualTo("MISSING: its node does not answer");
    assertThat(JsonOutput.mapper().valueToTree(report).toString())
        .isEqualTo(
            "{\"asked\":2,\"whole\":1,\"needed\":2,\"can_lose\":0,"
                + "\"replicas\":{\"lyon/1\":\"whole\",\"lyon/2\":\"node_unreachable\"}}");
  }

  /** The command that creates a cache names these replicas. */
  @Test
  void replicasWithoutAStoreAreNamedAndNoOthers() {
    CacheDefinition cache = CacheDefinition.of("c", Mode.MWMR).sites("lyon").replicas(3).build();

    CacheReport report =
        CacheReport.of(
            StoredDefinition.first(
                cache,
                "0123456789abcdef01234567",
                Map.of("lyon/1", "00000001000000aa", "lyon/3", "00000002000000bb")));

    assertThat(report.without()).containsExactly("lyon/2");
  }
}
