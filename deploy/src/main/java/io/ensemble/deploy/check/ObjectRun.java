package io.ensemble.deploy.check;

import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.check.objects.ObjectKind;
import io.ensemble.deploy.federation.Place;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.Operation;
import io.ensemble.testkit.history.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One trial of atomic objects: a store of its own, client processes that share objects in it,
 * faults, and the judgement.
 */
public final class ObjectRun {
  private static final long LOOK_MILLIS = 200;
  private static final Duration BETWEEN_TELLING = Duration.ofSeconds(2);

  private final ObjectRequest request;
  private final Breakable sites;
  private final String catalog;
  private final Path directory;
  private final String program;
  private final Consumer<String> progress;
  private final String cache = "ensemble-check-" + UUID.randomUUID().toString().substring(0, 8);
  private final List<String> problems = new ArrayList<>();
  private double seconds;

  /**
   * @param catalog where the caches are defined
   * @param directory where the clients' parts of the history and their logs are kept
   * @param program what client processes run
   * @param progress told in short lines, from several threads
   */
  ObjectRun(
      ObjectRequest request,
      Breakable sites,
      String catalog,
      Path directory,
      String program,
      Consumer<String> progress) {
    this.request = request;
    this.sites = sites;
    this.catalog = catalog;
    this.directory = directory;
    this.program = program;
    this.progress = progress;
  }

  /** The trial with clients as they are. */
  public static ObjectRun of(
      ObjectRequest request,
      Breakable sites,
      String catalog,
      Path directory,
      Consumer<String> progress) {
    return new ObjectRun(
        request, sites, catalog, directory, ObjectProgram.class.getName(), progress);
  }

  /**
   * Runs it.
   *
   * @throws CommandFailure if it could not begin, or its files could not be read
   */
  public CheckResult run() throws InterruptedException {
    FaultPlan plan = request.plan(sites);
    progress.accept("starting " + request.processes() + " client processes");
    ObjectOrder common = common();
    try (ObjectHome home = ObjectHome.create(request, sites.places(), catalog, cache);
        ObjectWorkers workers =
            new ObjectWorkers(request, common, home::order, directory, program)) {
      workers.start();
      FaultRun faults =
          new FaultRun(
              plan,
              new SitesAndMore(
                  sites,
                  new BreakableClients(
                      sites,
                      workers,
                      choice -> home.owner(common.object(choice % request.objects())))),
              home::refilled,
              progress);
      work(workers, faults);
      if (!workers.stop()) {
        problems.add("a client process did not end in order; see its log in " + directory);
      }
      progress.accept("looking at all objects once more");
      if (!workers.last()) {
        problems.add("a last look at the objects failed; see the last log in " + directory);
      }
      return judged(workers, faults);
    }
  }

  private ObjectOrder common() {
    return new ObjectOrder(
        request.kind(),
        request.store(),
        request.stored(),
        sites.places(),
        catalog,
        cache,
        null,
        request.clients(),
        0,
        0,
        request.objects(),
        request.seed(),
        0,
        request.operations(),
        request.deadline().toMillis(),
        "",
        false);
  }

  /** Until enough is done and every kind of fault has come, or time is over. */
  private void work(ObjectWorkers workers, FaultRun faults) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    boolean breaks = !request.faults().isEmpty();
    long begin = System.nanoTime();
    long told = begin;
    workers.go();
    if (breaks) {
      faults.start();
    }
    while (workers.areAlive()
        && faults.trouble() == null
        && (workers.done().done() < request.operations()
            || !faults.injected().containsAll(request.faults()))) {
      if (System.nanoTime() - begin > request.longest().toNanos()) {
        problems.add("the time was over; it was %d s".formatted(request.longest().toSeconds()));
        break;
      }
      never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      if (System.nanoTime() - told > BETWEEN_TELLING.toNanos()) {
        told = System.nanoTime();
        tell(workers.done());
      }
    }
    if (breaks) {
      faults.stop();
    }
    seconds = Math.round((System.nanoTime() - begin) / 1e8) / 1e1;
  }

  private void tell(ClientWord done) {
    progress.accept(
        "%,d of %,d calls, %,d refused, %,d unknown"
            .formatted(done.done(), request.operations(), done.refused(), done.unknown()));
  }

  private CheckResult judged(ObjectWorkers workers, FaultRun faults) {
    List<Operation> all = workers.history();
    if (request.kind() == ObjectKind.LOCK) {
      problems.addAll(Leases.wrongTokens(all));
      all.addAll(Leases.ended(all));
    }
    all.sort(Comparator.comparingLong(Operation::callNanos));
    History history = new History(all);
    progress.accept("judging %,d calls".formatted(all.size()));
    Finding finding = Finding.linearizable(history).of("linearizable per object");
    problems(workers.done(), faults, finding, history);
    CheckReport report =
        new CheckReport(
            problems.isEmpty(),
            request.words(),
            request.seed(),
            sites.places().stream().map(Place::name).toList(),
            finding.guarantee(),
            finding.verdict(),
            new CheckReport.Operations(
                request.operations(),
                all.size(),
                count(history, Outcome.OK),
                request.enough(),
                count(history, Outcome.REFUSED),
                count(history, Outcome.UNKNOWN)),
            seconds,
            FaultEvents.counts(faults.events()),
            FaultEvents.refills(faults.events()),
            FaultEvents.givenUp(faults.events()),
            Availability.of(history, faults.events()),
            sites.lines(),
            problems,
            CheckReport.Violation.of(finding),
            null);
    return new CheckResult(report, finding, history, faults.events(), List.of());
  }

  private void problems(ClientWord done, FaultRun faults, Finding finding, History history) {
    if (!finding.held()) {
      problems.add("the guarantee was " + finding.verdict() + ": " + finding.guarantee());
    }
    long answered = count(history, Outcome.OK);
    if (answered < request.enough()) {
      problems.add(
          "too few calls were answered; wanted %d, came %d".formatted(request.enough(), answered));
    }
    if (done.broken() > 0) {
      problems.add(
          "%d calls ended as none may; the first: %s".formatted(done.broken(), done.trouble()));
    }
    String trouble = faults.trouble();
    if (trouble != null) {
      problems.add(trouble);
    }
    request.faults().stream()
        .filter(kind -> !faults.injected().contains(kind))
        .forEach(kind -> problems.add("a fault never came: " + kind.word()));
  }

  private static long count(History history, Outcome outcome) {
    return history.operations().stream().filter(one -> one.outcome() == outcome).count();
  }
}
