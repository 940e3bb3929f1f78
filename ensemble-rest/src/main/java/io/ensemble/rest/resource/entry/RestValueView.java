package io.ensemble.rest.resource.entry;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.json.JsonFields;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Values inside JSON: as text if possible, otherwise in base 64. */
final class RestValueView {

  private RestValueView() {}

  static Map<String, Object> of(String key, Object value) {
    Representation representation = Representation.ofListing(value);
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("key", key);
    entry.put("contentType", representation.type());
    entry.put("etag", representation.etag());
    if (representation.isReadable()) {
      entry.put("value", representation.text());
    } else {
      entry.put("base64", Base64.getEncoder().encodeToString(representation.content()));
    }
    return entry;
  }

  /** Reads {@code value} or {@code base64}; the default type of text is text/plain. */
  static Representation read(JsonFields fields) {
    if (fields.has("value") == fields.has("base64")) {
      throw Problem.invalid(
          fields.fullName("value"), "either 'value' or 'base64'", "both or neither");
    }
    if (fields.has("value")) {
      byte[] bytes = fields.needed("value").getBytes(StandardCharsets.UTF_8);
      return Representation.of(fields.text("contentType").orElse(Representation.TEXT), bytes);
    }
    try {
      byte[] bytes = Base64.getDecoder().decode(fields.needed("base64"));
      return Representation.of(fields.text("contentType").orElse(Representation.BYTES), bytes);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(fields.fullName("base64"), "Base64", "another value");
    }
  }
}
