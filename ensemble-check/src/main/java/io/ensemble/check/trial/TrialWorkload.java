package io.ensemble.check.trial;

import io.ensemble.check.faults.TrialFaultInjector;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Runs the clients of one trial, while the sites have faults. */
public final class TrialWorkload {
  private static final long LOOK_MILLIS = 200;
  private static final Duration BETWEEN_TELLING = Duration.ofSeconds(2);

  private final TrialRequest request;
  private final ClientGroup clients;
  private final TrialFaultInjector faults;
  private final Consumer<String> progress;

  public TrialWorkload(
      TrialRequest request,
      ClientGroup clients,
      TrialFaultInjector faults,
      Consumer<String> progress) {
    this.request = request;
    this.clients = clients;
    this.faults = faults;
    this.progress = progress;
  }

  /**
   * The result.
   *
   * @param seconds the duration
   * @param problems the problems, in words; usually none
   */
  public record WorkloadResult(double seconds, List<String> problems) {}

  /**
   * Lets the clients work until enough operations are done and answered and every kind of fault has
   * occurred, or time is over. Faults under way are completed.
   *
   * @param look called from time to time with the nanoseconds since the begin
   */
  public WorkloadResult run(LongConsumer look) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    boolean breaks = !request.faults().isEmpty();
    boolean timely = true;
    long begin = System.nanoTime();
    long lastReportNanos = begin;
    clients.go();
    if (breaks) {
      faults.start();
    }
    while (timely && !isDone()) {
      timely = System.nanoTime() - begin <= request.longest().toNanos();
      if (timely) {
        never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        look.accept(System.nanoTime() - begin);
        if (System.nanoTime() - lastReportNanos > BETWEEN_TELLING.toNanos()) {
          lastReportNanos = System.nanoTime();
          reportProgress(clients.done());
        }
      }
    }
    if (breaks) {
      faults.stop();
    }
    return new WorkloadResult(
        Math.round((System.nanoTime() - begin) / 1e8) / 1e1,
        timely
            ? List.of()
            : List.of(
                "the time limit of %d s was reached".formatted(request.longest().toSeconds())));
  }

  /** Whether there is no further work, or no client for it. */
  private boolean isDone() {
    return !clients.areAlive()
        || faults.failure() != null
        || (request.isSatisfiedBy(clients.done())
            && faults.injected().containsAll(request.faults()));
  }

  private void reportProgress(ClientMessage done) {
    progress.accept(
        "%,d of %,d %s, %,d refused, %,d unknown"
            .formatted(
                done.done(),
                request.operations(),
                request.operationsAre(),
                done.refused(),
                done.unknown()));
  }
}
