package io.ensemble.testkit.link;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A node that does no work, to measure the way to it. A conversation begins with one byte, what to
 * do, and an int, how many bytes: to send each of them back as it comes, to swallow them and say
 * so, or to send so many. Serves one after another, on a thread of its own.
 */
final class EchoNode implements AutoCloseable {

  static final int ECHO = 1;
  static final int SWALLOW = 2;
  static final int SEND = 3;

  private final ServerSocket listening;

  EchoNode() throws IOException {
    listening = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::serve, "ensemble-echo");
    thread.setDaemon(true);
    thread.start();
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listening.getLocalSocketAddress();
  }

  private void serve() {
    while (!listening.isClosed()) {
      try (Socket socket = listening.accept()) {
        socket.setTcpNoDelay(true);
        converse(new DataInputStream(socket.getInputStream()), socket.getOutputStream());
      } catch (IOException e) {
        // The client has gone, or this closes.
      }
    }
  }

  private static void converse(DataInputStream in, OutputStream out) throws IOException {
    int what = in.readUnsignedByte();
    int bytes = in.readInt();
    switch (what) {
      case ECHO -> echo(in, out, bytes);
      case SWALLOW -> {
        in.skipNBytes(bytes);
        out.write(1);
      }
      case SEND -> out.write(new byte[bytes]);
      default -> throw new IOException("unknown: " + what);
    }
  }

  private static void echo(InputStream in, OutputStream out, int bytes) throws IOException {
    for (int i = 0; i < bytes; i++) {
      int next = in.read();
      if (next < 0) {
        return;
      }
      out.write(next);
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
