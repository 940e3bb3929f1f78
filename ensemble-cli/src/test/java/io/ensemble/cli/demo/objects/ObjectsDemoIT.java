package io.ensemble.cli.demo.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.process.CommandException;
import io.ensemble.cli.demo.StepReport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The demonstration at a small size. */
class ObjectsDemoIT {

  @Test
  @Tag("nightly")
  void everyStepPassesWhileAProcessIsKilled() {
    ObjectsDemo.Report report = new ObjectsDemo(40, line -> {}).run();

    assertThat(report.steps()).allSatisfy(step -> assertThat(step.ok()).as("%s", step).isTrue());
    assertThat(report.ok()).isTrue();
    assertThat(report.steps())
        .extracting(StepReport::step)
        .contains("ada is killed while it holds the lock", "no job is lost or done twice");
  }

  @Test
  void tooFewJobsToShowAnythingAreRefused() {
    assertThatThrownBy(() -> new ObjectsDemo(5, line -> {}))
        .isInstanceOf(CommandException.class)
        .hasMessage("--jobs must be in [20, 100000]; got 5");
  }
}
