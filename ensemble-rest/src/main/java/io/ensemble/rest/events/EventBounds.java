package io.ensemble.rest.events;

import java.time.Duration;

/**
 * How much the feed does at most.
 *
 * @param clients how many may listen at once
 * @param waitingBytes how many bytes may wait for one client, beside what is being sent and what it
 *     begins with: the whole state, or what it missed
 * @param kept how many events are kept for clients that come back
 * @param interval how far looks are apart while somebody listens
 * @param beat how long a client hears nothing
 * @param stall how long a client may take for what it is sent, before its connection is cut
 * @param clientsOfOne how many of one caller may listen
 */
public record EventBounds(
    int clients,
    int waitingBytes,
    int kept,
    Duration interval,
    Duration beat,
    Duration stall,
    int clientsOfOne) {

  /** What holds unless told otherwise. */
  public static final EventBounds DEFAULT =
      new EventBounds(
          64,
          1 << 20,
          4_096,
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          16);

  /** Where one caller may have all places. */
  public EventBounds(
      int clients, int waitingBytes, int kept, Duration interval, Duration beat, Duration stall) {
    this(clients, waitingBytes, kept, interval, beat, stall, clients);
  }
}
