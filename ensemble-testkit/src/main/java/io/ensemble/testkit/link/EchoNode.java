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
 * A node that does no work, to measure the link to it. A conversation begins with one byte, the
 * command, and an int, the number of bytes. The commands are: echo each byte immediately, read the
 * bytes and acknowledge them, or send that number of bytes. Serves one conversation after another,
 * on its own thread.
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
        // The client has disconnected, or this node closes.
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
