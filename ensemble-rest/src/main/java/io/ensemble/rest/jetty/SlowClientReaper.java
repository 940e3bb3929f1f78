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
 * Ends connections whose request does not get on: one byte now and then keeps a connection from
 * being idle, and could so hold it for ever, in a handshake, before the first line or within a
 * head. Looks every second at how far each one is; runs on the connector's timer. While the service
 * closes, it ends connections that have no request under way, also if their client keeps its side
 * open after the last answer.
 */
public final class SlowClientReaper extends AbstractLifeCycle {

  private static final Logger LOG = LoggerFactory.getLogger(SlowClientReaper.class);
  private static final long BETWEEN_MILLIS = 1_000;
  private static final long BETWEEN_AT_END_MILLIS = 10;
  private static final long IDLE_AT_END_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** A client that still sends would lose the answer if its connection was reset at once. */
  private static final long ANSWERED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ServerConnector connector;
  private final long mostNanos;
  private Map<EndPoint, Begun> begun = new HashMap<>();
  private volatile boolean ending;

  private record Begun(long messages, boolean isBegun, long since) {}

  /**
   * @param most how long the first byte of a new connection may take to come, with the handshake,
   *     and how long the line and the headers of a request
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
   * Ends every connection on which no request has begun, from now on until the connector stops. A
   * connection on which one has begun stays open until that request is answered.
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
    } catch (RuntimeException | LinkageError broken) { // Of Jetty's own, which we look into.
      LOG.warn("connections cannot be looked at; this is tried again", broken);
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
        // After its last answer a connection waits for the client to close its side too.
        isAnswered = ending && http.getEndPoint().isOutputShutdown();
        if (!parser.inHeaderState() && !isAnswered) {
          continue; // The head is there.
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

  /** Between requests a connection may be silent for so long, and not longer with line ends. */
  private long idleNanos() {
    return TimeUnit.MILLISECONDS.toNanos(connector.getIdleTimeout());
  }

  private static Connection http(EndPoint end) {
    return end.getConnection() instanceof SslConnection tls
        ? tls.getSslEndPoint().getConnection()
        : end.getConnection();
  }
}
