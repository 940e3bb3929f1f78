package io.ensemble.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.util.Callback;

/** One connection that begins with HTTP/2, without TLS, and any number of requests over it. */
final class Http2Connection implements AutoCloseable {

  /** An answer whose whole body has arrived. */
  record Answer(int status, byte[] body) {}

  /** Told when the service says that it takes no further requests, and when the connection ends. */
  final CompletableFuture<Integer> farewell = new CompletableFuture<>();

  final CompletableFuture<Void> ended = new CompletableFuture<>();
  final Session session;
  private final HTTP2Client client = new HTTP2Client();
  private final URI service;

  Http2Connection(URI service) throws Exception {
    this.service = service;
    client.setIdleTimeout(-1);
    client.setInitialStreamRecvWindow(64 << 10); // Larger answers must be read to arrive.
    client.start();
    session =
        client
            .connect(
                new InetSocketAddress(service.getHost(), service.getPort()),
                new Session.Listener() {
                  @Override
                  public void onGoAway(Session session, GoAwayFrame frame) {
                    farewell.complete(frame.getError());
                  }

                  @Override
                  public void onClose(Session session, GoAwayFrame frame, Callback callback) {
                    ended.complete(null);
                    callback.succeeded();
                  }

                  @Override
                  public void onFailure(Session session, Throwable failure, Callback callback) {
                    ended.complete(null);
                    callback.succeeded();
                  }
                })
            .get(1, TimeUnit.MINUTES);
  }

  /** A request whose answer is read as it arrives. */
  CompletableFuture<Answer> send(String method, String path, byte[] body) {
    return send(new Exchange(true), method, path, HttpFields.EMPTY, body, true);
  }

  /** A request whose body is not complete. */
  CompletableFuture<Answer> begin(String method, String path, HttpFields headers, byte[] body) {
    return send(new Exchange(true), method, path, headers, body, false);
  }

  /** A request whose answer is not read. */
  CompletableFuture<Answer> sendAndReadNothing(String method, String path) {
    return send(new Exchange(false), method, path, HttpFields.EMPTY, new byte[0], true);
  }

  private CompletableFuture<Answer> send(
      Exchange exchange,
      String method,
      String path,
      HttpFields headers,
      byte[] body,
      boolean isWhole) {
    MetaData.Request request =
        new MetaData.Request(
            method, HttpURI.from(service + path), HttpVersion.HTTP_2, headers, body.length);
    boolean isHeadOnly = isWhole && body.length == 0;
    session
        .newStream(new HeadersFrame(request, null, isHeadOnly), exchange)
        .thenCompose(
            stream ->
                isHeadOnly
                    ? CompletableFuture.completedFuture(stream)
                    : stream.data(new DataFrame(stream.getId(), ByteBuffer.wrap(body), isWhole)))
        .exceptionally(exchange::fail);
    return exchange.answer;
  }

  /** The head of a request without a body. */
  static HeadersFrame get(String address) {
    return new HeadersFrame(
        new MetaData.Request("GET", HttpURI.from(address), HttpVersion.HTTP_2, HttpFields.EMPTY, 0),
        null,
        true);
  }

  @Override
  public void close() throws Exception {
    client.stop();
  }

  private static final class Exchange implements Stream.Listener {

    final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final boolean isRead;
    private int status;

    Exchange(boolean isRead) {
      this.isRead = isRead;
    }

    Stream fail(Throwable failure) {
      answer.completeExceptionally(failure);
      return null;
    }

    @Override
    public void onHeaders(Stream stream, HeadersFrame frame) {
      if (frame.getMetaData() instanceof MetaData.Response response) {
        status = response.getStatus();
      }
      if (frame.isEndStream()) {
        answer.complete(new Answer(status, body.toByteArray()));
      } else if (isRead) {
        stream.demand();
      }
    }

    @Override
    public void onDataAvailable(Stream stream) {
      Stream.Data data = stream.readData();
      if (data == null) {
        stream.demand();
        return;
      }
      byte[] bytes = new byte[data.frame().remaining()];
      data.frame().getByteBuffer().get(bytes);
      body.writeBytes(bytes);
      data.release();
      if (data.frame().isEndStream()) {
        answer.complete(new Answer(status, body.toByteArray()));
      } else {
        stream.demand();
      }
    }

    @Override
    public void onReset(Stream stream, ResetFrame frame, Callback callback) {
      answer.completeExceptionally(new IOException("reset; error=" + frame.getError()));
      callback.succeeded();
    }

    @Override
    public void onFailure(
        Stream stream, int error, String reason, Throwable failure, Callback callback) {
      answer.completeExceptionally(new IOException("failed; error=" + error, failure));
      callback.succeeded();
    }
  }
}
