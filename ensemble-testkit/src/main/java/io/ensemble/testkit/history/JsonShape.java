package io.ensemble.testkit.history;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.StreamSupport;

/** The shape of an argument or a result. */
public enum JsonShape {
  NULL("null"),
  VALUE("a value other than null"),
  ANY("a value or null"),
  BOOLEAN("true or false"),
  PAIR("[old,new]"),
  WHOLE("a whole number of 64 bits"),
  WHOLE_OR_NULL("a whole number of 64 bits, or null"),
  WHOLE_PAIR("[old,new], whole numbers of 64 bits"),
  SIZE("a number of entries"),
  ENTRIES("an object with a value other than null for each entry"),
  WORD("a word"),
  WHOLE_LIST("a list of whole numbers of 64 bits"),
  VERSIONED("[version,value], the version a whole number of 64 bits"),
  VERSIONED_OR_NULL("[version,value], or null"),
  VERSIONED_OR_WORD("[version,value], null or a word"),
  VERSIONED_LIST("a list of [version,value]"),
  SET("[value,version], the version a whole number of 64 bits or null"),
  WHOLE_OR_WORD("a whole number of 64 bits, or a word"),
  VERSIONS_WANTED("[from,to,limit,descending], from and to whole numbers or null");

  private final String description;

  JsonShape(String description) {
    this.description = description;
  }

  private boolean fits(JsonNode json) {
    return switch (this) {
      case NULL -> json.isNull();
      case VALUE -> !json.isNull();
      case ANY -> true;
      case BOOLEAN -> json.isBoolean();
      case PAIR -> json.isArray() && json.size() == 2;
      case WHOLE -> isWhole(json);
      case WHOLE_OR_NULL -> json.isNull() || isWhole(json);
      case WHOLE_PAIR ->
          json.isArray() && json.size() == 2 && isWhole(json.get(0)) && isWhole(json.get(1));
      case SIZE -> isWhole(json) && json.canConvertToInt() && json.intValue() >= 0;
      case ENTRIES -> isEntries(json);
      case WORD -> json.isTextual();
      case WHOLE_LIST -> isListOf(WHOLE, json);
      case VERSIONED ->
          json.isArray() && json.size() == 2 && isWhole(json.get(0)) && !json.get(1).isNull();
      case VERSIONED_OR_NULL -> json.isNull() || VERSIONED.fits(json);
      case VERSIONED_OR_WORD -> WORD.fits(json) || VERSIONED_OR_NULL.fits(json);
      case SET ->
          json.isArray()
              && json.size() == 2
              && !json.get(0).isNull()
              && WHOLE_OR_NULL.fits(json.get(1));
      case WHOLE_OR_WORD -> WORD.fits(json) || isWhole(json);
      case VERSIONED_LIST -> isListOf(VERSIONED, json);
      case VERSIONS_WANTED ->
          json.isArray()
              && json.size() == 4
              && WHOLE_OR_NULL.fits(json.get(0))
              && WHOLE_OR_NULL.fits(json.get(1))
              && SIZE.fits(json.get(2))
              && json.get(3).isBoolean();
    };
  }

  private static boolean isListOf(JsonShape shape, JsonNode json) {
    return json.isArray() && StreamSupport.stream(json.spliterator(), false).allMatch(shape::fits);
  }

  private static boolean isWhole(JsonNode json) {
    return json.isIntegralNumber() && json.canConvertToLong();
  }

  private static boolean isEntries(JsonNode json) {
    return json.isObject()
        && json.properties().stream().noneMatch(entry -> entry.getValue().isNull());
  }

  /**
   * Checks {@code in}, and {@code out} when the operation completed.
   *
   * @throws IllegalArgumentException with the expected shape and the actual value
   */
  public static void check(HistoryOperation operation, JsonShape in, JsonShape out) {
    in.check(operation, "in", operation.in());
    if (operation.outcome() == HistoryOutcome.OK) {
      out.check(operation, "out", operation.out());
    }
  }

  private void check(HistoryOperation operation, String field, JsonNode got) {
    if (!fits(got)) {
      throw new IllegalArgumentException(
          "expected " + description + " in " + field + " of " + operation.op() + ", got " + got);
    }
  }

  /** Refuses an operation that names an entry of an object that has none. */
  public static void refuseEntry(HistoryOperation operation, String object) {
    if (operation.entry() != null) {
      throw new IllegalArgumentException(
          "expected no k, for a " + object + " has no entries, got " + operation.entry());
    }
  }
}
