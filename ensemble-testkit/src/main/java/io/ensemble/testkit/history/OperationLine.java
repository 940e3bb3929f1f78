package io.ensemble.testkit.history;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One operation as one line of JSON. */
final class OperationLine {
  private boolean clientSeen;
  private boolean returnSeen;
  private boolean callSeen;
  private long client;
  private long callNanos;
  private @Nullable Long returnNanos;
  private @Nullable String key;
  private @Nullable String op;
  private @Nullable String entry;
  private @Nullable JsonNode in;
  private @Nullable JsonNode out;
  private @Nullable HistoryOutcome outcome;

  private OperationLine() {}

  /**
   * Reads one line.
   *
   * @throws IllegalArgumentException with the accepted form and the actual value
   */
  static HistoryOperation parse(String text) {
    try (JsonParser parser = JsonValues.MAPPER.createParser(text)) {
      OperationLine line = new OperationLine();
      line.readObject(parser);
      return line.operation();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "expected one JSON object, got text that is not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new AssertionError("reading a string does no input", e);
    }
  }

  private void readObject(JsonParser parser) throws IOException {
    JsonToken first = parser.nextToken();
    if (first != JsonToken.START_OBJECT) {
      throw new IllegalArgumentException(
          "expected one JSON object, got " + (first == null ? "an empty line" : first));
    }
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String field = parser.currentName();
      parser.nextToken();
      readField(field, parser);
    }
    if (parser.nextToken() != null) {
      throw new IllegalArgumentException(
          "expected the end of the line after one JSON object, got " + parser.currentToken());
    }
  }

  private void readField(String field, JsonParser parser) throws IOException {
    switch (field) {
      case "client" -> {
        client = integer(field, "an integer", parser);
        clientSeen = true;
      }
      case "key" -> key = string(field, parser);
      case "op" -> op = string(field, parser);
      case "k" -> entry = string(field, parser);
      case "in" -> in = JsonValues.MAPPER.readTree(parser);
      case "out" -> out = JsonValues.MAPPER.readTree(parser);
      case "call_ns" -> {
        callNanos = integer(field, "an integer", parser);
        callSeen = true;
      }
      case "return_ns" -> {
        boolean absent = parser.currentToken() == JsonToken.VALUE_NULL;
        returnNanos = absent ? null : (Long) integer(field, "an integer or null", parser);
        returnSeen = true;
      }
      case "ok" -> outcome = outcome(parser);
      default ->
          throw new IllegalArgumentException(
              "expected only the fields client, key, k, op, in, out, call_ns, return_ns and ok, "
                  + "got "
                  + field);
    }
  }

  private static long integer(String field, String wanted, JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw unexpected(field, wanted, parser);
    }
    return parser.getLongValue();
  }

  private static String string(String field, JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      throw unexpected(field, "a string", parser);
    }
    return parser.getText();
  }

  private static HistoryOutcome outcome(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_TRUE) {
      return HistoryOutcome.OK;
    }
    if (parser.currentToken() == JsonToken.VALUE_FALSE) {
      return HistoryOutcome.REFUSED;
    }
    if (parser.currentToken() == JsonToken.VALUE_STRING && parser.getText().equals("unknown")) {
      return HistoryOutcome.UNKNOWN;
    }
    throw unexpected("ok", "true, false or \"unknown\"", parser);
  }

  private static IllegalArgumentException unexpected(String field, String wanted, JsonParser parser)
      throws IOException {
    JsonNode got = JsonValues.MAPPER.readTree(parser);
    return new IllegalArgumentException("expected " + wanted + " in " + field + ", got " + got);
  }

  private HistoryOperation operation() {
    if (!clientSeen) {
      throw missing("client");
    }
    if (!callSeen) {
      throw missing("call_ns");
    }
    if (!returnSeen) {
      throw missing("return_ns");
    }
    return new HistoryOperation(
        client,
        present("key", key),
        present("op", op),
        entry,
        present("in", in),
        present("out", out),
        callNanos,
        returnNanos,
        present("ok", outcome));
  }

  private static <T> T present(String field, @Nullable T value) {
    if (value == null) {
      throw missing(field);
    }
    return value;
  }

  private static IllegalArgumentException missing(String field) {
    return new IllegalArgumentException(
        "expected the field " + field + ", got an object without it");
  }

  /** Writes one line, without its end. */
  static void write(HistoryOperation operation, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeNumberField("client", operation.client());
    json.writeStringField("key", operation.key());
    if (operation.entry() != null) {
      json.writeStringField("k", operation.entry());
    }
    json.writeStringField("op", operation.op());
    json.writeFieldName("in");
    json.writeTree(operation.in());
    json.writeFieldName("out");
    json.writeTree(operation.outcome() == HistoryOutcome.OK ? operation.out() : NullNode.instance);
    json.writeNumberField("call_ns", operation.callNanos());
    Long returned = operation.returnNanos();
    if (returned == null) {
      json.writeNullField("return_ns");
    } else {
      json.writeNumberField("return_ns", returned);
    }
    switch (operation.outcome()) {
      case OK -> json.writeBooleanField("ok", true);
      case REFUSED -> json.writeBooleanField("ok", false);
      case UNKNOWN -> json.writeStringField("ok", "unknown");
    }
    json.writeEndObject();
  }
}
