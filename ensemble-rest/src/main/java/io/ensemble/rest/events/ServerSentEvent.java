package io.ensemble.rest.events;

import io.ensemble.rest.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An event as text (WHATWG HTML, "Server-sent events").
 *
 * @param number its place in the feed
 */
record ServerSentEvent(long number, SnapshotSection section, byte[] text) {

  /** What makes a client that was cut off come back after so many milliseconds. */
  static byte[] retry(long millis) {
    return bytes("retry: " + millis + "\n\n");
  }

  /** Keeps a connection busy, and says how old is what was seen last. */
  static byte[] beat(long ageMillis) {
    return named("beat", Map.of("ageMillis", ageMillis));
  }

  static ServerSentEvent of(String life, long number, SnapshotChange snapshotChange) {
    return new ServerSentEvent(
        number,
        snapshotChange.section(),
        named(position(life, number), snapshotChange.section().word(), snapshotChange.document()));
  }

  /** With a position, from which a client goes on. */
  static byte[] named(String position, String name, Object data) {
    return bytes("id: " + position + "\n" + text(name, data));
  }

  /** Without one: the client's position stays. */
  static byte[] named(String name, Object data) {
    return bytes(text(name, data));
  }

  static String position(String life, long number) {
    return life + "-" + number;
  }

  /** JSON has no line breaks of its own, so that the data are one line. */
  private static String text(String name, Object data) {
    return "event: %s\ndata: %s\n\n"
        .formatted(name, new String(StrictJson.bytes(data), StandardCharsets.UTF_8));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
