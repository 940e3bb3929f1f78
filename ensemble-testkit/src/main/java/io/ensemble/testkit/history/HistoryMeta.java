package io.ensemble.testkit.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a history was recorded; stored next to it in {@code FILE.meta.json}. Immutable.
 *
 * @param seed the seed that replays the run
 * @param mode the consistency mode of the caches
 * @param sites the names of the sites
 * @param faults the faults injected, with times on the history's clock
 * @param version the version of Ensemble that ran
 * @param commit the commit that it was built from
 */
public record HistoryMeta(
    long seed, String mode, List<String> sites, List<Fault> faults, String version, String commit) {

  /**
   * A fault injected into the run.
   *
   * @param atNanos the time of the fault on the history's clock, in nanoseconds
   * @param what the fault, such as {@code cut lyon}
   */
  public record Fault(long atNanos, String what) {}

  /** Copies the lists. */
  public HistoryMeta {
    sites = List.copyOf(sites);
    faults = List.copyOf(faults);
  }

  /**
   * The path of the description of {@code history}: the name of the history with a suffix, in the
   * same directory.
   */
  public static Path beside(Path history) {
    return history.resolveSibling(history.getFileName() + ".meta.json");
  }

  /** Writes this description next to {@code history}. */
  public void writeBeside(Path history) throws IOException {
    ObjectNode json = JsonValues.MAPPER.createObjectNode();
    json.put("seed", seed).put("mode", mode);
    ArrayNode names = json.putArray("sites");
    sites.forEach(names::add);
    ArrayNode injected = json.putArray("faults");
    faults.forEach(f -> injected.addObject().put("at_ns", f.atNanos()).put("what", f.what()));
    json.put("version", version).put("commit", commit);
    String text = JsonValues.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json);
    Files.writeString(beside(history), text + "\n");
  }

  /**
   * Reads the description next to {@code history}. Unknown fields are ignored.
   *
   * @throws IOException if there is no such file, or it cannot be read
   * @throws IllegalArgumentException if a field is missing or of another type; the message names
   *     the field
   */
  public static HistoryMeta readBeside(Path history) throws IOException {
    Path file = beside(history);
    JsonNode json;
    try {
      json = JsonValues.MAPPER.readTree(Files.readString(file));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          file
              + ": expected a JSON object, got text that is not "
              + "JSON: "
              + e.getOriginalMessage(),
          e);
    }
    List<String> sites = new ArrayList<>();
    array(file, json, "sites").forEach(site -> sites.add(site.asText()));
    List<Fault> faults = new ArrayList<>();
    for (JsonNode fault : array(file, json, "faults")) {
      faults.add(new Fault(integer(file, fault, "at_ns"), string(file, fault, "what")));
    }
    return new HistoryMeta(
        integer(file, json, "seed"),
        string(file, json, "mode"),
        sites,
        faults,
        string(file, json, "version"),
        string(file, json, "commit"));
  }

  private static long integer(Path file, JsonNode json, String name) {
    JsonNode value = json.path(name);
    if (!(value.canConvertToLong() && value.isIntegralNumber())) {
      throw unexpected(file, name, "an integer", value);
    }
    return value.longValue();
  }

  private static String string(Path file, JsonNode json, String name) {
    JsonNode value = json.path(name);
    if (!value.isTextual()) {
      throw unexpected(file, name, "a string", value);
    }
    return value.textValue();
  }

  private static JsonNode array(Path file, JsonNode json, String name) {
    JsonNode value = json.path(name);
    if (!value.isArray()) {
      throw unexpected(file, name, "an array", value);
    }
    return value;
  }

  private static IllegalArgumentException unexpected(
      Path file, String name, String wanted, JsonNode got) {
    return new IllegalArgumentException(
        "%s: expected %s in %s, got %s"
            .formatted(file, wanted, name, got.isMissingNode() ? "nothing" : got));
  }
}
