package io.ensemble.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoStepsTest {

  private final List<String> shown = new ArrayList<>();
  private final DemoSteps steps = new DemoSteps(shown::add);

  @Test
  void aStepThatFailsIsReportedAndStopsTheRest() {
    steps.step("first", () -> "fine");

    assertThatThrownBy(
            () ->
                steps.step(
                    "second",
                    () -> {
                      throw new IOException("broken");
                    }))
        .isInstanceOf(DemoSteps.DemoStoppedException.class)
        .hasRootCauseMessage("broken");

    assertThat(steps.reports()).extracting(StepReport::ok).containsExactly(true, false);
    assertThat(steps.reports()).extracting(StepReport::detail).containsExactly("fine", "broken");
    assertThat(shown).containsExactly("first", "second");
  }

  @Test
  void whatAStepMakesIsHandedOn() {
    assertThat(steps.<Integer>make("make", () -> 7)).isEqualTo(7);
    assertThat(steps.reports()).singleElement().matches(StepReport::ok);
  }
}
