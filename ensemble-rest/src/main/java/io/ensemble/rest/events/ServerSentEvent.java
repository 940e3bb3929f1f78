package io.ensemble.rest.events;

import io.ensemble.rest.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An event as text (WHATWG HTML, "Server-sent events").
 *
 * @param number the position of the event in the stream
 */
record ServerSentEvent(long number, SnapshotSection section, byte[] text) {

  /** Lets a disconnected client reconnect after so many milliseconds. */
  static byte[] retry(long millis) {
    return bytes("retry: " + millis + "\n\n");
  }

  /** A heartbeat, which keeps a connection busy and gives the age of the last snapshot. */
  static byte[] beat(long ageMillis) {
    return named("beat", Map.of("ageMillis", ageMillis));
  }

  static ServerSentEvent of(String life, long number, SnapshotChange snapshotChange) {
    return new ServerSentEvent(
        number,
        snapshotChange.section(),
        named(position(life, number), snapshotChange.section().word(), snapshotChange.document()));
  }

  /** An event with a position, from which a client can continue. */
  static byte[] named(String position, String name, Object data) {
    return bytes("id: " + position + "\n" + text(name, data));
  }

  /** An event without a position: the client's position does not change. */
  static byte[] named(String name, Object data) {
    return bytes(text(name, data));
  }

  static String position(String life, long number) {
    return life + "-" + number;
  }

  /** Formats an event. JSON contains no raw line breaks, so the data are one line. */
  private static String text(String name, Object data) {
    return "event: %s\ndata: %s\n\n"
        .formatted(name, new String(StrictJson.bytes(data), StandardCharsets.UTF_8));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
