package io.ensemble.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.testkit.link.WanProfile;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoReportTest {

  @Test
  void itCanBeWrittenAsJson() throws Exception {
    DemoPlan plan = new DemoPlan(3, 1, WanProfile.NONE, 10, 1, 0);
    DemoReport report = new DemoReport(true, 1, plan, List.of(), List.of(), List.of());

    JsonNode json = JsonOutput.mapper().readTree(JsonOutput.mapper().writeValueAsString(report));

    assertThat(json.at("/plan/sites").asInt()).isEqualTo(3);
    assertThat(json.get("lines")).isEmpty();
  }
}
