package io.ensemble.testkit.wan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunTest {

  @Test
  void aNamespaceTellsItsRun() {
    Run run = Run.next();

    assertThat(Run.of(run.namespace("lyon"))).contains(run);
    assertThat(Run.next()).isNotEqualTo(run);
  }

  @Test
  void aNumberIsNotEnoughToBeTheOwner() {
    Run run = Run.next();

    assertThat(run.isOwned()).isTrue();
    assertThat(new Run(run.pid(), run.beganTicks() - 1, run.number()).isOwned()).isFalse();
    assertThat(new Run(Integer.MAX_VALUE, run.beganTicks(), 1).isOwned()).isFalse();
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
    assertThat(Run.of(name)).isEmpty();
  }
}
