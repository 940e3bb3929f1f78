package io.ensemble.cache.quorum;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every writer gets an answer under concurrent access. */
@Timeout(120)
class WriteBatcherThreadsTest {

  private static final Bytes KEY = Bytes.of("k".getBytes(UTF_8));
  private static final Duration LONG = Duration.ofSeconds(100);

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final PerKeyQueue perKeyQueue = new PerKeyQueue(scheduler);

  @AfterEach
  void close() {
    perKeyQueue.close();
    scheduler.close();
  }

  private static final class Counted implements WriteBatcher.Writer {
    private final Deadline deadline;
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicInteger performed = new AtomicInteger();
    private final CountDownLatch answered = new CountDownLatch(1);

    Counted(Deadline deadline) {
      this.deadline = deadline;
    }

    void answer() {
      answers.incrementAndGet();
      answered.countDown();
    }

    @Override
    public Deadline deadline() {
      return deadline;
    }

    @Override
    public boolean withdraw() {
      return false;
    }

    @Override
    public void refused(String why) {
      answer();
    }

    @Override
    public void unknown(String why) {
      answer();
    }

    @Override
    public void failed(Throwable why) {
      answer();
    }
  }

  @Test
  void eachOfManyThatComeAtTheSameTimeIsPerformedOnceAndAnsweredOnce() throws Exception {
    WriteBatcher<Counted> batcher =
        new WriteBatcher<>(
            perKeyQueue,
            scheduler,
            (key, writers, deadline) -> {
              writers.forEach(writer -> writer.performed.incrementAndGet());
              Consumer<Counted> tell = Counted::answer;
              return CompletableFuture.supplyAsync(() -> tell, scheduler);
            });
    List<Thread> threads = new ArrayList<>();
    List<List<Counted>> written = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      List<Counted> mine =
          IntStream.range(0, 2_000)
              .mapToObj(i -> new Counted(Deadline.after(LONG, scheduler)))
              .toList();
      written.add(mine);
      threads.add(new Thread(() -> mine.forEach(writer -> write(batcher, writer))));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(written)
        .allSatisfy(
            mine ->
                assertThat(mine)
                    .allSatisfy(
                        writer -> {
                          assertThat(writer.performed).hasValue(1);
                          assertThat(writer.answers).hasValue(1);
                        }));
    await().untilAsserted(() -> assertThat(perKeyQueue.size()).isZero());
    assertThat(batcher.size()).isZero();
  }

  private static void write(WriteBatcher<Counted> batcher, Counted writer) {
    batcher.add(KEY, writer);
    try {
      writer.answered.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whoeverWaitsWhenTheThreadsEndIsAnswered() {
    CompletableFuture<Consumer<Counted>> underWay = new CompletableFuture<>();
    WriteBatcher<Counted> batcher =
        new WriteBatcher<>(perKeyQueue, scheduler, (key, writers, deadline) -> underWay);
    Counted first = new Counted(Deadline.after(LONG, scheduler));
    Counted second = new Counted(Deadline.after(LONG, scheduler));
    batcher.add(KEY, first);
    batcher.add(KEY, second);
    scheduler.close();
    Counted third = new Counted(Deadline.after(LONG, scheduler));
    Counted elsewhere = new Counted(Deadline.after(LONG, scheduler));
    batcher.add(KEY, third);
    batcher.add(Bytes.of("o".getBytes(UTF_8)), elsewhere);

    underWay.complete(Counted::answer);
    perKeyQueue.close();

    assertThat(List.of(first, second, third, elsewhere))
        .allSatisfy(writer -> assertThat(writer.answers).hasValue(1));
  }
}
