package io.ensemble.rest.http;

import io.ensemble.rest.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer.
 *
 * @param headers without Content-Length
 * @param body all of it, not to be changed; empty where it comes by {@code outflow}
 * @param outflow what sends the body bit by bit; null where it is there as a whole
 */
public record Reply(
    int status, Map<String, String> headers, byte[] body, @Nullable Outflow outflow) {

  private static final byte[] NOTHING = {};

  /** Done, and nothing to say. */
  public static Reply noContent() {
    return new Reply(204, Map.of(), NOTHING, null);
  }

  /** A status without a body. */
  public static Reply of(int status) {
    return new Reply(status, Map.of(), NOTHING, null);
  }

  /** JSON. */
  public static Reply json(int status, Object value) {
    return of(status, "application/json", Json.bytes(value));
  }

  /** Bytes of a type. */
  public static Reply of(int status, String type, byte[] body) {
    return new Reply(status, Map.of("Content-Type", type), body, null);
  }

  /** Bytes of a type that come bit by bit. */
  public static Reply flowing(int status, String type, Outflow outflow) {
    return new Reply(status, Map.of("Content-Type", type), NOTHING, outflow);
  }

  /** The same with one more header. */
  public Reply with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Reply(status, more, body, outflow);
  }
}
