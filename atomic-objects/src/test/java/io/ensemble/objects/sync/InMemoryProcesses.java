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

/** Processes on one store in memory, with a manual clock; closed together. */
final class InMemoryProcesses implements AutoCloseable {

  record Process(AtomicObjectFactory factory, ManualClock.View clock, Synchronizers synchronizers) {

    /** Ends all actions of the process, without releasing its grants. */
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

  /** Waits until no task runs and no request is under way: only time can start the next one. */
  void settle() {
    await("nothing is under way")
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofNanos(50_000))
        .atMost(60, TimeUnit.SECONDS)
        .until(this::isQuiet);
  }

  /** The response to a task's request starts a task: without new ones, there is no request. */
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

  /** The result of a stage that completes without the passage of time. */
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
