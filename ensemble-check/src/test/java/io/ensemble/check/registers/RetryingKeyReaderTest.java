package io.ensemble.check.registers;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.trial.SlowWaitReporter;
import io.ensemble.testkit.history.HistoryRecorder;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever the cache does, final reads end and name the key and the site that they waited for. */
@Timeout(90)
class RetryingKeyReaderTest {
  private static final Duration SHORT = Duration.ofMillis(20);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Queue<String> told = new ConcurrentLinkedQueue<>();
  private final CountDownLatch heard = new CountDownLatch(1);

  @Test
  void aReadThatNeverEndsIsAbandonedAndReported() throws Exception {
    RetryingKeyReader.ReadResult found =
        read(
            key -> key.equals("k1") ? new CompletableFuture<>() : answer(7L),
            3,
            LONG); // The bound on tries applies first.

    assertThat(found.values()).containsOnlyKeys("k0").containsEntry("k0", Optional.of(7L));
    assertThat(found.trouble().orElseThrow())
        .contains("key=k1", "site=oslo", "tries=3", "has not ended");
  }

  @Test
  void allKeysHaveABoundTooHoweverManyTriesThereAre() throws Exception {
    RetryingKeyReader.ReadResult found =
        read(key -> new CompletableFuture<>(), Integer.MAX_VALUE, Duration.ofMillis(200));

    assertThat(found.values()).isEmpty();
    assertThat(found.trouble().orElseThrow()).contains("key=k0", "has not ended");
  }

  @Test
  void itIsToldWhyTheLastTryFailed() throws Exception {
    RetryingKeyReader.ReadResult found = read(key -> failure(), 2, LONG);

    assertThat(found.trouble().orElseThrow()).contains("key=k0", "tries=2", "not now");
  }

  @Test
  void whatIsWaitedForIsToldMeanwhile() throws Exception {
    CompletableFuture<Optional<Long>> slow = new CompletableFuture<>();
    Thread other =
        new Thread(
            () -> {
              try {
                heard.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              slow.complete(Optional.of(1L));
            });
    other.start();

    RetryingKeyReader.ReadResult found = read(key -> slow, 1, LONG, LONG);

    assertThat(found.trouble()).isEmpty();
    assertThat(told.peek()).startsWith("reading key=k0 site=oslo, for ");
    other.join();
  }

  private RetryingKeyReader.ReadResult read(
      Function<String, CompletableFuture<Optional<Long>>> cache, int tries, Duration longest)
      throws Exception {
    return read(cache, tries, longest, SHORT);
  }

  private RetryingKeyReader.ReadResult read(
      Function<String, CompletableFuture<Optional<Long>>> cache,
      int tries,
      Duration longest,
      Duration deadline)
      throws Exception {
    AsyncEnsembleCache<String, Long> views = answering(cache);
    try (HistoryRecorder recorder = HistoryRecorder.inMemory(System::nanoTime, 1_000);
        SlowWaitReporter waiting =
            new SlowWaitReporter(
                line -> {
                  told.add(line);
                  heard.countDown();
                },
                SHORT)) {
      ClientSession session =
          new ClientSession(
              new EntryCall.CacheViews(views, views),
              recorder,
              new ClientOutcomeCounts(),
              (client, callNanos, key, stamp) -> {},
              deadline,
              SHORT);
      return new RetryingKeyReader(session, waiting, tries, longest).read(3, "oslo");
    }
  }

  private static CompletableFuture<Optional<Long>> answer(long value) {
    return CompletableFuture.completedFuture(Optional.of(value));
  }

  private static CompletableFuture<Optional<Long>> failure() {
    return CompletableFuture.failedFuture(new IllegalStateException("not now"));
  }

  @SuppressWarnings("unchecked")
  private static AsyncEnsembleCache<String, Long> answering(
      Function<String, CompletableFuture<Optional<Long>>> get) {
    return (AsyncEnsembleCache<String, Long>)
        Proxy.newProxyInstance(
            RetryingKeyReaderTest.class.getClassLoader(),
            new Class<?>[] {AsyncEnsembleCache.class},
            (proxy, method, arguments) -> get.apply((String) arguments[0]));
  }
}
