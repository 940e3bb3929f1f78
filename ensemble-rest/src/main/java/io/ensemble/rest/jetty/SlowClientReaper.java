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
  private final long maxNanos;
  private Map<EndPoint, Begun> progressByEndPoint = new HashMap<>();
  private volatile boolean isStopping;

  private record Begun(long messages, boolean isBegun, long sinceNanos) {}

  /**
   * @param timeout how long a client may take for the first byte of a new connection, including the
   *     handshake, and for the head of a request
   */
  public SlowClientReaper(ServerConnector connector, Duration timeout) {
    this.connector = connector;
    this.maxNanos = timeout.toNanos();
  }

  @Override
  protected void doStart() {
    scheduleNext();
  }

  /**
   * From now on until the connector stops, closes every connection on which no request has begun. A
   * connection with a request stays open until the request is answered.
   */
  public void closeIdleConnections() {
    isStopping = true;
    checkConnections();
  }

  private void scheduleNext() {
    long millis = isStopping ? BETWEEN_AT_END_MILLIS : BETWEEN_MILLIS;
    connector.getScheduler().schedule(this::checkConnections, millis, TimeUnit.MILLISECONDS);
  }

  private synchronized void checkConnections() {
    if (!isRunning() || (isStopping && !connector.isRunning())) {
      return;
    }
    try {
      closeSlowConnections(System.nanoTime());
    } catch (RuntimeException | LinkageError broken) { // Jetty internals.
      LOG.warn("the connections cannot be checked, retrying", broken);
    } finally {
      scheduleNext();
    }
  }

  private void closeSlowConnections(long now) {
    Map<EndPoint, Begun> current = new HashMap<>();
    for (EndPoint endPoint : connector.getConnectedEndPoints()) {
      long messages = 0;
      boolean isBegun = false;
      boolean isAnswered = false;
      if (http(endPoint) instanceof HttpConnection http) {
        HttpParser parser = http.getParser();
        // After its last response, a connection waits until the client closes its side, too.
        isAnswered = isStopping && http.getEndPoint().isOutputShutdown();
        if (!parser.inHeaderState() && !isAnswered) {
          continue; // The head is complete.
        }
        messages = http.getMessagesIn();
        isBegun = !parser.isStart() && !isAnswered;
      }
      Begun previous = progressByEndPoint.get(endPoint);
      Begun progress =
          previous != null && previous.messages() == messages && previous.isBegun() == isBegun
              ? previous
              : new Begun(messages, isBegun, now);
      current.put(endPoint, progress);
      if (now - progress.sinceNanos()
          > (isAnswered ? ANSWERED_NANOS : maxIdleNanos(messages, isBegun))) {
        endPoint.close();
      }
    }
    progressByEndPoint = current;
  }

  private long maxIdleNanos(long messages, boolean isBegun) {
    if (isStopping && !isBegun) {
      return IDLE_AT_END_NANOS;
    }
    return messages == 0 || isBegun ? maxNanos : keepAliveNanos();
  }

  /** The maximum silence of a connection between requests. Line ends alone do not extend it. */
  private long keepAliveNanos() {
    return TimeUnit.MILLISECONDS.toNanos(connector.getIdleTimeout());
  }

  private static Connection http(EndPoint endPoint) {
    return endPoint.getConnection() instanceof SslConnection tls
        ? tls.getSslEndPoint().getConnection()
        : endPoint.getConnection();
  }
}
