package io.ensemble.rest.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The fields of a JSON object, read one by one. Each failure names the field, the expected value
 * and the actual one. A field with the value null counts as absent.
 */
public final class JsonFields {

  private final JsonNode object;
  private final String within;

  private JsonFields(JsonNode object, String within, Set<String> known) {
    this.object = object;
    this.within = within;
    object
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name)) {
                throw Problem.invalid(
                    within + Problem.shown(name),
                    "one of " + new TreeSet<>(known),
                    "the field '%s'".formatted(Problem.shown(name)));
              }
            });
  }

  /**
   * Reads the body of a request.
   *
   * @param known the permitted fields
   * @throws ProblemException if the body is not a JSON object with only these fields, or declares
   *     another media type
   */
  public static JsonFields of(AuthorizedRequest authorizedRequest, String... known) {
    String type = authorizedRequest.head().header("Content-Type").orElse("application/json");
    String bare = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (!bare.equals("application/json") && !bare.endsWith("+json")) {
      throw new ProblemException(
          Problem.other(ProblemType.UNSUPPORTED_TYPE, "application/json", type));
    }
    return of(
        authorizedRequest.body().length == 0
            ? "{}".getBytes(StandardCharsets.UTF_8)
            : authorizedRequest.body(),
        known);
  }

  /** Reads an object with only the permitted fields from bytes. */
  public static JsonFields of(byte[] json, String... known) {
    return object(StrictJson.parse(json), "", known);
  }

  private static JsonFields object(JsonNode node, String within, String... known) {
    if (!node.isObject()) {
      throw Problem.invalid(within.isEmpty() ? "(body)" : within, "an object", kind(node));
    }
    return new JsonFields(node, within.isEmpty() ? "" : within + ".", Set.of(known));
  }

  /** The field's full name. */
  public String full(String name) {
    return within + name;
  }

  private Optional<JsonNode> node(String name) {
    JsonNode node = object.get(name);
    return node == null || node.isNull() ? Optional.empty() : Optional.of(node);
  }

  /** Whether the field is present. */
  public boolean has(String name) {
    return node(name).isPresent();
  }

  /** A text field. */
  public Optional<String> text(String name) {
    return node(name).map(node -> text(full(name), node));
  }

  /** A required text field. */
  public String needed(String name) {
    return text(name).orElseThrow(() -> Problem.invalid(full(name), "a string", "nothing"));
  }

  private static String text(String field, JsonNode node) {
    if (!node.isTextual()) {
      throw Problem.invalid(field, "a string", kind(node));
    }
    return whole(field, node.textValue());
  }

  private static String whole(String field, String text) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw Problem.invalid(
          field, "a string that can be encoded in UTF-8", "an unpaired surrogate");
    }
    return text;
  }

  /** A whole number within bounds. */
  public OptionalInt integer(String name, int least, int most) {
    OptionalLong found = number(name, least, most);
    return found.isPresent() ? OptionalInt.of((int) found.getAsLong()) : OptionalInt.empty();
  }

  /** A whole number within bounds, as a long. */
  public OptionalLong number(String name, long least, long most) {
    Optional<JsonNode> node = node(name);
    if (node.isEmpty()) {
      return OptionalLong.empty();
    }
    JsonNode there = node.get();
    if (!there.canConvertToExactIntegral() // 42.0 is a whole number, too.
        || !there.canConvertToLong()
        || there.longValue() < least
        || there.longValue() > most) {
      throw Problem.invalid(
          full(name),
          "an integer from %d to %d".formatted(least, most),
          there.isNumber() ? there.asText() : kind(there));
    }
    return OptionalLong.of(there.longValue());
  }

  /** A duration in milliseconds. */
  public Optional<Duration> millis(String name, long most) {
    OptionalLong found = number(name, 0, most);
    return found.isPresent() ? Optional.of(Duration.ofMillis(found.getAsLong())) : Optional.empty();
  }

  /** A boolean field. */
  public Optional<Boolean> flag(String name) {
    return node(name)
        .map(
            node -> {
              if (!node.isBoolean()) {
                throw Problem.invalid(full(name), "true or false", kind(node));
              }
              return node.booleanValue();
            });
  }

  /** A list of texts. */
  public Optional<List<String>> texts(String name, int most) {
    return elements(name, most)
        .map(
            nodes -> {
              List<String> all = new ArrayList<>();
              for (int i = 0; i < nodes.size(); i++) {
                all.add(text("%s[%d]".formatted(full(name), i), nodes.get(i)));
              }
              return List.copyOf(all);
            });
  }

  /** A list of objects. */
  public Optional<List<JsonFields>> objects(String name, int most, String... known) {
    return elements(name, most)
        .map(
            nodes -> {
              List<JsonFields> all = new ArrayList<>();
              for (int i = 0; i < nodes.size(); i++) {
                all.add(object(nodes.get(i), "%s[%d]".formatted(full(name), i), known));
              }
              return List.copyOf(all);
            });
  }

  private Optional<List<JsonNode>> elements(String name, int most) {
    return node(name)
        .map(
            node -> {
              if (!node.isArray()) {
                throw Problem.invalid(full(name), "a list", kind(node));
              }
              if (node.size() > most) {
                throw Problem.invalid(
                    full(name), "at most %d elements".formatted(most), node.size() + " elements");
              }
              List<JsonNode> all = new ArrayList<>();
              node.forEach(all::add);
              return all;
            });
  }

  /** An object with the permitted fields. */
  public Optional<JsonFields> object(String name, String... known) {
    return node(name).map(node -> object(node, full(name), known));
  }

  /** An object with values that are texts, numbers or booleans, all returned as texts. */
  public Optional<Map<String, String>> map(String name) {
    return node(name)
        .map(
            node -> {
              if (!node.isObject()) {
                throw Problem.invalid(full(name), "an object", kind(node));
              }
              Map<String, String> all = new TreeMap<>();
              node.properties()
                  .forEach(
                      field -> {
                        if (!field.getValue().isValueNode() || field.getValue().isNull()) {
                          throw Problem.invalid(
                              full(name) + "." + Problem.shown(field.getKey()),
                              "a string",
                              kind(field.getValue()));
                        }
                        all.put(
                            whole(full(name), field.getKey()),
                            whole(full(name), field.getValue().asText()));
                      });
              return all;
            });
  }

  /** A constant of an enumeration, regardless of case. */
  public <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
    return text(name)
        .map(
            text -> {
              for (E one : type.getEnumConstants()) {
                if (one.name().equalsIgnoreCase(text)) {
                  return one;
                }
              }
              throw Problem.invalid(
                  full(name), "one of " + List.of(type.getEnumConstants()), "'" + text + "'");
            });
  }

  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case ARRAY -> "a list";
      case BOOLEAN -> "true or false";
      case NUMBER -> "a number";
      case OBJECT -> "an object";
      case STRING -> "a string";
      default -> "nothing";
    };
  }
}
