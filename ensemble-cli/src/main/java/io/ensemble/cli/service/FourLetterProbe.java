package io.ensemble.cli.service;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/**
 * The health of a ZooKeeper proxy, by the four-letter word {@code ruok}. A port that answers no
 * words, such as one for TLS only, closes the connection, which counts as a response.
 */
public final class FourLetterProbe implements HealthProbe {

  private static final int TIMEOUT_MILLIS = 5_000;
  private static final byte[] WORD = "ruok".getBytes(US_ASCII);

  private final InetSocketAddress address;

  /**
   * @param proxy the address at which the proxy listens; a wildcard stands for this host
   */
  public FourLetterProbe(InetSocketAddress proxy) {
    InetAddress host = proxy.getAddress();
    this.address =
        host == null || host.isAnyLocalAddress()
            ? new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.getPort())
            : proxy;
  }

  @Override
  public boolean isReady() {
    return isLive();
  }

  @Override
  public boolean isLive() {
    try (Socket socket = new Socket()) {
      socket.connect(address, TIMEOUT_MILLIS);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      return responds(socket);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Whether there is an answer, or an end, in time.
   *
   * @throws java.net.SocketTimeoutException if there is neither
   */
  private static boolean responds(Socket socket) throws IOException {
    try {
      socket.getOutputStream().write(WORD);
      socket.getOutputStream().flush();
      InputStream answer = socket.getInputStream();
      int unused = answer.read();
      return true;
    } catch (SocketException e) {
      return true; // A limit has closed the connection.
    }
  }
}
