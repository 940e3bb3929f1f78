package io.ensemble.zoofence;

import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.jspecify.annotations.Nullable;

/** A client that sends no pings and does not reconnect. */
public final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 30_000;

  private final Socket socket;
  private final DataInputStream in;
  private final ConnectResponse greeted;

  /** A client with a new session. */
  public RawClient(int port, int timeoutMillis) throws IOException {
    this(port, timeoutMillis, 0, new byte[16]);
  }

  /** A client that continues a session. */
  public RawClient(int port, int timeoutMillis, long session, byte[] password) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new DataInputStream(socket.getInputStream());
    write(Jute.write(new ConnectRequest(0, 0, timeoutMillis, session, password, false)));
    greeted = Jute.read(frame(), new ConnectResponse());
  }

  public long session() {
    return greeted.getSessionId();
  }

  public byte[] password() {
    return greeted.getPasswd();
  }

  public void send(ZooKeeperRequest request) throws IOException {
    write(request.bytes());
  }

  /** The next reply or event; null if the server has closed the connection. */
  public @Nullable ZooKeeperReply read() throws IOException {
    try {
      return ZooKeeperReply.read(frame());
    } catch (EOFException | SocketException e) {
      return null;
    }
  }

  private ByteBuffer frame() throws IOException {
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    return ByteBuffer.wrap(frame);
  }

  private void write(ByteBuffer frame) throws IOException {
    ByteBuffer framed = ByteBuffer.allocate(Integer.BYTES + frame.remaining());
    socket.getOutputStream().write(framed.putInt(frame.remaining()).put(frame).array());
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
