package io.ensemble.check.federation;

import io.ensemble.site.hotrod.configuration.Endpoint;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import javax.net.ssl.SSLException;

/**
 * Checks whether one node answers Hot Rod: connects, and sends the protocol's PING, version 3.0,
 * which every server since Infinispan 10 understands. An Infinispan client would query some node of
 * the site, and open more connections than needed.
 */
final class HotRodPing {

  private static final byte[] PING = {
    (byte) 0xA0, // a request
    1, // its number
    30, // protocol 3.0
    0x17, // PING
    0, // the default cache
    0, // no flags
    1, // the client requires no topology
    0, // and has none
    0,
    0 // no media types for keys and values
  };
  private static final int RESPONSE = 0xA1;
  private static final int PING_RESPONSE = 0x18;

  private HotRodPing() {}

  /**
   * The time of one ping on an open connection. A site answers it before the client is
   * authenticated.
   *
   * @throws IOException if there was no answer, within {@code longest} for each of connecting and
   *     reading; the message has the reason
   */
  static Duration of(Endpoint endpoint, SiteTransport siteTransport, Duration longest)
      throws IOException {
    int millis = Math.toIntExact(longest.toMillis());
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), millis);
      plain.setSoTimeout(millis);
      plain.setTcpNoDelay(true);
      Socket socket = siteTransport.over(plain, endpoint);
      long begin = System.nanoTime();
      socket.getOutputStream().write(PING);
      DataInputStream answer = new DataInputStream(socket.getInputStream());
      expect(answer, RESPONSE);
      expect(answer, PING[1]);
      expect(answer, PING_RESPONSE);
      // The status follows; any answer shows that a server works.
      return Duration.ofNanos(System.nanoTime() - begin);
    } catch (SocketTimeoutException e) {
      throw new IOException("no answer within " + millis + " ms", e);
    } catch (SSLException e) {
      throw new IOException("the TLS certificate is not trusted: " + e.getMessage(), e);
    } catch (EOFException e) {
      throw new IOException("closes the connection", e);
    }
  }

  private static void expect(DataInputStream answer, int wanted) throws IOException {
    int found = answer.readUnsignedByte();
    if (found != wanted) {
      throw new IOException("the response is not of the Hot Rod protocol");
    }
  }
}
