package io.ensemble.check.faults;

import io.ensemble.check.federation.SiteDescriptor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Executes a plan, round by round, on a thread of its own, until it is stopped. It stops between
 * rounds, so that no fault remains. A round ends when every site that lost its memory has been
 * refilled and all sites are balanced. If a fault or a repair does not succeed in time, {@link
 * #failure()} returns the reason, and the run ends.
 */
public final class TrialFaultInjector {
  private final TrialFaultPlan plan;
  private final FaultableSites sites;
  private final List<String> names;
  private final RoundRepair roundRepair;
  private final RollingRestart rollingRestart;
  private final ReconfigurationAction reconfigurationAction;
  private final Consumer<String> progress;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CountDownLatch never = new CountDownLatch(1);
  private final List<FaultEvent> events = new ArrayList<>();
  private final Set<TrialFaultKind> injected = EnumSet.noneOf(TrialFaultKind.class);
  private int round;
  private @Nullable String failure;
  private @Nullable Thread thread;

  /** Moves the cache to other sites, or to other stores at its present sites. */
  public interface ReconfigurationAction {
    /**
     * Executes the change, and returns when it is over.
     *
     * @throws RuntimeException if the change failed
     */
    void perform(PlannedFault fault) throws InterruptedException;
  }

  public TrialFaultInjector(
      TrialFaultPlan plan,
      FaultableSites sites,
      RoundRepair.Refill refill,
      Consumer<String> progress) {
    this(
        plan,
        sites,
        refill,
        fault -> {
          throw new IllegalStateException(
              "this run cannot change the configuration of the cache; " + fault);
        },
        progress);
  }

  public TrialFaultInjector(
      TrialFaultPlan plan,
      FaultableSites sites,
      RoundRepair.Refill refill,
      ReconfigurationAction reconfigurationAction,
      Consumer<String> progress) {
    this.reconfigurationAction = reconfigurationAction;
    this.plan = plan;
    this.sites = sites;
    this.names = sites.places().stream().map(SiteDescriptor::name).toList();
    this.roundRepair = new RoundRepair(sites, refill, this::note);
    this.rollingRestart =
        new RollingRestart(
            sites,
            roundRepair,
            (phase, kind, node, what) -> note(phase, round, kind, node, what),
            () -> stopping.getCount() > 0);
    this.progress = progress;
  }

  public void start() {
    Thread runs = new Thread(this::runRounds, "check-faults");
    runs.setDaemon(true);
    thread = runs;
    runs.start();
  }

  /** Lets the present round finish, and waits for its end. */
  public void stop() throws InterruptedException {
    stopping.countDown();
    if (thread != null) {
      thread.join();
    }
  }

  /** The kinds of faults injected so far. */
  public synchronized Set<TrialFaultKind> injected() {
    return Set.copyOf(injected);
  }

  public synchronized List<FaultEvent> events() {
    return List.copyOf(events);
  }

  /** The reason for an early end; null if there was none. */
  public synchronized @Nullable String failure() {
    return failure;
  }

  private void runRounds() {
    try {
      TrialFaultPlan.Round next = plan.next();
      while (!stopping.await(next.gapMillis(), TimeUnit.MILLISECONDS) && failure() == null) {
        round++;
        perform(next);
        next = plan.next();
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      recordEnd(e);
    }
  }

  private void recordEnd(Throwable why) {
    failure("the faults stopped in round " + round + ": " + why);
  }

  private synchronized void failure(String what) {
    failure = failure == null ? what : failure + "; " + what;
  }

  /** Executes one round, on the calling thread. */
  void perform(TrialFaultPlan.Round next) throws InterruptedException {
    progress.accept("round " + round + ": " + words(next));
    long begin = System.nanoTime();
    List<Thread> faults = new ArrayList<>();
    // Each on a thread of its own: the start of a site's processes may take longer than the whole
    // fault of another.
    for (PlannedFault fault : next.faults()) {
      Thread carriesOut =
          new Thread(() -> performFault(fault, begin), "check-fault-" + fault.target(names));
      carriesOut.setDaemon(true);
      carriesOut.start();
      faults.add(carriesOut);
    }
    for (Thread fault : faults) {
      fault.join();
    }
    if (failure() == null) {
      for (PlannedFault fault : next.faults()) {
        roundRepair.repair(fault);
      }
      roundRepair.awaitBalance(next.faults());
    }
  }

  private void performFault(PlannedFault fault, long roundBegin) {
    try {
      pauseUntil(roundBegin + TimeUnit.MILLISECONDS.toNanos(fault.afterMillis()));
      note(FaultEvent.BEGIN, fault);
      if (fault.kind().isAChange()) {
        reconfigurationAction.perform(fault);
        recordInjected(fault.kind());
        if (fault.kind().isOfASite()) {
          note(FaultEvent.END, fault); // A change of sites records its own event.
        }
        return;
      }
      if (fault.kind() == TrialFaultKind.ROLLING) {
        if (rollingRestart.perform(fault)) {
          recordInjected(fault.kind());
        }
        note(FaultEvent.END, fault);
        return;
      }
      sites.begin(fault);
      recordInjected(fault.kind());
      pauseUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(fault.forMillis()));
      sites.end(fault);
      note(FaultEvent.END, fault);
    } catch (InterruptedException | RuntimeException | Error e) {
      recordEnd(e);
    }
  }

  private synchronized void recordInjected(TrialFaultKind kind) {
    injected.add(kind);
  }

  private String words(TrialFaultPlan.Round next) {
    return next.faults().stream()
        .map(
            fault ->
                "%s from %,d to %,d ms"
                    .formatted(
                        fault.words(fault.target(names)),
                        fault.afterMillis(),
                        fault.afterMillis() + fault.forMillis()))
        .collect(Collectors.joining("; "));
  }

  private void pauseUntil(long nanos) throws InterruptedException {
    never.await(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  private void note(String phase, PlannedFault fault) {
    String target = fault.target(names);
    note(phase, round, fault.kind().word(), target, fault.words(target));
  }

  private void note(String phase, String kind, int number, String what) {
    note(phase, round, kind, names.get(number), what);
  }

  /** Records an event of a site or a process, which need not be part of the plan. */
  public void note(String phase, int number, String kind, String target, String what) {
    synchronized (this) { // Includes the clock: events are in the order of time.
      events.add(new FaultEvent(System.nanoTime(), phase, number, kind, target, what));
    }
    progress.accept(phase + " " + what);
  }
}
