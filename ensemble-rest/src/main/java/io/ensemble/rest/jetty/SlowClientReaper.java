package io.ensemble.rest.jetty;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections without progress of their request. A client that sends a byte now and then is
 * not idle. Such a client could hold a connection forever, in a handshake, before the request line
 * or within a head. The reaper checks the progress of each connection every second, on the
 * connector's timer.
 *
 * <p>While the service closes, the reaper closes connections without a request in progress,
 * including a connection that its client leaves open after the last response.
 */
public final class SlowClientReaper extends AbstractLifeCycle {

  private static final Logger LOG = LoggerFactory.getLogger(SlowClientReaper.class);
  private static final long BETWEEN_MILLIS = 1_000;
  private static final long BETWEEN_AT_END_MILLIS = 10;
  private static final long IDLE_AT_END_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /**
   * The delay before a connection with a response is closed: after an immediate reset, a client
   * that is still sending would lose the response.
   */
  private static final long ANSWERED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ServerConnector connector;
  private final long mostNanos;
  private Map<EndPoint, Begun> begun = new HashMap<>();
  private volatile boolean ending;

  private record Begun(long messages, boolean isBegun, long since) {}

  /**
   * @param most how long a client may take for the first byte of a new connection, including the
   *     handshake, and for the head of a request
   */
  public SlowClientReaper(ServerConnector connector, Duration most) {
    this.connector = connector;
    this.mostNanos = most.toNanos();
  }

  @Override
  protected void doStart() {
    again();
  }

  /**
   * From now on until the connector stops, closes every connection on which no request has begun. A
   * connection with a request stays open until the request is answered.
   */
  public void closeIdleConnections() {
    ending = true;
    look();
  }

  private void again() {
    long millis = ending ? BETWEEN_AT_END_MILLIS : BETWEEN_MILLIS;
    connector.getScheduler().schedule(this::look, millis, TimeUnit.MILLISECONDS);
  }

  private synchronized void look() {
    if (!isRunning() || (ending && !connector.isRunning())) {
      return;
    }
    try {
      lookAtAll(System.nanoTime());
    } catch (RuntimeException | LinkageError broken) { // Jetty internals.
      LOG.warn("the connections cannot be checked, retrying", broken);
    } finally {
      again();
    }
  }

  private void lookAtAll(long now) {
    Map<EndPoint, Begun> present = new HashMap<>();
    for (EndPoint end : connector.getConnectedEndPoints()) {
      long messages = 0;
      boolean isBegun = false;
      boolean isAnswered = false;
      if (http(end) instanceof HttpConnection http) {
        HttpParser parser = http.getParser();
        // After its last response, a connection waits until the client closes its side, too.
        isAnswered = ending && http.getEndPoint().isOutputShutdown();
        if (!parser.inHeaderState() && !isAnswered) {
          continue; // The head is complete.
        }
        messages = http.getMessagesIn();
        isBegun = !parser.isStart() && !isAnswered;
      }
      Begun before = begun.get(end);
      Begun since =
          before != null && before.messages() == messages && before.isBegun() == isBegun
              ? before
              : new Begun(messages, isBegun, now);
      present.put(end, since);
      if (now - since.since() > (isAnswered ? ANSWERED_NANOS : longestNanos(messages, isBegun))) {
        end.close();
      }
    }
    begun = present;
  }

  private long longestNanos(long messages, boolean isBegun) {
    if (ending && !isBegun) {
      return IDLE_AT_END_NANOS;
    }
    return messages == 0 || isBegun ? mostNanos : idleNanos();
  }

  /** The maximum silence of a connection between requests. Line ends alone do not extend it. */
  private long idleNanos() {
    return TimeUnit.MILLISECONDS.toNanos(connector.getIdleTimeout());
  }

  private static Connection http(EndPoint end) {
    return end.getConnection() instanceof SslConnection tls
        ? tls.getSslEndPoint().getConnection()
        : end.getConnection();
  }
}
