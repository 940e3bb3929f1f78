package io.ensemble.objects.sync;

import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Processes on one store in memory, and their time; closed together. */
final class InMemoryProcesses implements AutoCloseable {

  /** One of them. */
  record Process(AtomicObjectFactory factory, ManualClock.View clock, Synchronizers synchronizers) {

    /** Does nothing any more, and gives nothing back. */
    void die() {
      clock.die();
    }
  }

  final MemoryStore store = new MemoryStore(1);
  final ManualClock clock = new ManualClock(this::settle);
  private final List<Process> all = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();

  Process one() {
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(store)
            .timeout(Duration.ofSeconds(20))
            .requestTimeout(Duration.ofMillis(200))
            .executor(this::execute)
            .build();
    ManualClock.View view = clock.new View(factory);
    Process process = new Process(factory, view, new Synchronizers(factory, view));
    all.add(process);
    return process;
  }

  private void execute(Runnable task) {
    begun.incrementAndGet();
    threads.execute(
        () -> {
          try {
            task.run();
          } finally {
            ended.incrementAndGet();
          }
        });
  }

  /** Waits until nothing runs or is under way: what happens next is a matter of time. */
  void settle() {
    await("nothing is under way")
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofNanos(50_000))
        .atMost(60, TimeUnit.SECONDS)
        .until(this::isQuiet);
  }

  /** A task may ask the store, and its answer begins a task: if none began, none is between. */
  private boolean isQuiet() {
    long tasks = ended.get();
    return begun.get() == tasks && store.isQuiet() && begun.get() == tasks;
  }

  void pass(Duration time) {
    clock.pass(time);
  }

  <T> T passUntil(CompletionStage<T> stage) {
    return clock.passUntil(stage);
  }

  /** What completes without time passing. */
  static <T> T soon(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    all.forEach(p -> p.factory().close());
    store.close();
    threads.shutdownNow();
  }
}
