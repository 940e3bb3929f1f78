package io.ensemble.rest.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** The bytes of a streamed response are counted until its client has taken them. */
class JettyBodyStreamTest {

  private static final int PART_BYTES = 1_000;

  private final ByteBudget budget = new ByteBudget(PART_BYTES, PART_BYTES);

  /** The writes that the client has not taken yet. */
  private final Deque<Callback> writes = new ArrayDeque<>();

  private final Response response =
      (Response)
          Proxy.newProxyInstance(
              Response.class.getClassLoader(),
              new Class<?>[] {Response.class},
              (proxy, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("write");
                writes.add((Callback) arguments[2]);
                return null;
              });

  private final JettyBodyStream stream =
      new JettyBodyStream(response, budget, "ada", Callback.NOOP);

  @Test
  void aPartIsReservedUntilTheClientHasTakenIt() {
    CompletionStage<Void> sent = stream.send(new byte[PART_BYTES]);
    boolean othersFit = budget.tryReserve("bob", 1);
    writes.remove().succeeded();

    assertThat(othersFit).isFalse();
    assertThat(sent).isCompleted();
    assertThat(budget.reservedBytes()).isZero();
  }

  @Test
  void aPartThatCannotBeSentIsReleased() {
    CompletionStage<Void> sent = stream.send(new byte[PART_BYTES]);
    writes.remove().failed(new IllegalStateException("gone"));

    assertThat(sent).isCompletedExceptionally();
    assertThat(budget.reservedBytes()).isZero();
  }
}
