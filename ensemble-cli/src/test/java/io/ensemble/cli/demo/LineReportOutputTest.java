package io.ensemble.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cli.option.WanLinkOptions;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.WanProfile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineReportOutputTest {

  private final StringWriter text = new StringWriter();
  private final PrintWriter out = new PrintWriter(text, true);

  @Test
  void theDemoShowsWhatEachLineGaveBesideWhatWasAskedFor() {
    WanProfile wan = new WanProfile(Duration.ofMillis(15), 10_000_000);
    List<SiteLinkReport> lines =
        List.of(
            new SiteLinkReport("oslo", 15, 10, 15.71, 18.12, 9.82, 9.71),
            new SiteLinkReport("rome", 15, 0, 16.05, 22.40, 913.4, 871.23));

    DemoCommand.show(
        out,
        new DemoReport(true, 1, new DemoPlan(3, 1, wan, 10, 1, 0), lines, List.of(), List.of()));

    assertThat(row("oslo"))
        .containsSubsequence("15.0 ms, 10.0 Mbit/s", "15.71 ms", "18.12 ms", "9.82 ", "9.71 ");
    assertThat(row("rome"))
        .containsSubsequence("15.0 ms", "16.05 ms", "22.40 ms", "913.40 ", "871.23 ");
  }

  @Test
  void withoutAWideAreaNoLineIsShown() {
    WanLinkOptions.show(out, List.of());
    assertThat(text.toString()).isEmpty();
  }

  private String row(String site) {
    return text.toString().lines().filter(line -> line.contains(site)).findFirst().orElseThrow();
  }
}
