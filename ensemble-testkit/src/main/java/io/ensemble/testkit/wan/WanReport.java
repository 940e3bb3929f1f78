package io.ensemble.testkit.wan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The measured properties of an emulation.
 *
 * @param wire the kind of emulation: {@code netem}, or {@code tun} for the delayer
 * @param hosts the hosts' names and addresses, in the plan's order
 * @param pairs the report of every pair
 */
public record WanReport(String wire, Map<String, String> hosts, List<HostPairReport> pairs) {

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT);

  /** As JSON, names in snake_case. */
  public String json() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new AssertionError("a report is a record of plain values: " + this, e);
    }
  }

  /**
   * Writes the report to a file, next to a result.
   *
   * @throws IOException if it cannot be written
   */
  public void write(Path file) throws IOException {
    Files.writeString(file, json() + "\n");
  }
}
