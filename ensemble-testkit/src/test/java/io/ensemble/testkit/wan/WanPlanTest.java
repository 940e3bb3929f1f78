package io.ensemble.testkit.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WanPlanTest {

  private static final PathProfile FAR = PathProfile.of(Duration.ofMillis(50));

  @Test
  void aPairIsTheSameInEitherOrder() {
    PathProfile farther = PathProfile.of(Duration.ofMillis(80));
    WanPlan plan = WanPlan.of(FAR, "lyon", "oslo", "rome").with("oslo", "lyon", farther);

    assertThat(plan.between("lyon", "oslo")).isEqualTo(farther);
    assertThat(plan.between("oslo", "lyon")).isEqualTo(farther);
    assertThat(plan.between("rome", "lyon")).isEqualTo(FAR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1a", "a-b", "a b", "a/b", "../a", "localhost"})
  void aNameThatCannotBeOneIsRefused(String name) {
    assertThatThrownBy(() -> WanPlan.of(FAR, name)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hostsThatAreTwiceThereOrNotAtAllAreRefused() {
    assertThatThrownBy(() -> WanPlan.of(FAR, "lyon", "Lyon")).hasMessageContaining("unique");
    assertThatThrownBy(() -> WanPlan.of(FAR)).hasMessageContaining("hosts");
    assertThatThrownBy(() -> WanPlan.of(FAR, "lyon").with("lyon", "oslo", FAR))
        .hasMessageContaining("no such hosts");
  }

  @Test
  void netemIsToldOfEachPart() {
    assertThat(NetemEmulator.netem(FAR)).isEqualTo("netem limit 32768 delay 25000us");
    assertThat(NetemEmulator.netem(new PathProfile(Duration.ofMillis(50), 10_000_000, 0.01)))
        .isEqualTo("netem limit 1000 delay 25000us loss 1.0000% rate 10000000bit");
    assertThat(NetemEmulator.netem(new PathProfile(Duration.ofMillis(200), 1_000_000_000, 0)))
        .isEqualTo("netem limit 25000 delay 100000us rate 1000000000bit");
  }
}
