package io.ensemble.rest.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Strict JSON, with bounded depth, to bytes and back. */
public final class StrictJson {

  private static final int DEEPEST = 16;
  private static final int LONGEST_NAME = 4_096;

  private static final JsonMapper MAPPER = mapper();

  private StrictJson() {}

  private static JsonMapper mapper() {
    JsonMapper mapper =
        JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .defaultPropertyInclusion(
                JsonInclude.Value.construct(
                    JsonInclude.Include.NON_NULL, JsonInclude.Include.USE_DEFAULTS))
            .build();
    mapper
        .getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(DEEPEST)
                .maxNameLength(LONGEST_NAME)
                .build());
    return mapper;
  }

  /** An object of two members, in this order. */
  public static Map<String, Object> object(
      String first, Object firstValue, String second, Object secondValue) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put(first, firstValue);
    object.put(second, secondValue);
    return object;
  }

  /** An object of three members, in this order. */
  public static Map<String, Object> object(
      String first,
      Object firstValue,
      String second,
      Object secondValue,
      String third,
      Object thirdValue) {
    Map<String, Object> object = object(first, firstValue, second, secondValue);
    object.put(third, thirdValue);
    return object;
  }

  /** A value as JSON. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      return escaped(value);
    }
  }

  /**
   * Writes a value with a Java string that UTF-8 cannot encode, with half a surrogate pair, by
   * escapes.
   */
  private static byte[] escaped(Object value) {
    try {
      return MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII).writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new AssertionError("responses of the service must be JSON", e);
    }
  }

  /**
   * Parses a body. The body is UTF-8, as RFC 8259 requires, and UTF-8 can encode every text in it.
   *
   * @throws io.ensemble.rest.http.ProblemException if the body is not JSON
   */
  public static JsonNode parse(byte[] body) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      JsonNode node = MAPPER.readTree(text);
      if (node == null || node.isMissingNode()) {
        throw malformed("an empty body");
      }
      if (text.contains("\\u") && !isEncodable(node)) {
        throw malformed("an unpaired surrogate");
      }
      return node;
    } catch (CharacterCodingException e) {
      throw malformed("bytes that are not UTF-8");
    } catch (JsonProcessingException e) {
      throw malformed("invalid JSON: " + Problem.abbreviate(e.getOriginalMessage()));
    }
  }

  private static ProblemException malformed(String actual) {
    return Problem.of(ProblemType.MALFORMED, "expected JSON in UTF-8; got " + actual);
  }

  /** Whether no text, possibly written with escapes, contains half a surrogate pair. */
  private static boolean isEncodable(JsonNode node) {
    if (node.isTextual()) {
      return isEncodable(node.textValue());
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      if (!isEncodable(field.getKey())) {
        return false;
      }
    }
    for (JsonNode child : node) {
      if (!isEncodable(child)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isEncodable(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }
}
