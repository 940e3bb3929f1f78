package io.ensemble.testkit.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.Mode;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.HistoryNote.ChangeReceived;
import io.ensemble.testkit.history.HistoryNote.GapReceived;
import io.ensemble.testkit.history.HistoryNote.StampReturned;
import io.ensemble.testkit.history.HistoryNote.StreamEnded;
import io.ensemble.testkit.history.HistoryNote.StreamOpened;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One note as one line of JSON, which has the field {@code kind}. */
final class NoteLine {
  private static final String KIND = "kind";
  private static final int WRITER_DIGITS = 32;

  private final ObjectNode json;

  private NoteLine(ObjectNode json) {
    this.json = json;
  }

  /**
   * Reads one line.
   *
   * @return the note; null if the line has no field {@code kind}, so that it is an operation or
   *     malformed
   * @throws IllegalArgumentException with the accepted form and the actual value
   */
  static @Nullable HistoryNote parse(String text) {
    if (!text.contains("\"kind\"")) {
      return null; // Most lines are operations, which are parsed once.
    }
    try {
      JsonNode json = JsonValues.MAPPER.readTree(text);
      return json instanceof ObjectNode object && object.has(KIND)
          ? new NoteLine(object).note()
          : null;
    } catch (JsonProcessingException malformed) {
      return null; // The parser of operations reports it.
    }
  }

  private HistoryNote note() {
    String kind = string(KIND);
    return switch (kind) {
      case "opened" -> opened();
      case "change" -> change();
      case "gap" -> gap();
      case "ended" -> ended();
      case "stamp" -> stamp();
      default ->
          throw new IllegalArgumentException(
              "expected opened, change, gap, ended or stamp in kind, got " + kind);
    };
  }

  private HistoryNote opened() {
    requireOnly("listener", "stream", "mode", "from", "call_ns", "ready_ns");
    JsonNode from = required("from");
    boolean isResumed = from.isArray() && from.size() == 2;
    if (!isResumed && !from.isNull()) {
      throw expected("null or [stream,number]", "from", from);
    }
    return new StreamOpened(
        integer("listener"),
        integer("stream"),
        constant(Mode.class, "mode"),
        isResumed ? (Long) integer("from", from.get(0)) : null,
        isResumed ? integer("from", from.get(1)) : 0,
        integer("call_ns"),
        integer("ready_ns"));
  }

  private HistoryNote change() {
    requireOnly("stream", "number", "key", "change", "value", "stamp", "at_ns");
    return new ChangeReceived(
        integer("stream"),
        integer("number"),
        string("key"),
        constant(Kind.class, "change"),
        required("value"),
        changeStamp("stamp"),
        integer("at_ns"));
  }

  private HistoryNote gap() {
    requireOnly("stream", "number", "reason", "key", "after", "before", "missed", "at_ns");
    return new GapReceived(
        integer("stream"),
        integer("number"),
        constant(GapReason.class, "reason"),
        required("key").isNull() ? null : string("key"),
        changeStamp("after"),
        changeStamp("before"),
        integerOrNull("missed"),
        integer("at_ns"));
  }

  private HistoryNote ended() {
    requireOnly("stream", "covers_ns", "at_ns");
    return new StreamEnded(integer("stream"), integerOrNull("covers_ns"), integer("at_ns"));
  }

  private HistoryNote stamp() {
    requireOnly("client", "call_ns", "stamp");
    return new StampReturned(
        integer("client"), integer("call_ns"), stamp("stamp", string("stamp")));
  }

  private void requireOnly(String... fields) {
    Set<String> unknown = new TreeSet<>();
    json.fieldNames().forEachRemaining(unknown::add);
    List<String> known = new ArrayList<>(Arrays.asList(fields));
    known.add(0, KIND);
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "expected only the fields " + String.join(", ", known) + ", got " + unknown);
    }
  }

  private JsonNode required(String field) {
    JsonNode value = json.get(field);
    if (value == null) {
      throw new IllegalArgumentException("expected the field " + field + ", got none");
    }
    return value;
  }

  private String string(String field) {
    JsonNode value = required(field);
    if (!value.isTextual()) {
      throw expected("a string", field, value);
    }
    return value.textValue();
  }

  private long integer(String field) {
    return integer(field, required(field));
  }

  private static long integer(String field, JsonNode value) {
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw expected("an integer", field, value);
    }
    return value.longValue();
  }

  private @Nullable Long integerOrNull(String field) {
    JsonNode value = required(field);
    return value.isNull() ? null : (Long) integer(field, value);
  }

  private <E extends Enum<E>> E constant(Class<E> type, String field) {
    String text = string(field);
    for (E one : type.getEnumConstants()) {
      if (word(one).equals(text)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "expected one of %s in %s, got %s"
            .formatted(
                Arrays.stream(type.getEnumConstants()).map(NoteLine::word).toList(), field, text));
  }

  private ChangeStamp changeStamp(String field) {
    String text = string(field);
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw expectedStamp("CONFIGURATION:MICROS@WRITER", field, text);
    }
    try {
      long configuration = Long.parseLong(text.substring(0, colon));
      return new ChangeStamp(configuration, stamp(field, text.substring(colon + 1)));
    } catch (NumberFormatException malformed) {
      throw expectedStamp("CONFIGURATION:MICROS@WRITER", field, text);
    }
  }

  private static Stamp stamp(String field, String text) {
    int at = text.indexOf('@');
    if (at < 0 || text.length() - at - 1 != WRITER_DIGITS) {
      throw expectedStamp("MICROS@WRITER", field, text);
    }
    int middle = at + 1 + WRITER_DIGITS / 2;
    try {
      return new Stamp(
          Long.parseLong(text.substring(0, at)),
          new WriterId(
              Long.parseUnsignedLong(text.substring(at + 1, middle), 16),
              Long.parseUnsignedLong(text.substring(middle), 16)));
    } catch (NumberFormatException malformed) {
      throw expectedStamp("MICROS@WRITER", field, text);
    }
  }

  private static IllegalArgumentException expectedStamp(String form, String field, String got) {
    return new IllegalArgumentException("expected " + form + " in " + field + ", got " + got);
  }

  private static IllegalArgumentException expected(String form, String field, JsonNode got) {
    return new IllegalArgumentException("expected " + form + " in " + field + ", got " + got);
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** The line of a note, without its end. */
  static String text(HistoryNote note) {
    ObjectNode json = JsonValues.MAPPER.createObjectNode();
    if (note instanceof StreamOpened opened) {
      json.put(KIND, "opened").put("listener", opened.listener()).put("stream", opened.stream());
      json.put("mode", word(opened.mode()));
      if (opened.fromStream() == null) {
        json.putNull("from");
      } else {
        json.putArray("from").add(opened.fromStream()).add(opened.fromNumber());
      }
      json.put("call_ns", opened.callNanos()).put("ready_ns", opened.readyNanos());
    } else if (note instanceof ChangeReceived change) {
      json.put(KIND, "change").put("stream", change.stream()).put("number", change.number());
      json.put("key", change.key()).put("change", word(change.change()));
      json.set("value", change.value());
      json.put("stamp", change.stamp().toString()).put("at_ns", change.receivedNanos());
    } else if (note instanceof GapReceived gap) {
      json.put(KIND, "gap").put("stream", gap.stream()).put("number", gap.number());
      json.put("reason", word(gap.reason())).put("key", gap.key());
      json.put("after", gap.after().toString()).put("before", gap.before().toString());
      json.put("missed", gap.missed()).put("at_ns", gap.receivedNanos());
    } else if (note instanceof StreamEnded ended) {
      json.put(KIND, "ended").put("stream", ended.stream());
      json.put("covers_ns", ended.coversNanos()).put("at_ns", ended.endNanos());
    } else if (note instanceof StampReturned stamp) {
      json.put(KIND, "stamp").put("client", stamp.client()).put("call_ns", stamp.callNanos());
      json.put("stamp", stamp.stamp().toString());
    }
    return json.toString();
  }
}
