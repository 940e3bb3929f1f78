package io.ensemble.deploy.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.ensemble.deploy.JsonOutput;

/** Records as JSON, one on a line. */
final class JsonLines {
  private static final ObjectWriter WRITER =
      JsonOutput.mapper().writer().without(SerializationFeature.INDENT_OUTPUT);

  private JsonLines() {}

  static String json(Object document) {
    try {
      return WRITER.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new AssertionError("lines are records of plain values: " + document, e);
    }
  }
}
