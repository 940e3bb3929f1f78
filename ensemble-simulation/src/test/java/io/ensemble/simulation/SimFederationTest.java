package io.ensemble.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SimFederationTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void clientsHaveTheirOwnViewRandomnessAndConnections() {
    SimFederation federation =
        SimFederation.builder().sites("a", "b").clients(2).maxSkewMicros(1_000).build();
    SimClient first = federation.clients().get(0);
    SimClient second = federation.clients().get(1);

    assertThat(first.name()).isEqualTo("c0");
    assertThat(first.sites().keySet()).containsExactly("a", "b");
    assertThat(first.sites().get("a")).isNotSameAs(second.sites().get("a"));
    assertThat(first.random().nextLong()).isNotEqualTo(second.random().nextLong());
    assertThat(first.scheduler().epochMicros()).isNotEqualTo(second.scheduler().epochMicros());
    assertThat(federation.newClient().name()).isEqualTo("c2");
  }

  @Test
  void seedsGiveDifferentTracesAndTheSameSeedTheSame() {
    Set<String> digests = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      String digest = trace(seed).digest();
      assertThat(trace(seed).digest()).isEqualTo(digest);
      digests.add(digest);
    }

    assertThat(digests).hasSize(20);
    assertThat(trace(7).lines()).isEqualTo(trace(7).lines()).isNotEmpty();
  }

  private static SimTrace trace(long seed) {
    SimFederation federation =
        SimFederation.builder().seed(seed).plan(SimFaultPlan.of(MessageFaults.lossy(0.1))).build();
    SimClient client = federation.clients().get(0);
    client
        .sites()
        .values()
        .forEach(
            site ->
                site.create("store", StoreKind.PLAIN, Deadline.after(SECOND, client.scheduler())));
    federation.run(SECOND);
    return federation.trace();
  }

  @Test
  void aTraceSaysWhenWhoWhereAndWhat() {
    SimTrace trace = trace(1);

    assertThat(trace.lines().get(0)).isEqualTo("0.000000000 c0 lyon #1 > create store PLAIN");
    assertThat(trace.toString()).contains("oslo #2 = created");
  }

  @Test
  void aTraceKeepsItsLastLinesAndCountsAll() {
    SimTrace trace = new SimTrace(2);
    trace.add(1, "c0", "-", "one");
    String digest = trace.digest();
    trace.add(2, "c0", "-", "two");
    trace.add(1_000_000_003, "c0", "-", "three");

    assertThat(trace.lines()).isEqualTo(List.of("0.000000002 c0 - two", "1.000000003 c0 - three"));
    assertThat(trace.size()).isEqualTo(3);
    assertThat(trace.digest()).isNotEqualTo(digest);
  }

  @Test
  void getGivesWhatTheStageGivesOrFailsWith() {
    SimFederation federation = SimFederation.builder().seed(77).build();
    CompletableFuture<String> later = new CompletableFuture<>();
    federation.scheduler().after(50, () -> later.complete("here"));

    assertThat(federation.get(later, SECOND)).isEqualTo("here");
    IllegalStateException failure = new IllegalStateException("no");
    assertThatIllegalStateException()
        .isThrownBy(() -> federation.get(CompletableFuture.failedStage(failure), SECOND))
        .isSameAs(failure);
    assertThatThrownBy(() -> federation.get(new CompletableFuture<>(), SECOND))
        .isInstanceOf(SimulationException.class)
        .hasMessageEndingWith("seed=77");
  }

  @Test
  void nonsenseIsRefused() {
    SimFederationBuilder builder = SimFederation.builder();

    assertThatIllegalArgumentException().isThrownBy(builder::sites);
    assertThatIllegalArgumentException().isThrownBy(() -> builder.sites("a", "a"));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.clients(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.inFlight(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.build().contents("paris", "store"));
  }
}
