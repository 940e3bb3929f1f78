package io.ensemble.deploy.check;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleException;
import io.ensemble.FormerStore;
import io.ensemble.Mode;
import io.ensemble.StoreIntactException;
import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.check.WorkAmongFaults.Worked;
import io.ensemble.deploy.federation.Federation;
import io.ensemble.deploy.federation.Place;
import io.ensemble.deploy.process.ShutdownHook;
import io.ensemble.site.SiteException;
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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One trial: a cache of its own, clients, faults, and the judgement. Removes the cache. */
public final class CheckRun {
  private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(30);
  private static final Duration LONGEST_CONVERGENCE = Duration.ofSeconds(90);

  private final CheckRequest request;
  private final Scene scene;
  private final ClientLauncher launcher;
  private final String cache;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param launcher starts the client processes
   */
  CheckRun(CheckRequest request, Scene scene, ClientLauncher launcher) {
    this.request = request;
    this.scene = scene;
    this.launcher = launcher;
    this.cache = scene.cache();
  }

  /** The trial with clients as they are. */
  public static CheckRun of(CheckRequest request, Scene scene) {
    return new CheckRun(request, scene, ClientLauncher.ofProgram(ClientProgram.class));
  }

  /**
   * Runs it.
   *
   * @throws CommandFailure if it could not begin, or its files could not be written
   */
  public CheckResult run() throws InterruptedException {
    List<Place> places = scene.sites().places();
    try (EnsembleCacheManager manager =
        Federation.builder(places).catalog(scene.catalog()).build()) {
      ShutdownHook remover = ShutdownHook.set("check-remover", () -> manager.deleteCache(cache));
      try {
        List<String> names = places.stream().map(Place::name).toList();
        CacheDefinition wanted =
            request.definition(cache, names.subList(0, request.replication(names.size())));
        if (request.shards() == 0) {
          manager.createCache(wanted);
        } else {
          manager.createSharded(wanted, request.shards());
        }
        return tried(manager);
      } finally {
        manager.deleteCache(cache);
        boolean unused = remover.withdraw();
      }
    }
  }

  private CheckResult tried(EnsembleCacheManager manager) throws InterruptedException {
    manager.getCache(cache);
    AtomicReference<@Nullable Reconfiguring> reconfiguring = new AtomicReference<>();
    FaultRun faults =
        new FaultRun(
            request.plan(scene.sites()),
            scene.sites(),
            (site, former) -> recovered(manager, site, former),
            fault ->
                Objects.requireNonNull(reconfiguring.get(), "begun").perform(fault, scene.sites()),
            scene.progress());
    Worked worked;
    ClientWord done;
    History history;
    List<Path> windows;
    EpochWatch epochs =
        request.isBounded()
            ? EpochWatch.of(() -> manager.primaryTerm(cache).epoch(), System::nanoTime)
            : EpochWatch.none();
    scene.tell("starting " + request.processes() + " client processes");
    try (epochs;
        Workers workers = Workers.start(request, scene, launcher)) {
      reconfiguring.set(reconfiguring(manager, workers, faults));
      worked = work(workers, faults);
      problems.addAll(worked.problems());
      boolean orderly = workers.stop();
      done = workers.done();
      if (!orderly) {
        throw new CommandFailure(
            "a client process did not end in order, its history is lost; see its log in "
                + scene.directory());
      }
      history = history(workers.parts(), finalReads(manager));
      windows = workers.windows();
    }
    scene.tell("judging %,d operations".formatted(history.operations().size()));
    List<WindowLine> notes = request.isBounded() ? notes(windows, epochs) : List.of();
    Finding finding = judged(history, notes);
    return new CheckResult(
        report(done, faults, worked.seconds(), finding, history),
        finding,
        history,
        faults.events(),
        notes);
  }

  private Reconfiguring reconfiguring(
      EnsembleCacheManager manager, Workers workers, FaultRun faults) {
    return new Reconfiguring(
        manager,
        scene.sites().places(),
        scene.catalog(),
        cache,
        scene.directory().resolve("mover.log"),
        workers::pid,
        request.processes(),
        faults::note);
  }

  /**
   * How many keys a site was given again: none where the cache is not there now. Of shards each
   * that is lost is recovered.
   */
  private long recovered(EnsembleCacheManager manager, String site, FormerStore former) {
    if (request.shards() == 0) {
      return recovered(manager, cache, site, former);
    }
    long keys = 0;
    int intact = 0;
    RuntimeException failed = null;
    for (String shard : manager.shards(cache)) {
      try {
        keys += recovered(manager, shard, site, former);
      } catch (StoreIntactException one) {
        if (++intact == request.shards()) {
          throw one;
        }
      } catch (EnsembleException | SiteException one) { // The other shards do not wait for it.
        failed = failed == null ? one : failed;
      }
    }
    if (failed != null) {
      throw failed;
    }
    return keys;
  }

  private long recovered(
      EnsembleCacheManager manager, String stored, String site, FormerStore former) {
    boolean there =
        manager.stored(stored).filter(now -> now.definition().isAtSite(site)).isPresent();
    if (!there) {
      return 0;
    }
    try {
      return manager.recoverSite(stored, site, LONGEST_RECOVERY, former);
    } catch (StoreIntactException refilled) {
      if (!request.isSwmrAtTwo(request.replication(scene.sites().places().size()))) {
        throw refilled;
      }
      manager.primaryTerm(stored); // Fails while no operation is served.
      return manager.recoverSite(stored, site, LONGEST_RECOVERY, former); // Waits until it has all.
    }
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

  /** The writer of an SWMR cache is stopped where it stands meanwhile, if it is to be. */
  private Worked work(Workers workers, FaultRun faults) throws InterruptedException {
    boolean stops = request.mode() == Mode.SWMR && request.faults().contains(FaultKind.PAUSE);
    WriterPauses pauses =
        new WriterPauses(
            new Turns(0, request.processes(), Turns.TURN_MILLIS),
            request.seed(),
            workers::pid,
            WriterPauses::stopByShell,
            faults::note);
    Worked worked =
        new WorkAmongFaults(request, workers, faults, scene.progress())
            .run(stops ? pauses::look : nanos -> {});
    pauses.end();
    return worked;
  }

  private Path finalReads(EnsembleCacheManager manager) throws InterruptedException {
    scene.tell("reading all keys once more");
    Path part = scene.directory().resolve("final.jsonl");
    try (HistoryRecorder recorder =
        HistoryRecorder.toFile(System::nanoTime, Workers.firstClient(request.processes()), part)) {
      FinalReads reads =
          new FinalReads(
              request, scene.sites(), scene.catalog(), cache, recorder, scene.progress());
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

  private CheckReport report(
      ClientWord done, FaultRun faults, double seconds, Finding finding, History history) {
    TrialOutcome outcome =
        new TrialOutcome(
            request,
            done,
            faults,
            seconds,
            history,
            finding,
            new CheckReport.Operations(
                request.operations(),
                history.operations().size(),
                done.completed(),
                request.enough(),
                done.refused(),
                done.unknown()));
    return outcome.report(
        request.mode().name().toLowerCase(Locale.ROOT),
        request.mode() == Mode.WEAK
            ? finding.guarantee() + ", and all sites alike in the end"
            : finding.guarantee(),
        scene.sites(),
        problems);
  }
}
