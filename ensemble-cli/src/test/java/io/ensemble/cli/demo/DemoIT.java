package io.ensemble.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.WanProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The demonstration at a small size. */
class DemoIT {

  @Test
  void everyStepPassesWhileASiteDiesAndReturns() {
    DemoPlan plan = new DemoPlan(3, 1, new WanProfile(Duration.ofMillis(2), 0), 200, 1, 0);
    List<String> shown = Collections.synchronizedList(new ArrayList<>());

    DemoReport report = new Demo(plan, new YcsbRuns(null, plan), shown::add).run();

    assertThat(report.steps()).allSatisfy(step -> assertThat(step.ok()).as("%s", step).isTrue());
    assertThat(report.ok()).isTrue();
    assertThat(report.steps())
        .extracting(StepReport::step)
        .contains(
            "kill the whole site rome",
            "use the caches without it: orders-weak",
            "refill rome: orders-mwmr",
            "read from rome: orders-weak",
            "read from rome: orders-mwmr");
    assertThat(shown).contains("site rome killed", "site rome up");
    assertThat(report.lines()).extracting(SiteLinkReport::site).containsExactly("oslo", "rome");
    assertThat(report.lines())
        .allSatisfy(
            line -> {
              assertThat(line.wantedRoundTripMillis()).isEqualTo(2);
              assertThat(line.roundTripP50Millis()).isGreaterThanOrEqualTo(2);
            });
  }
}
