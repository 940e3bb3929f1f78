package io.ensemble.cli.demo.objects;

import io.ensemble.objects.sync.Grant;
import java.time.Duration;
import java.util.Optional;

/**
 * One worker: takes jobs until there are none, and does each under the lock. It prints a line for
 * each step: {@code ready}, {@code holds TOKEN}, {@code done JOB COUNT}, {@code lost}, {@code
 * empty}.
 */
public final class WorkerProgram {

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private WorkerProgram() {}

  /** Runs the worker; its one argument is the address of the cluster. */
  public static void main(String[] arguments) throws InterruptedException {
    try (SharedJobs shared = new SharedJobs(arguments[0])) {
      say("ready");
      Integer job = shared.jobs.dequeue();
      while (job != null) {
        work(shared, job);
        job = shared.jobs.dequeue();
      }
      say("empty");
    }
  }

  private static void work(SharedJobs shared, int job) throws InterruptedException {
    Optional<Grant> granted = shared.lock.acquire(LONGEST_WAIT);
    if (granted.isEmpty()) {
      say("lost");
      return;
    }
    try (Grant grant = granted.get()) {
      say("holds " + grant.token());
      shared.addToLedger();
      say("done " + job + " " + shared.done.incrementAndGet());
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
