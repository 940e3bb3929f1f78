package io.ensemble.rest.events;

import java.time.Duration;

/**
 * The bounds of the event stream.
 *
 * @param maxClients the maximum number of subscribers
 * @param maxWaitingBytes the maximum number of bytes that wait for one client, besides the bytes
 *     being sent and the initial ones: the whole state, or the missed events
 * @param keptEvents the number of events kept for clients that reconnect
 * @param interval the time between two snapshots while there is a subscriber
 * @param heartbeat the time without an event after which a heartbeat is sent
 * @param stallTimeout how long a client may take to read what it was sent, before its connection is
 *     closed
 * @param maxClientsPerCaller the maximum number of subscribers of one caller
 */
public record EventBounds(
    int maxClients,
    int maxWaitingBytes,
    int keptEvents,
    Duration interval,
    Duration heartbeat,
    Duration stallTimeout,
    int maxClientsPerCaller) {

  /** The default bounds. */
  public static final EventBounds DEFAULT =
      new EventBounds(
          64,
          1 << 20,
          4_096,
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          16);

  /** Bounds under which one caller may have all subscriptions. */
  public EventBounds(
      int maxClients,
      int maxWaitingBytes,
      int keptEvents,
      Duration interval,
      Duration heartbeat,
      Duration stallTimeout) {
    this(maxClients, maxWaitingBytes, keptEvents, interval, heartbeat, stallTimeout, maxClients);
  }
}
