package io.ensemble.rest.jetty;

import io.ensemble.rest.http.StreamingBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** The connection to a client of Jetty. */
final class JettyBodyStream implements StreamingBody.Way {

  private final Response response;
  private final Callback callback;
  private final AtomicBoolean ended = new AtomicBoolean();

  JettyBodyStream(Response response, Callback callback) {
    this.response = response;
    this.callback = callback;
  }

  @Override
  public CompletionStage<Void> send(byte[] bytes) {
    CompletableFuture<Void> sent = new CompletableFuture<>();
    response.write(
        false,
        ByteBuffer.wrap(bytes),
        Callback.from(
            () -> sent.complete(null),
            failure -> {
              fail(failure);
              sent.completeExceptionally(failure);
            }));
    return sent;
  }

  @Override
  public void end() {
    if (ended.compareAndSet(false, true)) {
      response.write(true, ByteBuffer.allocate(0), callback);
    }
  }

  @Override
  public void cut() {
    fail(new IOException("the client did not read the response in time"));
  }

  private void fail(Throwable failure) {
    if (ended.compareAndSet(false, true)) {
      callback.failed(failure);
    }
  }
}
