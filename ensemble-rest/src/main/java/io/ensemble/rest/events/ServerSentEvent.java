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

  /** Nothing; keeps a connection busy. */
  static final byte[] COMMENT = toBytes(":\n\n");

  /** Lets a disconnected client reconnect after so many milliseconds. */
  static byte[] formatRetry(long millis) {
    return toBytes("retry: " + millis + "\n\n");
  }

  /** A heartbeat, which keeps a connection busy and gives the age of the last snapshot. */
  static byte[] formatHeartbeat(long ageMillis) {
    return formatEvent("beat", Map.of("ageMillis", ageMillis));
  }

  static ServerSentEvent of(String streamId, long number, SnapshotChange snapshotChange) {
    return new ServerSentEvent(
        number,
        snapshotChange.section(),
        formatEvent(
            formatPosition(streamId, number),
            snapshotChange.section().word(),
            snapshotChange.toDocument()));
  }

  /** An event with a position, from which a client can continue. */
  static byte[] formatEvent(String position, String name, Object data) {
    return toBytes("id: " + position + "\n" + formatText(name, data));
  }

  /** An event without a position: the client's position does not change. */
  static byte[] formatEvent(String name, Object data) {
    return toBytes(formatText(name, data));
  }

  /** A position alone: the client keeps it without an event. */
  static byte[] formatId(String position) {
    return toBytes("id: " + position + "\n\n");
  }

  static String formatPosition(String streamId, long number) {
    return streamId + "-" + number;
  }

  /** Formats an event. JSON contains no raw line breaks, so the data are one line. */
  private static String formatText(String name, Object data) {
    return "event: %s\ndata: %s\n\n"
        .formatted(name, new String(StrictJson.bytes(data), StandardCharsets.UTF_8));
  }

  private static byte[] toBytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
