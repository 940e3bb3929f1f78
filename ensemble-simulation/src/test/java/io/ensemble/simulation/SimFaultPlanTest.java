package io.ensemble.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.simulation.Fault.LostState;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SimFaultPlanTest {

  private static final Duration TIME = Duration.ofSeconds(10);
  private static final List<String> CLIENTS = List.of("c0", "c1", "c2");

  private static SimFaultPlan plan(long seed, List<String> sites) {
    return SimFaultPlan.random(seed, sites, CLIENTS, TIME, RandomFaults.all().withClientCrashes(9));
  }

  @Test
  void aSeedIsAPlan() {
    List<String> sites = List.of("a", "b", "c");

    assertThat(plan(4, sites)).isEqualTo(plan(4, sites)).isNotEqualTo(plan(5, sites));
  }

  @Test
  void aMajorityKeepsItsMemoryAndAClientSurvives() {
    List<String> five = List.of("a", "b", "c", "d", "e");
    for (int n = 1; n <= 5; n++) {
      int mostWiped = 0;
      for (long seed = 0; seed < 300; seed++) {
        SimFaultPlan plan = plan(seed, five.subList(0, n));
        mostWiped = Math.max(mostWiped, wiped(plan).size());
        assertThat(crashed(plan)).hasSizeLessThan(CLIENTS.size());
      }
      assertThat(mostWiped).as("of %d sites", n).isEqualTo((n - 1) / 2);
    }
  }

  private static Set<String> wiped(SimFaultPlan plan) {
    Set<String> wiped = new HashSet<>();
    for (SimFaultPlan.Timed timed : plan.script()) {
      if (timed.fault() instanceof Fault.SiteDown down && down.forgets() == LostState.STORES) {
        wiped.add(down.site());
      }
    }
    return wiped;
  }

  private static Set<Fault> crashed(SimFaultPlan plan) {
    return plan.script().stream()
        .map(SimFaultPlan.Timed::fault)
        .filter(Fault.ClientCrash.class::isInstance)
        .collect(Collectors.toSet());
  }

  @Test
  void everyKindOfFaultIsPlannedAndNoneComesAfterTheEnd() {
    Set<Class<?>> kinds = new HashSet<>();
    for (long seed = 0; seed < 100; seed++) {
      for (SimFaultPlan.Timed timed : plan(seed, List.of("a", "b", "c")).script()) {
        kinds.add(timed.fault().getClass());
        assertThat(timed.at()).isBetween(Duration.ZERO, TIME);
      }
    }

    assertThat(kinds).containsExactlyInAnyOrder(Fault.class.getPermittedSubclasses());
  }

  @Test
  void theScriptIsInTheOrderOfTime() {
    SimFaultPlan plan =
        SimFaultPlan.none()
            .at(Duration.ofMillis(5), new Fault.SiteUp("a"))
            .at(Duration.ofMillis(2), new Fault.SiteDown("a", LostState.NOTHING));

    assertThat(plan.script()).extracting(t -> t.at().toMillis()).containsExactly(2L, 5L);
  }

  @Test
  void chancesAreFromZeroToOne() {
    assertThatIllegalArgumentException().isThrownBy(() -> MessageFaults.lossy(1.5));
    assertThatIllegalArgumentException().isThrownBy(() -> MessageFaults.lossy(Double.NaN));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                MessageFaults.reliable()
                    .withDelay(Duration.ofMillis(3), Duration.ZERO, Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> new Fault.Slow("a", 0));
  }
}
