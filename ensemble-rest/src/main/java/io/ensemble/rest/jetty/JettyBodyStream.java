package io.ensemble.rest.jetty;

import io.ensemble.rest.http.StreamingBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The connection to a client of Jetty. The bytes of each part are reserved for the caller until the
 * client has taken them, also above the bounds: the limits of streams bound the parts.
 */
final class JettyBodyStream implements StreamingBody.Way {

  private final Response response;
  private final ByteBudget budget;
  private final String caller;
  private final Callback callback;
  private final AtomicBoolean ended = new AtomicBoolean();

  JettyBodyStream(Response response, ByteBudget budget, String caller, Callback callback) {
    this.response = response;
    this.budget = budget;
    this.caller = caller;
    this.callback = callback;
  }

  @Override
  public CompletionStage<Void> send(byte[] bytes) {
    CompletableFuture<Void> sent = new CompletableFuture<>();
    budget.reserve(caller, bytes.length);
    response.write(
        false,
        ByteBuffer.wrap(bytes),
        Callback.from(
            () -> {
              budget.release(caller, bytes.length);
              sent.complete(null);
            },
            failure -> {
              budget.release(caller, bytes.length);
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
