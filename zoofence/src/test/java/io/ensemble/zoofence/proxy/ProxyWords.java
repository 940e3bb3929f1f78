package io.ensemble.zoofence.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Asks a server by a four-letter word. */
public final class ProxyWords {
  private static final int LONGEST_MILLIS = 60_000;

  private ProxyWords() {}

  /** The whole answer; empty if the server closes the connection. */
  public static String ask(int port, String word) throws IOException {
    return ask(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), word);
  }

  static String ask(@Nullable InetAddress from, InetSocketAddress server, String word)
      throws IOException {
    try (Socket socket = new Socket(server.getAddress(), server.getPort(), from, 0)) {
      socket.setSoTimeout(LONGEST_MILLIS);
      socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
