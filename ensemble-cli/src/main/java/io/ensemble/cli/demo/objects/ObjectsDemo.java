package io.ensemble.cli.demo.objects;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.demo.DemoSteps;
import io.ensemble.cli.demo.StepReport;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Two processes share a counter, a queue and a lock; one is killed while it holds the lock. */
public final class ObjectsDemo {

  /**
   * The result.
   *
   * @param ok whether every step succeeded
   * @param seconds the total time
   * @param jobs the number of jobs
   * @param steps the steps; the last one failed if any did
   */
  public record Report(boolean ok, double seconds, int jobs, List<StepReport> steps) {

    /** Copies the list. */
    public Report {
      steps = List.copyOf(steps);
    }
  }

  private static final int FEWEST_JOBS = 20;
  private static final int MOST_JOBS = 100_000;
  private static final long LONGEST_SECONDS = 300;

  private final int jobs;
  private final Consumer<String> progress;
  private final DemoSteps steps;
  private final WorkerOutput workerOutput = new WorkerOutput();

  /**
   * @param jobs the number of jobs
   * @param progress receives short lines about the progress
   */
  public ObjectsDemo(int jobs, Consumer<String> progress) {
    if (jobs < FEWEST_JOBS || jobs > MOST_JOBS) {
      throw new CommandException(
          ExitCode.USAGE,
          "--jobs must be in [" + FEWEST_JOBS + ", " + MOST_JOBS + "]; got " + jobs);
    }
    this.jobs = jobs;
    this.progress = progress;
    this.steps = new DemoSteps(progress);
  }

  /**
   * Runs the demonstration. A failed step ends it and is the last one in the report. No process of
   * it remains afterwards.
   */
  public Report run() {
    long begin = System.nanoTime();
    boolean ok = true;
    try (EmbeddedFederation site = steps.make("start a cluster of 3 nodes", this::cluster)) {
      runWorkers(endpoints(site));
    } catch (DemoSteps.DemoStoppedException failed) {
      ok = false;
    }
    double seconds = Math.round((System.nanoTime() - begin) / 1e8) / 1e1;
    return new Report(ok, seconds, jobs, steps.reports());
  }

  private EmbeddedFederation cluster() {
    return EmbeddedFederation.start(
        EmbeddedFederation.Options.defaults()
            .withSiteNames("lyon")
            .withNodesPerSite(3)
            .withProgress(progress));
  }

  private static String endpoints(EmbeddedFederation site) {
    return site.sites().get(0).endpoints().stream()
        .map(at -> at.getHostString() + ":" + at.getPort())
        .collect(Collectors.joining(";"));
  }

  private void runWorkers(String endpoints) {
    try (SharedJobs shared =
        steps.make("create a queue, a counter and a lock", () -> new SharedJobs(endpoints))) {
      steps.step("put %,d jobs into the queue".formatted(jobs), () -> fillQueue(shared));
      DemoWorker firstWorker = startWorker("ada", endpoints);
      DemoWorker secondWorker = startWorker("bob", endpoints);
      try {
        steps.step("ada and bob work", () -> checkSharedWork(firstWorker, secondWorker));
        steps.step("ada is killed while it holds the lock", () -> killLockHolder(firstWorker));
      } finally {
        firstWorker.close();
        try (secondWorker;
            DemoWorker thirdWorker = startWorker("eve", endpoints)) {
          steps.step("eve replaces ada, all jobs are done", () -> awaitEmptyQueue(thirdWorker));
        }
      }
      steps.step("no job is lost or done twice", () -> verifyTotals(shared));
    }
  }

  private DemoWorker startWorker(String name, String endpoints) {
    return DemoWorker.start(
        name, endpoints, (worker, line) -> workerOutput.addLine(worker.name, line));
  }

  private String fillQueue(SharedJobs shared) {
    for (int job = 1; job <= jobs; job++) {
      shared.jobs.enqueue(job);
    }
    return "%,d in the queue".formatted(shared.jobs.size());
  }

  private String checkSharedWork(DemoWorker firstWorker, DemoWorker secondWorker)
      throws InterruptedException {
    int each = jobs / 10;
    for (DemoWorker worker : List.of(firstWorker, secondWorker)) {
      require(
          workerOutput.await(
              each, l -> l.worker().equals(worker.name) && l.beginsWith("done"), LONGEST_SECONDS),
          worker.name + " has not done " + each + " jobs in " + LONGEST_SECONDS + " s");
    }
    return "processes %d and %d, %d jobs done"
        .formatted(firstWorker.pid(), secondWorker.pid(), countDone());
  }

  /** Waits until the worker takes the lock once more, and kills it immediately. */
  private String killLockHolder(DemoWorker firstWorker) throws InterruptedException {
    int before = workerOutput.all(l -> l.worker().equals("ada") && l.beginsWith("holds")).size();
    require(
        workerOutput.await(
            before + 1, l -> l.worker().equals("ada") && l.beginsWith("holds"), LONGEST_SECONDS),
        "ada has not taken the lock again");
    firstWorker.kill();
    long at = System.nanoTime();
    int held = workerOutput.all(l -> l.worker().equals("bob") && l.beginsWith("holds")).size();
    require(
        workerOutput.await(
            held + 1, l -> l.worker().equals("bob") && l.beginsWith("holds"), LONGEST_SECONDS),
        "bob did not acquire the lock");
    return "bob acquired the lock again after %.2f s; the lease of a crashed holder is %d s"
        .formatted((System.nanoTime() - at) / 1e9, SharedJobs.LEASE.toSeconds());
  }

  private String awaitEmptyQueue(DemoWorker thirdWorker) throws InterruptedException {
    require(
        workerOutput.await(2, l -> l.beginsWith("empty"), LONGEST_SECONDS),
        "the queue was not empty after " + LONGEST_SECONDS + " s");
    return "process %d, %d jobs done".formatted(thirdWorker.pid(), countDone());
  }

  private String verifyTotals(SharedJobs shared) {
    long counted = shared.done.get();
    int ledger = shared.ledger();
    long tokens = workerOutput.all(l -> l.beginsWith("holds")).size();
    require(shared.jobs.size() == 0, "the queue holds " + shared.jobs.size() + " jobs");
    require(
        workerOutput.distinctNumbers("holds", 1).size() == tokens,
        "two grants have the same token");
    require(workerOutput.distinctNumbers("done", 1).size() == countDone(), "a job was done twice");
    require(
        workerOutput.distinctNumbers("done", 2).size() == countDone(),
        "the counter returned a number twice");
    require(
        counted == jobs || counted == jobs - 1,
        "%d jobs, counted %d: only jobs of the crashed process may be missing"
            .formatted(jobs, counted));
    require(
        ledger == counted || ledger == counted + 1,
        "counted %d, in the ledger %d: two processes wrote at the same time"
            .formatted(counted, ledger));
    return "%,d jobs, counted %,d, in the ledger %,d, %,d different tokens"
        .formatted(jobs, counted, ledger, tokens);
  }

  private int countDone() {
    return workerOutput.all(l -> l.beginsWith("done")).size();
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
