package io.ensemble.objects.sync;

import io.ensemble.objects.CallFailures;
import io.ensemble.objects.ReportTest;
import io.ensemble.objects.sync.link.ObjectLink;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A process in simulated time. Its clock runs slightly fast or slow. Its calls are applied in
 * order, late, or not at all. It may pause, or end.
 */
final class SimulatedProcess<S> implements ObjectLink<S> {

  private static final long MILLI = 1_000_000;

  private final ObjectSimulation<S> time;
  private final boolean events;
  private final double rate;
  private final UUID id;
  private long lastApplied;
  private long stoppedUntil;
  private boolean dead;
  private boolean closed;

  SimulatedProcess(ObjectSimulation<S> time) {
    this.time = time;
    this.id = new UUID(time.random.nextLong(), 0);
    this.events = time.random.nextBoolean();
    this.rate = 0.96 + 0.08 * time.random.nextDouble();
  }

  @Override
  public UUID session() {
    return id;
  }

  void die() {
    dead = true;
  }

  boolean isDead() {
    return dead;
  }

  /** Pauses like a long garbage collection, or like the migration of a virtual machine. */
  void stopFor(long nanos) {
    stoppedUntil = Math.max(stoppedUntil, time.now() + nanos);
  }

  private void run(long at, Runnable task) {
    time.after(
        at - time.now(),
        () -> {
          if (dead) {
            return;
          }
          if (time.now() < stoppedUntil) {
            run(stoppedUntil, task);
          } else {
            task.run();
          }
        });
  }

  @Override
  public <R> CompletionStage<R> call(Function<? super S, ? extends R> call) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    boolean refused = time.goesWrong();
    boolean lost = time.goesWrong();
    boolean applied = !refused && (!lost || time.random.nextBoolean());
    long slow = time.goesWrong() ? 3_000 * MILLI : 3 * MILLI;
    lastApplied = Math.max(lastApplied, time.now() + (long) (time.random.nextDouble() * slow));
    time.after(
        lastApplied - time.now(),
        () -> {
          R result = null;
          RuntimeException thrown = null;
          if (applied) {
            try {
              result = time.apply(call);
            } catch (RuntimeException e) {
              thrown = e;
            }
          }
          long back = time.now() + (long) (time.random.nextDouble() * slow);
          R outcome = result;
          RuntimeException failure =
              refused ? CallFailures.refused() : lost ? CallFailures.unknown() : thrown;
          run(
              back,
              () -> {
                if (failure != null) {
                  answer.completeExceptionally(failure);
                } else {
                  answer.complete(outcome);
                }
              });
        });
    return answer;
  }

  @Override
  public CompletionStage<Void> changed(long nanos, ReportTest<? super S> matters) {
    CompletableFuture<Void> changed = new CompletableFuture<>();
    if (!events || !time.goesWrong()) {
      time.watch(
          state -> matters.matters(state, !events),
          () ->
              run(
                  time.now() + (long) (time.random.nextDouble() * 20 * MILLI),
                  () -> changed.complete(null)));
    }
    after(nanos, () -> changed.complete(null));
    return changed;
  }

  @Override
  public long now() {
    return (long) (time.now() * rate);
  }

  @Override
  public Runnable after(long nanos, Runnable task) {
    boolean[] off = {false};
    run(
        time.now() + (long) (nanos / rate) + 1,
        () -> {
          if (!off[0]) {
            task.run();
          }
        });
    return () -> off[0] = true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return "played";
  }
}
