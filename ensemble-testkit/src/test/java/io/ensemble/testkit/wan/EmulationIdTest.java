package io.ensemble.testkit.wan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmulationIdTest {

  @Test
  void aNamespaceTellsItsRun() {
    EmulationId run = EmulationId.next();

    assertThat(EmulationId.of(run.namespace("lyon"))).contains(run);
    assertThat(EmulationId.next()).isNotEqualTo(run);
  }

  @Test
  void aNumberIsNotEnoughToBeTheOwner() {
    EmulationId run = EmulationId.next();

    assertThat(run.isOwned()).isTrue();
    assertThat(new EmulationId(run.pid(), run.beganTicks() - 1, run.number()).isOwned()).isFalse();
    assertThat(new EmulationId(Integer.MAX_VALUE, run.beganTicks(), 1).isOwned()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lyon",
        "ensemble-wan-1-2-lyon",
        "ensemble-wan-1-2-3-",
        "my-ensemble-wan-1-2-3-lyon"
      })
  void namespacesOfOthersAreNone(String name) {
    assertThat(EmulationId.of(name)).isEmpty();
  }
}
