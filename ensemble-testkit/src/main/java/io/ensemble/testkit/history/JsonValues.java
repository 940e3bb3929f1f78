package io.ensemble.testkit.history;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes JSON values, so that {@code equals} is JSON equality. The numbers 5, 5.0 and 5e0 are
 * equal, whatever Java type they came from, and the order of an object's fields does not count.
 */
public final class JsonValues {
  /** Refuses a field given twice; keeps decimals exact. */
  static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(com.fasterxml.jackson.databind.DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

  /** Whole numbers with more digits stay decimals, so that 1e999999999 is not written out. */
  private static final int MOST_TRAILING_ZEROS = 1_000;

  private JsonValues() {}

  /**
   * The JSON value of a Java object: null, a {@link JsonNode}, or any object that Jackson can
   * convert.
   */
  public static JsonNode of(@Nullable Object value) {
    if (value == null) {
      return NullNode.instance;
    }
    if (value instanceof JsonNode node) {
      return canonical(node);
    }
    return canonical(MAPPER.<JsonNode>valueToTree(value));
  }

  public static JsonNode canonical(JsonNode node) {
    switch (node.getNodeType()) {
      case NULL, BOOLEAN, STRING:
        return node;
      case NUMBER:
        return number(node);
      case ARRAY:
        ArrayNode array = NODES.arrayNode(node.size());
        node.forEach(element -> array.add(canonical(element)));
        return array;
      case OBJECT:
        ObjectNode object = NODES.objectNode();
        node.properties().forEach(field -> object.set(field.getKey(), canonical(field.getValue())));
        return object;
      case BINARY:
        return NODES.textNode(node.asText());
      default:
        throw new IllegalArgumentException("not a JSON value: " + node.getNodeType());
    }
  }

  private static JsonNode number(JsonNode node) {
    if (node.isIntegralNumber()) {
      return whole(node.bigIntegerValue());
    }
    if (node.isFloatingPointNumber() && !node.isBigDecimal() && !finite(node.doubleValue())) {
      throw new IllegalArgumentException("not a JSON number: " + node);
    }
    // A float is written, and therefore compared, by its shortest decimal form.
    BigDecimal decimal = new BigDecimal(node.asText()).stripTrailingZeros();
    if (decimal.scale() <= 0 && decimal.scale() >= -MOST_TRAILING_ZEROS) {
      return whole(decimal.toBigInteger());
    }
    return NODES.numberNode(decimal);
  }

  private static JsonNode whole(BigInteger value) {
    boolean fits = value.compareTo(LONG_MIN) >= 0 && value.compareTo(LONG_MAX) <= 0;
    return fits ? NODES.numberNode(value.longValue()) : NODES.numberNode(value);
  }

  private static boolean finite(double value) {
    return Math.abs(value) <= Double.MAX_VALUE;
  }
}
