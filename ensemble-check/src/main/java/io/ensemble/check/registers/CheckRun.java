package io.ensemble.check.registers;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleException;
import io.ensemble.FormerStorePolicy;
import io.ensemble.Mode;
import io.ensemble.StoreIntactException;
import io.ensemble.check.faults.CompositeSites;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultInjector;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.WriterPauses;
import io.ensemble.check.faults.WriterRotation;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.listeners.FaultableListeners;
import io.ensemble.check.listeners.ListenerProcesses;
import io.ensemble.check.migration.Reconfigurer;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ShutdownHook;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.report.LossWindowChecker;
import io.ensemble.check.report.StreamVerdict;
import io.ensemble.check.report.WindowFile;
import io.ensemble.check.report.WindowLine;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.ClientMessage;
import io.ensemble.check.trial.TrialOutcome;
import io.ensemble.check.trial.TrialWorkload;
import io.ensemble.check.trial.TrialWorkload.WorkloadResult;
import io.ensemble.site.SiteException;
import io.ensemble.testkit.history.HistoryNote;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.NoteFile;
import io.ensemble.testkit.history.OperationHistory;
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

/** One trial of a cache of its own, with clients, faults, and the judgement. Removes the cache. */
public final class CheckRun {
  private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(30);
  private static final Duration LONGEST_CONVERGENCE = Duration.ofSeconds(90);

  private final CheckRequest request;
  private final CheckEnvironment checkEnvironment;
  private final ClientLauncher launcher;
  private final String cache;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param launcher starts the client processes
   */
  CheckRun(CheckRequest request, CheckEnvironment checkEnvironment, ClientLauncher launcher) {
    this.request = request;
    this.checkEnvironment = checkEnvironment;
    this.launcher = launcher;
    this.cache = checkEnvironment.cache();
  }

  /** The trial with the standard client processes. */
  public static CheckRun of(CheckRequest request, CheckEnvironment checkEnvironment) {
    return new CheckRun(request, checkEnvironment, ClientLauncher.ofProgram(ClientProgram.class));
  }

  /**
   * Runs the trial.
   *
   * @throws CommandException if it could not begin, or its files could not be written
   */
  public CheckResult run() throws InterruptedException {
    List<SiteDescriptor> places = checkEnvironment.sites().places();
    try (EnsembleCacheManager manager =
        FederationConnection.builder(places).catalog(checkEnvironment.catalog()).build()) {
      ShutdownHook remover = ShutdownHook.set("check-remover", () -> manager.deleteCache(cache));
      try {
        List<String> names = places.stream().map(SiteDescriptor::name).toList();
        CacheDefinition wanted =
            request.definition(cache, names.subList(0, request.replication(names.size())));
        if (request.shards() == 0) {
          manager.createCache(wanted);
        } else {
          manager.createSharded(wanted, request.shards());
        }
        return runTrial(manager);
      } finally {
        manager.deleteCache(cache);
        boolean unused = remover.withdraw();
      }
    }
  }

  private CheckResult runTrial(EnsembleCacheManager manager) throws InterruptedException {
    EnsembleCache<String, Long> opened =
        Objects.requireNonNull(manager.<String, Long>getCache(cache), "the cache of this run");
    if (request.isListening()) {
      checkEnvironment.tell("starting " + request.listeners() + " listeners");
    }
    try (ListenerProcesses listeners =
        ListenerProcesses.start(
            checkEnvironment,
            request.listeners(),
            request.keys(),
            LastWrites.valuesAbove(request))) {
      return runTrial(manager, opened, listeners);
    }
  }

  /** The sites, and the listeners if there are any. */
  private FaultableSites targets(ListenerProcesses listeners) {
    return request.isListening()
        ? new CompositeSites(checkEnvironment.sites(), new FaultableListeners(listeners))
        : checkEnvironment.sites();
  }

  private CheckResult runTrial(
      EnsembleCacheManager manager, EnsembleCache<String, Long> opened, ListenerProcesses listeners)
      throws InterruptedException {
    AtomicReference<@Nullable Reconfigurer> reconfiguring = new AtomicReference<>();
    TrialFaultInjector faults =
        new TrialFaultInjector(
            request.plan(checkEnvironment.sites()),
            targets(listeners),
            (site, former) -> recover(manager, site, former),
            fault ->
                Objects.requireNonNull(reconfiguring.get(), "begun")
                    .perform(fault, checkEnvironment.sites()),
            checkEnvironment.progress());
    WorkloadResult worked;
    ClientMessage done;
    OperationHistory history;
    List<Path> windows;
    EpochWatch epochs =
        request.isBounded()
            ? EpochWatch.of(() -> manager.primaryTerm(cache).epoch(), System::nanoTime)
            : EpochWatch.none();
    checkEnvironment.tell("starting " + request.processes() + " client processes");
    try (epochs;
        ClientProcesses workers = ClientProcesses.start(request, checkEnvironment, launcher)) {
      reconfiguring.set(reconfiguring(manager, workers, faults));
      worked = runClients(workers, faults);
      problems.addAll(worked.problems());
      boolean orderly = workers.stop();
      done = workers.done();
      if (!orderly) {
        throw new CommandException(
            "a client process did not end normally, its history is lost; see its log in "
                + checkEnvironment.directory());
      }
      history =
          request.isListening()
              ? listenedHistory(manager, opened, workers, listeners)
              : history(List.of(finalReads(manager)), workers.parts(), List.of());
      windows = workers.windows();
    }
    checkEnvironment.tell("judging %,d operations".formatted(history.operations().size()));
    List<WindowLine> notes = request.isBounded() ? windowLines(windows, epochs) : List.of();
    GuaranteeVerdict finding = judge(history, notes);
    return new CheckResult(
        report(done, faults, worked.seconds(), finding, history),
        finding,
        history,
        faults.events(),
        notes);
  }

  private Reconfigurer reconfiguring(
      EnsembleCacheManager manager, ClientProcesses workers, TrialFaultInjector faults) {
    return new Reconfigurer(
        manager,
        checkEnvironment.sites().places(),
        checkEnvironment.catalog(),
        cache,
        checkEnvironment.directory().resolve("mover.log"),
        workers::pid,
        request.processes(),
        faults::note);
  }

  /**
   * The number of keys refilled at a site; none if the cache is not there now. Each lost shard is
   * recovered.
   */
  private long recover(EnsembleCacheManager manager, String site, FormerStorePolicy former) {
    if (request.shards() == 0) {
      return recover(manager, cache, site, former);
    }
    long keys = 0;
    int intact = 0;
    RuntimeException failed = null;
    for (String shard : manager.shards(cache)) {
      try {
        keys += recover(manager, shard, site, former);
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

  private long recover(
      EnsembleCacheManager manager, String stored, String site, FormerStorePolicy former) {
    boolean there =
        manager.stored(stored).filter(now -> now.definition().isAtSite(site)).isPresent();
    if (!there) {
      return 0;
    }
    try {
      return manager.recoverSite(stored, site, LONGEST_RECOVERY, former);
    } catch (StoreIntactException refilled) {
      if (!request.isSwmrAtTwo(request.replication(checkEnvironment.sites().places().size()))) {
        throw refilled;
      }
      manager.primaryTerm(stored); // Fails while no operation is served.
      return manager.recoverSite(stored, site, LONGEST_RECOVERY, former); // Waits for all data.
    }
  }

  /** The notes of the client processes, which have ended, and the changes of epochs. */
  private List<WindowLine> windowLines(List<Path> windows, EpochWatch epochs) {
    List<WindowLine> lines = new ArrayList<>();
    lines.add(WindowLine.of(request.bounds()));
    epochs.changes().forEach(change -> lines.add(WindowLine.of(change)));
    for (Path file : windows) {
      try {
        lines.addAll(WindowFile.read(file));
      } catch (IOException e) {
        throw new CommandException("cannot read " + file + ": " + e.getMessage(), e);
      }
    }
    return lines;
  }

  private GuaranteeVerdict judge(OperationHistory history, List<WindowLine> notes) {
    GuaranteeVerdict ofOperations = judgeOperations(history, notes);
    return request.isListening()
        ? StreamVerdict.completing(ofOperations, history, problems)
        : ofOperations;
  }

  private GuaranteeVerdict judgeOperations(OperationHistory history, List<WindowLine> notes) {
    if (request.mode() == Mode.WEAK) {
      return GuaranteeVerdict.nothingInvented(history);
    }
    if (!request.isBounded()) {
      return GuaranteeVerdict.linearizable(history);
    }
    LossWindowChecker judgement = new LossWindowChecker(history, notes);
    problems.addAll(judgement.problems());
    return judgement.finding();
  }

  /**
   * Lets the clients work. The writer of an SWMR cache is paused meanwhile, if the request includes
   * that.
   */
  private WorkloadResult runClients(ClientProcesses workers, TrialFaultInjector faults)
      throws InterruptedException {
    boolean stops = request.mode() == Mode.SWMR && request.faults().contains(TrialFaultKind.PAUSE);
    WriterPauses pauses =
        new WriterPauses(
            new WriterRotation(0, request.processes(), WriterRotation.TURN_MILLIS),
            request.seed(),
            workers::pid,
            WriterPauses::stopByShell,
            faults::note);
    WorkloadResult worked =
        new TrialWorkload(request, workers, faults, checkEnvironment.progress())
            .run(stops ? pauses::pauseIfDue : nanos -> {});
    pauses.end();
    return worked;
  }

  private Path finalReads(EnsembleCacheManager manager) throws InterruptedException {
    checkEnvironment.tell("reading all keys a last time");
    Path part = checkEnvironment.directory().resolve("final.jsonl");
    try (HistoryRecorder recorder =
        HistoryRecorder.toFile(
            System::nanoTime, ClientProcesses.firstClient(request.processes()), part)) {
      FinalReads reads =
          new FinalReads(
              request,
              checkEnvironment.sites(),
              checkEnvironment.catalog(),
              cache,
              recorder,
              checkEnvironment.progress());
      if (request.mode() == Mode.WEAK) {
        reads.untilSitesAgree(manager, LONGEST_CONVERGENCE);
      } else {
        reads.byMajorities();
      }
      problems.addAll(reads.problems());
      return part;
    } catch (IOException e) {
      throw new CommandException("cannot write " + part + ": " + e.getMessage(), e);
    }
  }

  /** Writes each key once more, and lets the listeners receive everything. */
  private OperationHistory listenedHistory(
      EnsembleCacheManager manager,
      EnsembleCache<String, Long> opened,
      ClientProcesses workers,
      ListenerProcesses listeners)
      throws InterruptedException {
    checkEnvironment.tell("writing all keys a last time");
    LastWrites lastWrites = new LastWrites(request, checkEnvironment.directory());
    lastWrites.perform(opened);
    problems.addAll(lastWrites.problems());
    checkEnvironment.tell("waiting for the listeners");
    problems.addAll(listeners.stop());
    List<HistoryNote> notes = new ArrayList<>(listeners.notes());
    problems.addAll(StreamVerdict.silentListeners(notes));
    List<Path> stamps = new ArrayList<>(workers.stamps());
    stamps.add(lastWrites.stamps());
    for (Path file : stamps) {
      try {
        notes.addAll(NoteFile.read(file));
      } catch (IOException e) {
        throw new CommandException("cannot read " + file + ": " + e.getMessage(), e);
      }
    }
    return history(List.of(lastWrites.operations(), finalReads(manager)), workers.parts(), notes);
  }

  /** All parts together, in the order of calls. */
  private static OperationHistory history(
      List<Path> last, List<Path> parts, List<HistoryNote> notes) {
    List<HistoryOperation> all = new ArrayList<>();
    List<Path> files = new ArrayList<>(parts);
    files.addAll(last);
    for (Path file : files) {
      try {
        all.addAll(HistoryReader.read(file).operations());
      } catch (IOException e) {
        throw new CommandException("cannot read " + file + ": " + e.getMessage(), e);
      }
    }
    all.sort(Comparator.comparingLong(HistoryOperation::callNanos));
    return new OperationHistory(all, notes);
  }

  private CheckReport report(
      ClientMessage done,
      TrialFaultInjector faults,
      double seconds,
      GuaranteeVerdict finding,
      OperationHistory history) {
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
            ? finding.guarantee() + ", and equal contents of all sites at the end"
            : finding.guarantee(),
        checkEnvironment.sites(),
        problems);
  }
}
