package io.ensemble.objects.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.ObjectType;
import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.value.NotWritableException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Asynchronous calls: a function specifies the call by making it. */
class AsyncCallsTest {

  static class Counter {
    private long count;

    long add(long more) {
      return count += more;
    }

    boolean isZero() {
      return count == 0;
    }

    String text() {
      return "count " + count;
    }

    void reset() {
      count = 0;
    }

    Counter self() {
      return this;
    }

    void take(Object any) {
      assertThat(any).isNotNull();
    }

    void fail() throws IOException {
      throw new IOException("no");
    }

    void failBadly() {
      throw new OutOfMemoryError("no");
    }
  }

  private final LocalObjects localObjects = new LocalObjects();
  private final Counter counter = localObjects.open(ObjectType.of(Counter.class), "counter");

  @Test
  void theOneCallIsSent() {
    assertThat((Object) result(Proxies.async(counter, c -> c.add(5)))).isEqualTo(5L);
    assertThat((Object) result(Proxies.async(counter, c -> c.isZero()))).isEqualTo(false);
    assertThat((Object) result(Proxies.async(counter, Counter::text))).isEqualTo("count 5");
    assertThat((Object) result(Proxies.async(counter, c -> counter.self()))).isSameAs(counter);
    assertThat((Object) result(Proxies.async(counter, AsyncCallsTest::reset))).isNull();
    assertThat(counter.isZero()).isTrue();
    assertThat(LocalObjects.local(counter).calls()).hasSize(6);
  }

  private static Void reset(Counter counter) {
    counter.reset();
    return null;
  }

  @Test
  void theStageFailsWithWhatTheCallThrows() {
    assertThat(Proxies.async(counter, AsyncCallsTest::fail))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(IOException.class)
        .withMessage("no");
    assertThat(Proxies.async(counter, AsyncCallsTest::failBadly))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(NotAppliedException.class);
  }

  private static Void fail(Counter counter) {
    try {
      counter.fail();
      return null;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Void failBadly(Counter counter) {
    counter.failBadly();
    return null;
  }

  @Test
  void exactlyOneCallIsWanted() {
    Counter other = localObjects.open(ObjectType.of(Counter.class), "other");

    refused(c -> 0L, "the function must make exactly one call, of Counter[counter]; got 0");
    refused(c -> c.add(1) + c.add(1), "exactly one call");
    refused(c -> other.add(1), "the function must make exactly one call, of Counter[counter]");
    refused(c -> (long) c.text().length(), "the function threw");
    refused(c -> c.add(1) + 1, "the method returned 0, the function 1");
    refused(c -> result(Proxies.async(c, d -> d.add(1))), "another function");
    assertThat(LocalObjects.local(counter).calls()).isEmpty();
    assertThat(LocalObjects.local(other).calls()).isEmpty();
  }

  @Test
  void aRefusedFunctionLeavesNothingBehind() {
    refused(c -> 0L, "exactly one call");

    assertThat(counter.add(2)).isEqualTo(2);
  }

  @Test
  void anArgumentThatCannotBeWrittenIsToldAtOnce() {
    assertThatThrownBy(
            () ->
                Proxies.async(
                    counter,
                    c -> {
                      c.take(new Thread());
                      return null;
                    }))
        .isInstanceOf(NotWritableException.class);
  }

  @Test
  void aProxyIsWanted() {
    assertThatThrownBy(() -> Proxies.async("text", String::length))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String");
  }

  private void refused(Function<Counter, Long> function, String message) {
    assertThatThrownBy(() -> Proxies.async(counter, function))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private static <R> R result(CompletionStage<R> stage) {
    CompletableFuture<R> done = stage.toCompletableFuture();
    assertThat(done).isDone();
    return done.join();
  }
}
