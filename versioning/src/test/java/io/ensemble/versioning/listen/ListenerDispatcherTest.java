package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.runtime.TimedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class ListenerDispatcherTest {

  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final TimedExecutor timedExecutor = new TimedExecutor(executor, timer);
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void close() {
    timer.shutdownNow();
    executor.shutdownNow();
  }

  private ListenerDispatcher dispatcher(int repeats) {
    return new ListenerDispatcher("pages", timedExecutor, repeats);
  }

  private ListenerDispatcher.Call call(String name, Runnable telling) {
    return new ListenerDispatcher.Call(
        () -> {
          log.add(name);
          telling.run();
        },
        () -> log.add(name + " told"));
  }

  private ListenerDispatcher.Call call(String name) {
    return call(name, () -> {});
  }

  private void told(ListenerDispatcher dispatcher, ListenerDispatcher.Call... calls) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    dispatcher.dispatch(List.of(calls), () -> done.complete(null));
    done.join();
  }

  @Test
  void callsAreMadeInTheirOrder() {
    told(dispatcher(0), call("a"), call("b"));

    assertThat(log).containsExactly("a", "a told", "b", "b told");
  }

  @Test
  void whatThrowsIsToldAgainAndThenTheNext() {
    AtomicInteger failures = new AtomicInteger(1);
    Runnable once =
        () -> {
          if (failures.getAndDecrement() > 0) {
            throw new IllegalStateException("not now");
          }
        };

    told(dispatcher(1), call("a"), call("b", once), call("c"));

    assertThat(log).containsExactly("a", "a told", "b", "b", "b told", "c", "c told");
  }

  @Test
  void eachCallHasItsRepeats() {
    AtomicInteger calls = new AtomicInteger();
    Runnable everySecond =
        () -> {
          if (calls.getAndIncrement() % 2 == 0) {
            throw new IllegalStateException("not now");
          }
        };

    told(dispatcher(1), call("a", everySecond), call("b", everySecond));

    assertThat(log).containsExactly("a", "a", "a told", "b", "b", "b told");
  }

  @Test
  void whatThrowsTooOftenEndsIt() {
    ListenerDispatcher dispatcher = dispatcher(1);
    AssertionError thrown = new AssertionError("never");
    AtomicInteger closed = new AtomicInteger();
    dispatcher.closed(closed::incrementAndGet);

    dispatcher.dispatch(
        List.of(
            call(
                "a",
                () -> {
                  throw thrown;
                }),
            call("b")),
        () -> log.add("done"));

    assertThatThrownBy(() -> dispatcher.ended().toCompletableFuture().join()).hasCause(thrown);
    assertThat(log).containsExactly("a", "a");
    assertThat(closed).hasValue(1);
    assertThat(dispatcher.isClosed()).isTrue();
  }

  @Test
  void pausesDoubleUpToTenSeconds() {
    assertThat(ListenerDispatcher.pause(0)).isEqualTo(Duration.ofMillis(100));
    assertThat(ListenerDispatcher.pause(1)).isEqualTo(Duration.ofMillis(200));
    assertThat(ListenerDispatcher.pause(6)).isEqualTo(Duration.ofMillis(6_400));
    assertThat(ListenerDispatcher.pause(7)).isEqualTo(Duration.ofSeconds(10));
    assertThat(ListenerDispatcher.pause(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void afterClosingNoCallBegins() throws InterruptedException {
    ListenerDispatcher dispatcher = dispatcher(0);
    CountDownLatch under = new CountDownLatch(1);
    CountDownLatch on = new CountDownLatch(1);
    dispatcher.dispatch(
        List.of(
            call(
                "a",
                () -> {
                  under.countDown();
                  awaited(on);
                }),
            call("b")),
        () -> log.add("done"));
    under.await();

    dispatcher.close();

    CompletableFuture<Void> ended = dispatcher.ended().toCompletableFuture();
    assertThat(ended).as("a call is under way").isNotDone();
    on.countDown();
    ended.join();
    assertThat(log).containsExactly("a", "a told");
  }

  @Test
  void aListenerMayCloseItself() {
    ListenerDispatcher dispatcher = dispatcher(0);

    dispatcher.dispatch(List.of(call("a", dispatcher::close), call("b")), () -> log.add("done"));

    dispatcher.ended().toCompletableFuture().join();
    assertThat(log).containsExactly("a", "a told");
  }

  @Test
  void closingWhileItWaitsToRepeatEndsIt() {
    ListenerDispatcher dispatcher = dispatcher(100);
    CompletableFuture<Void> threw = new CompletableFuture<>();
    dispatcher.dispatch(
        List.of(
            call(
                "a",
                () -> {
                  threw.complete(null);
                  throw new IllegalStateException("not now");
                })),
        () -> {});
    threw.join();

    dispatcher.close();

    dispatcher.ended().toCompletableFuture().join();
    int calls = log.size();
    assertThat(timer.shutdownNow().size()).isLessThanOrEqualTo(1);
    assertThat(log).hasSize(calls).doesNotContain("a told");
  }

  @Test
  void whatIsDoneAtClosingIsDoneOnceAlsoIfItIsSaidLate() {
    ListenerDispatcher dispatcher = dispatcher(0);
    dispatcher.close();
    AtomicInteger closed = new AtomicInteger();

    dispatcher.closed(closed::incrementAndGet);
    dispatcher.close();

    assertThat(closed).hasValue(1);
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
