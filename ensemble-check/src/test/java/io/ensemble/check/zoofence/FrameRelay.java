package io.ensemble.check.zoofence;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Relays frames between ZooKeeper clients and a server, and may change them in both directions. */
final class FrameRelay implements AutoCloseable {

  /** One frame, without its length. */
  record Frame(byte[] bytes) {
    private static final int ERROR_AT = 12;
    private static final int HEADER_OF_REPLY = 16;

    int xid() {
      return ByteBuffer.wrap(bytes).getInt();
    }

    /** The operation code, of a request. */
    int type() {
      return ByteBuffer.wrap(bytes).getInt(Integer.BYTES);
    }

    /** The path, of a request that begins with one. */
    String path() {
      ByteBuffer body = ByteBuffer.wrap(bytes).position(2 * Integer.BYTES);
      int length = body.getInt();
      return length < 0 || length > body.remaining()
          ? ""
          : new String(bytes, body.position(), length, StandardCharsets.UTF_8);
    }

    /** The same reply with another request number and zxid. */
    Frame with(int xid, long zxid) {
      byte[] copy = bytes.clone();
      ByteBuffer.wrap(copy).putInt(xid).putLong(zxid);
      return new Frame(copy);
    }

    long zxid() {
      return ByteBuffer.wrap(bytes).getLong(Integer.BYTES);
    }

    int error() {
      return ByteBuffer.wrap(bytes).getInt(ERROR_AT);
    }

    static Frame reply(int xid, long zxid, byte[] body) {
      return new Frame(
          ByteBuffer.allocate(HEADER_OF_REPLY + body.length)
              .putInt(xid)
              .putLong(zxid)
              .putInt(0)
              .put(body)
              .array());
    }
  }

  /** How the frames of one connection are handled. By default, they pass unchanged. */
  static class Lie {
    void request(Frame frame, Wires wires) throws IOException {
      wires.toServer(frame);
    }

    void reply(Frame frame, Wires wires) throws IOException {
      wires.toClient(frame);
    }
  }

  /** Both ends of a connection. */
  static final class Wires {
    private final DataOutputStream client;
    private final DataOutputStream server;

    private Wires(DataOutputStream client, DataOutputStream server) {
      this.client = client;
      this.server = server;
    }

    void toServer(Frame frame) throws IOException {
      send(server, frame);
    }

    void toClient(Frame frame) throws IOException {
      send(client, frame);
    }

    private static void send(DataOutputStream to, Frame frame) throws IOException {
      to.write(
          ByteBuffer.allocate(Integer.BYTES + frame.bytes().length)
              .putInt(frame.bytes().length)
              .put(frame.bytes())
              .array());
      to.flush();
    }
  }

  private final ServerSocket clients;
  private final IntSupplier server;
  private final Supplier<Lie> lies;
  private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();

  /**
   * @param server the port of the server
   * @param lies supplies one per connection
   */
  FrameRelay(IntSupplier server, Supplier<Lie> lies) throws IOException {
    this.server = server;
    this.lies = lies;
    this.clients = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("accepts", this::accept);
  }

  String address() {
    return "127.0.0.1:" + clients.getLocalPort();
  }

  private static void start(String what, Runnable work) {
    Thread thread = new Thread(work, "relay-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!clients.isClosed()) {
      try {
        connect(clients.accept());
      } catch (SocketException e) {
        // The relay is closed, or the server is down.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void connect(Socket client) throws IOException {
    sockets.add(client);
    Socket to;
    try {
      to = new Socket(InetAddress.getLoopbackAddress(), server.getAsInt());
    } catch (SocketException away) {
      client.close();
      return;
    }
    sockets.add(to);
    if (clients.isClosed()) { // An accept that was under way may still return a connection.
      cut();
      return;
    }
    client.setTcpNoDelay(true);
    to.setTcpNoDelay(true);
    Lie lie = lies.get();
    Wires wires =
        new Wires(
            new DataOutputStream(client.getOutputStream()),
            new DataOutputStream(to.getOutputStream()));
    start("requests", () -> pump(client, to, wires::toServer, f -> lie.request(f, wires), lie));
    start("replies", () -> pump(to, client, wires::toClient, f -> lie.reply(f, wires), lie));
  }

  private interface Carried {
    void on(Frame frame) throws IOException;
  }

  /** The first frame in each direction is the handshake. */
  private static void pump(Socket from, Socket to, Carried first, Carried others, Lie lie) {
    try (from;
        to) {
      DataInputStream in = new DataInputStream(from.getInputStream());
      Carried next = first;
      while (true) {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        synchronized (lie) {
          next.on(new Frame(bytes));
        }
        next = others;
      }
    } catch (IOException end) {
      // One side has closed its connection.
    }
  }

  /** Closes all connections; frames in flight are lost. */
  void cut() throws IOException {
    for (Socket one = sockets.poll(); one != null; one = sockets.poll()) {
      one.close();
    }
  }

  @Override
  public void close() throws IOException {
    clients.close();
    cut();
  }
}
