package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Processes on one store in memory, and their time; closed together. */
final class Processes implements AutoCloseable {

  /** One of them. */
  record Process(
      AtomicObjectFactory factory, HandClock.View clock, Synchronizers synchronizers) {

    /** Does nothing any more, and gives nothing back. */
    void die() {
      clock.die();
    }
  }

  final MemoryStore store = new MemoryStore(1);
  final HandClock clock = new HandClock();
  private final List<Process> all = new ArrayList<>();

  Process one() {
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(store)
            .timeout(Duration.ofSeconds(20))
            .requestTimeout(Duration.ofMillis(200))
            .build();
    HandClock.View view = clock.new View(factory);
    Process process = new Process(factory, view, new Synchronizers(factory, view));
    all.add(process);
    return process;
  }

  void pass(Duration time) {
    clock.pass(time, all.get(0).factory());
  }

  <T> T passUntil(CompletionStage<T> stage) {
    return clock.passUntil(stage, all.get(0).factory());
  }

  /** What completes without time passing. */
  static <T> T soon(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    all.forEach(p -> p.factory().close());
    store.close();
  }
}
