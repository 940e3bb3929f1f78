package io.ensemble.check.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;

/** Records as JSON, one per line. */
public final class JsonLines {
  private static final ObjectWriter WRITER =
      JsonOutput.mapper().writer().without(SerializationFeature.INDENT_OUTPUT);

  private JsonLines() {}

  public static String json(Object document) {
    try {
      return WRITER.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new AssertionError("lines are records of plain values: " + document, e);
    }
  }
}
