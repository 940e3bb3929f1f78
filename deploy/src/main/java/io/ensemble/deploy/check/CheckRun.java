package io.ensemble.deploy.check;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.FormerStore;
import io.ensemble.Mode;
import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.federation.Federation;
import io.ensemble.deploy.federation.Place;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One trial: a cache of its own, clients, faults, and the judgement. Removes the cache. */
public final class CheckRun {
  private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(30);
  private static final Duration LONGEST_CONVERGENCE = Duration.ofSeconds(90);
  private static final long LOOK_MILLIS = 200;
  private static final long TELL_MILLIS = 2_000;

  private final CheckRequest request;
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
  CheckRun(
      CheckRequest request,
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
  public static CheckRun of(
      CheckRequest request,
      Breakable sites,
      String catalog,
      Path directory,
      Consumer<String> progress) {
    return new CheckRun(
        request, sites, catalog, directory, ClientProgram.class.getName(), progress);
  }

  /**
   * Runs it.
   *
   * @throws CommandFailure if it could not begin, or its files could not be written
   */
  public CheckResult run() throws InterruptedException {
    try (EnsembleCacheManager manager =
        Federation.builder(sites.places()).catalog(catalog).build()) {
      Thread remover = new Thread(() -> manager.deleteCache(cache), "check-remover");
      Runtime.getRuntime().addShutdownHook(remover);
      try {
        List<String> names = sites.places().stream().map(Place::name).toList();
        manager.createCache(
            request.definition(cache, names.subList(0, request.replication(names.size()))));
        return tried(manager);
      } finally {
        manager.deleteCache(cache);
        forget(remover);
      }
    }
  }

  private static void forget(Thread remover) {
    try {
      Runtime.getRuntime().removeShutdownHook(remover);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook does its work.
    }
  }

  private CheckResult tried(EnsembleCacheManager manager) throws InterruptedException {
    manager.getCache(cache);
    FaultPlan plan =
        new FaultPlan(
            request.seed(),
            new FaultPlan.Settings(
                sites.places().size(),
                sites.nodes(),
                request.faults(),
                request.forgetful(request.replication(sites.places().size())),
                sites.killedSitesRemember()));
    AtomicReference<@Nullable Reconfiguring> reconfiguring = new AtomicReference<>();
    FaultRun faults =
        new FaultRun(
            plan,
            sites,
            (site, former) -> recovered(manager, site, former),
            fault -> Objects.requireNonNull(reconfiguring.get(), "begun").perform(fault),
            progress);
    ClientWord done;
    History history;
    List<Path> windows;
    EpochWatch epochs =
        request.isBounded()
            ? EpochWatch.of(() -> manager.primaryTerm(cache).epoch(), System::nanoTime)
            : EpochWatch.none();
    progress.accept("starting " + request.processes() + " client processes");
    try (epochs;
        Workers workers =
            Workers.start(request, sites.places(), catalog, cache, directory, program)) {
      reconfiguring.set(reconfiguring(manager, workers, faults));
      work(workers, faults);
      boolean orderly = workers.stop();
      done = workers.done();
      if (!orderly) {
        throw new CommandFailure(
            "a client process did not end in order, its history is lost; see its log in "
                + directory);
      }
      history = history(workers.parts(), finalReads(manager));
      windows = workers.windows();
    }
    progress.accept("judging %,d operations".formatted(history.operations().size()));
    List<WindowLine> notes = request.isBounded() ? notes(windows, epochs) : List.of();
    Finding finding = judged(history, notes);
    return new CheckResult(
        report(done, faults, finding, history), finding, history, faults.events(), notes);
  }

  private Reconfiguring reconfiguring(
      EnsembleCacheManager manager, Workers workers, FaultRun faults) {
    return new Reconfiguring(
        manager,
        sites.places(),
        catalog,
        cache,
        directory.resolve("mover.log"),
        workers::pid,
        request.processes(),
        faults::note);
  }

  /** How many keys a site was given again: none where the cache is not there now. */
  private long recovered(EnsembleCacheManager manager, String site, FormerStore former) {
    boolean there =
        manager
            .stored(cache)
            .filter(stored -> stored.definition().sites().contains(site))
            .isPresent();
    return there ? manager.recoverSite(cache, site, LONGEST_RECOVERY, former) : 0;
  }

  /** What the client processes, which have ended, have noted, and what befell the epochs. */
  private List<WindowLine> notes(List<Path> windows, EpochWatch epochs) {
    List<WindowLine> lines = new ArrayList<>();
    lines.add(WindowLine.of(request.bounds()));
    epochs.changes().forEach(change -> lines.add(WindowLine.of(change)));
    for (Path file : windows) {
      try {
        lines.addAll(WindowFile.read(file));
      } catch (IOException e) {
        throw new CommandFailure("cannot read " + file + ": " + e.getMessage(), e);
      }
    }
    return lines;
  }

  private Finding judged(History history, List<WindowLine> notes) {
    if (request.mode() == Mode.WEAK) {
      return Finding.nothingInvented(history);
    }
    if (!request.isBounded()) {
      return Finding.linearizable(history);
    }
    WindowJudgement judgement = new WindowJudgement(history, notes);
    problems.addAll(judgement.problems());
    return judgement.finding();
  }

  /** Until enough is done and every kind of fault has come, or time is over. */
  private void work(Workers workers, FaultRun faults) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    boolean breaks = !request.faults().isEmpty();
    long begin = System.nanoTime();
    long told = begin;
    boolean stops = request.mode() == Mode.SWMR && request.faults().contains(FaultKind.PAUSE);
    Turns turns = new Turns(0, request.processes(), Turns.TURN_MILLIS);
    WriterPauses pauses =
        new WriterPauses(
            turns, request.seed(), workers::pid, WriterPauses::stopByShell, faults::note);
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
      if (stops) {
        pauses.look(System.nanoTime() - begin);
      }
      if (System.nanoTime() - told > TimeUnit.MILLISECONDS.toNanos(TELL_MILLIS)) {
        told = System.nanoTime();
        tell(workers.done());
      }
    }
    if (breaks) {
      faults.stop();
    }
    pauses.end();
    seconds = Math.round((System.nanoTime() - begin) / 1e8) / 1e1;
  }

  private void tell(ClientWord done) {
    progress.accept(
        "%,d of %,d operations, %,d refused, %,d unknown"
            .formatted(done.done(), request.operations(), done.refused(), done.unknown()));
  }

  private Path finalReads(EnsembleCacheManager manager) throws InterruptedException {
    progress.accept("reading all keys once more");
    Path part = directory.resolve("final.jsonl");
    try (HistoryRecorder recorder =
        HistoryRecorder.toFile(System::nanoTime, Workers.firstClient(request.processes()), part)) {
      FinalReads reads = new FinalReads(request, sites, catalog, cache, recorder, progress);
      if (request.mode() == Mode.WEAK) {
        reads.untilSitesAgree(manager, LONGEST_CONVERGENCE);
      } else {
        reads.byMajorities();
      }
      problems.addAll(reads.problems());
      return part;
    } catch (IOException e) {
      throw new CommandFailure("cannot write " + part + ": " + e.getMessage(), e);
    }
  }

  /** All parts together, in the order of calls. */
  private static History history(List<Path> parts, Path last) {
    List<Operation> all = new ArrayList<>();
    List<Path> files = new ArrayList<>(parts);
    files.add(last);
    for (Path file : files) {
      try {
        all.addAll(HistoryReader.read(file).operations());
      } catch (IOException e) {
        throw new CommandFailure("cannot read " + file + ": " + e.getMessage(), e);
      }
    }
    all.sort(Comparator.comparingLong(Operation::callNanos));
    return new History(all);
  }

  private CheckReport report(ClientWord done, FaultRun faults, Finding finding, History history) {
    if (!finding.held()) {
      problems.add("the guarantee was " + finding.verdict() + ": " + finding.guarantee());
    }
    if (done.completed() < request.enough()) {
      problems.add(
          "too few operations were answered; wanted %d, came %d"
              .formatted(request.enough(), done.completed()));
    }
    if (done.broken() > 0) {
      problems.add(
          "%d operations ended as none may; the first: %s"
              .formatted(done.broken(), done.trouble()));
    }
    String trouble = faults.trouble();
    if (trouble != null) {
      problems.add(trouble);
    }
    request.faults().stream()
        .filter(kind -> !faults.injected().contains(kind))
        .forEach(kind -> problems.add("a fault never came: " + kind.word()));
    return new CheckReport(
        problems.isEmpty(),
        request.mode().name().toLowerCase(Locale.ROOT),
        request.seed(),
        sites.places().stream().map(Place::name).toList(),
        request.mode() == Mode.WEAK
            ? finding.guarantee() + ", and all sites alike in the end"
            : finding.guarantee(),
        finding.verdict(),
        new CheckReport.Operations(
            request.operations(),
            history.operations().size(),
            done.completed(),
            request.enough(),
            done.refused(),
            done.unknown()),
        seconds,
        FaultEvents.counts(faults.events()),
        FaultEvents.refills(faults.events()),
        FaultEvents.givenUp(faults.events()),
        Availability.of(history, faults.events()),
        sites.lines(),
        problems,
        CheckReport.Violation.of(finding),
        null);
  }
}
