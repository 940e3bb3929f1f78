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
  private final String prefix;

  private JsonFields(JsonNode object, String prefix, Set<String> allowed) {
    this.object = object;
    this.prefix = prefix;
    object
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!allowed.contains(name)) {
                throw Problem.invalid(
                    prefix + Problem.abbreviate(name),
                    "one of " + new TreeSet<>(allowed),
                    "the field '%s'".formatted(Problem.abbreviate(name)));
              }
            });
  }

  /**
   * Reads the body of a request.
   *
   * @param allowed the permitted fields
   * @throws ProblemException if the body is not a JSON object with only these fields, or declares
   *     another media type
   */
  public static JsonFields of(AuthorizedRequest authorizedRequest, String... allowed) {
    String type = authorizedRequest.head().header("Content-Type").orElse("application/json");
    String mediaType = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (!mediaType.equals("application/json") && !mediaType.endsWith("+json")) {
      throw new ProblemException(
          Problem.mismatch(ProblemType.UNSUPPORTED_TYPE, "application/json", type));
    }
    return of(
        authorizedRequest.body().length == 0
            ? "{}".getBytes(StandardCharsets.UTF_8)
            : authorizedRequest.body(),
        allowed);
  }

  /** Reads an object with only the permitted fields from bytes. */
  public static JsonFields of(byte[] json, String... allowed) {
    return object(StrictJson.parse(json), "", allowed);
  }

  private static JsonFields object(JsonNode node, String prefix, String... allowed) {
    if (!node.isObject()) {
      throw Problem.invalid(prefix.isEmpty() ? "(body)" : prefix, "an object", kind(node));
    }
    return new JsonFields(node, prefix.isEmpty() ? "" : prefix + ".", Set.of(allowed));
  }

  /** The field's full name. */
  public String fullName(String name) {
    return prefix + name;
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
    return node(name).map(node -> text(fullName(name), node));
  }

  /** A required text field. */
  public String needed(String name) {
    return text(name).orElseThrow(() -> Problem.invalid(fullName(name), "a string", "nothing"));
  }

  private static String text(String field, JsonNode node) {
    if (!node.isTextual()) {
      throw Problem.invalid(field, "a string", kind(node));
    }
    return requireUtf8(field, node.textValue());
  }

  private static String requireUtf8(String field, String text) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw Problem.invalid(
          field, "a string that can be encoded in UTF-8", "an unpaired surrogate");
    }
    return text;
  }

  /** A whole number within bounds. */
  public OptionalInt integer(String name, int min, int max) {
    OptionalLong found = number(name, min, max);
    return found.isPresent() ? OptionalInt.of((int) found.getAsLong()) : OptionalInt.empty();
  }

  /** A whole number within bounds, as a long. */
  public OptionalLong number(String name, long min, long max) {
    Optional<JsonNode> node = node(name);
    if (node.isEmpty()) {
      return OptionalLong.empty();
    }
    JsonNode value = node.get();
    if (!value.canConvertToExactIntegral() // 42.0 is a whole number, too.
        || !value.canConvertToLong()
        || value.longValue() < min
        || value.longValue() > max) {
      throw Problem.invalid(
          fullName(name),
          "an integer from %d to %d".formatted(min, max),
          value.isNumber() ? value.asText() : kind(value));
    }
    return OptionalLong.of(value.longValue());
  }

  /** A required whole number within bounds. */
  public long neededNumber(String name, long min, long max) {
    return number(name, min, max)
        .orElseThrow(() -> Problem.invalid(fullName(name), "an integer", "nothing"));
  }

  /** A duration in milliseconds. */
  public Optional<Duration> millis(String name, long max) {
    OptionalLong found = number(name, 0, max);
    return found.isPresent() ? Optional.of(Duration.ofMillis(found.getAsLong())) : Optional.empty();
  }

  /** A boolean field. */
  public Optional<Boolean> flag(String name) {
    return node(name)
        .map(
            node -> {
              if (!node.isBoolean()) {
                throw Problem.invalid(fullName(name), "true or false", kind(node));
              }
              return node.booleanValue();
            });
  }

  /** A list of texts. */
  public Optional<List<String>> texts(String name, int max) {
    return elements(name, max)
        .map(
            nodes -> {
              List<String> texts = new ArrayList<>();
              for (int i = 0; i < nodes.size(); i++) {
                texts.add(text("%s[%d]".formatted(fullName(name), i), nodes.get(i)));
              }
              return List.copyOf(texts);
            });
  }

  /** A list of objects. */
  public Optional<List<JsonFields>> objects(String name, int max, String... allowed) {
    return elements(name, max)
        .map(
            nodes -> {
              List<JsonFields> objects = new ArrayList<>();
              for (int i = 0; i < nodes.size(); i++) {
                objects.add(object(nodes.get(i), "%s[%d]".formatted(fullName(name), i), allowed));
              }
              return List.copyOf(objects);
            });
  }

  private Optional<List<JsonNode>> elements(String name, int max) {
    return node(name)
        .map(
            node -> {
              if (!node.isArray()) {
                throw Problem.invalid(fullName(name), "a list", kind(node));
              }
              if (node.size() > max) {
                throw Problem.invalid(
                    fullName(name),
                    "at most %d elements".formatted(max),
                    node.size() + " elements");
              }
              List<JsonNode> elements = new ArrayList<>();
              node.forEach(elements::add);
              return elements;
            });
  }

  /** An object with the permitted fields. */
  public Optional<JsonFields> object(String name, String... allowed) {
    return node(name).map(node -> object(node, fullName(name), allowed));
  }

  /** An object with values that are texts, numbers or booleans, all returned as texts. */
  public Optional<Map<String, String>> map(String name) {
    return node(name)
        .map(
            node -> {
              if (!node.isObject()) {
                throw Problem.invalid(fullName(name), "an object", kind(node));
              }
              Map<String, String> values = new TreeMap<>();
              node.properties()
                  .forEach(
                      field -> {
                        if (!field.getValue().isValueNode() || field.getValue().isNull()) {
                          throw Problem.invalid(
                              fullName(name) + "." + Problem.abbreviate(field.getKey()),
                              "a string",
                              kind(field.getValue()));
                        }
                        values.put(
                            requireUtf8(fullName(name), field.getKey()),
                            requireUtf8(fullName(name), field.getValue().asText()));
                      });
              return values;
            });
  }

  /** A constant of an enumeration, regardless of case. */
  public <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
    return text(name)
        .map(
            text -> {
              for (E constant : type.getEnumConstants()) {
                if (constant.name().equalsIgnoreCase(text)) {
                  return constant;
                }
              }
              throw Problem.invalid(
                  fullName(name), "one of " + List.of(type.getEnumConstants()), "'" + text + "'");
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
