package io.ensemble.check.process;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.PrintWriter;

/** JSON documents as all commands write them: indented, names in snake_case, null when unknown. */
public final class JsonOutput {

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .setDefaultPropertyInclusion(JsonInclude.Include.ALWAYS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(SerializationFeature.INDENT_OUTPUT);

  private JsonOutput() {}

  /** The common mapper, for readers. */
  public static ObjectMapper mapper() {
    return JSON;
  }

  /**
   * The document of a failed command.
   *
   * @param error the failure in one line
   * @param exitCode one of {@link ExitCode}
   */
  public record FailureDocument(String error, int exitCode) {}

  /** Writes {@code document} and ends the line. */
  public static void json(PrintWriter out, Object document) {
    try {
      out.println(JSON.writeValueAsString(document));
      out.flush();
    } catch (JsonProcessingException e) {
      throw new AssertionError("documents are records of plain values: " + document, e);
    }
  }
}
