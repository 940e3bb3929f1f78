package io.ensemble.rest.http;

import io.ensemble.rest.json.StrictJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response.
 *
 * @param headers without Content-Length
 * @param body the whole body, not to be changed; empty if {@code streamingBody} sends the body
 * @param streamingBody sends the body in parts; null if the body is complete
 */
public record RestResponse(
    int status, Map<String, String> headers, byte[] body, @Nullable StreamingBody streamingBody) {

  private static final byte[] NOTHING = {};

  /** Success without a body. */
  public static RestResponse noContent() {
    return new RestResponse(204, Map.of(), NOTHING, null);
  }

  /** A status without a body. */
  public static RestResponse of(int status) {
    return new RestResponse(status, Map.of(), NOTHING, null);
  }

  /** A JSON document. */
  public static RestResponse json(int status, Object value) {
    return of(status, "application/json", StrictJson.bytes(value));
  }

  /** Bytes of a media type. */
  public static RestResponse of(int status, String type, byte[] body) {
    return new RestResponse(status, Map.of("Content-Type", type), body, null);
  }

  /** Bytes of a media type, sent in parts. */
  public static RestResponse ofStream(int status, String type, StreamingBody streamingBody) {
    return new RestResponse(status, Map.of("Content-Type", type), NOTHING, streamingBody);
  }

  /** The same response with one more header. */
  public RestResponse with(String header, String value) {
    Map<String, String> newHeaders = new LinkedHashMap<>(headers);
    newHeaders.put(header, value);
    return new RestResponse(status, newHeaders, body, streamingBody);
  }
}
