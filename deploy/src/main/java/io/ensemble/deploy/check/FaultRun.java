package io.ensemble.deploy.check;

import io.ensemble.deploy.federation.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Carries out a plan, round by round, on a thread of its own, until it is told to stop; it stops
 * between rounds, so that nothing is left broken. A round ends when every site that lost its memory
 * has been refilled and every site that lost a node is balanced again. One that cannot be mended in
 * time is {@linkplain #trouble() told} and ends the run.
 */
final class FaultRun {
  private static final Duration LONGEST_MENDING = Duration.ofMinutes(2);
  private static final long PAUSE_MILLIS = 50;

  /** Refills a site that has come back empty. */
  interface Refill {
    /**
     * Refills it.
     *
     * @return how many keys were copied
     * @throws RuntimeException if it cannot be done now
     */
    long of(String site);
  }

  private record Step(int atMillis, boolean begins, PlannedFault fault) {}

  private final FaultPlan plan;
  private final Breakable sites;
  private final List<String> names;
  private final Refill refill;
  private final Consumer<String> progress;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CountDownLatch never = new CountDownLatch(1);
  private final List<FaultEvent> events = new ArrayList<>();
  private final Set<FaultKind> injected = EnumSet.noneOf(FaultKind.class);
  private int round;
  private @Nullable String trouble;
  private @Nullable Thread thread;

  FaultRun(FaultPlan plan, Breakable sites, Refill refill, Consumer<String> progress) {
    this.plan = plan;
    this.sites = sites;
    this.names = sites.places().stream().map(Place::name).toList();
    this.refill = refill;
    this.progress = progress;
  }

  void start() {
    Thread runs = new Thread(this::rounds, "check-faults");
    runs.setDaemon(true);
    thread = runs;
    runs.start();
  }

  /** Lets the round that runs come to its end, and waits for it. */
  void stop() throws InterruptedException {
    stopping.countDown();
    if (thread != null) {
      thread.join();
    }
  }

  /** Which kinds have come so far. */
  synchronized Set<FaultKind> injected() {
    return Set.copyOf(injected);
  }

  synchronized List<FaultEvent> events() {
    return List.copyOf(events);
  }

  /** Why it has ended early; null if it has not. */
  synchronized @Nullable String trouble() {
    return trouble;
  }

  private void rounds() {
    try {
      FaultPlan.Round next = plan.next();
      while (!stopping.await(next.gapMillis(), TimeUnit.MILLISECONDS)) {
        round++;
        perform(next);
        next = plan.next();
      }
    } catch (InterruptedException | RuntimeException e) {
      trouble("the faults ended in round " + round + ": " + e);
    }
  }

  private synchronized void trouble(String what) {
    trouble = what;
  }

  private void perform(FaultPlan.Round next) throws InterruptedException {
    progress.accept("round " + round + ": " + words(next));
    PriorityQueue<Step> steps = new PriorityQueue<>(Comparator.comparingInt(Step::atMillis));
    next.faults().forEach(fault -> steps.add(new Step(fault.afterMillis(), true, fault)));
    long begin = System.nanoTime();
    for (Step step = steps.poll(); step != null; step = steps.poll()) {
      pauseUntil(begin + TimeUnit.MILLISECONDS.toNanos(step.atMillis()));
      if (step.begins()) {
        begin(step.fault());
        steps.add(new Step(now(begin) + step.fault().forMillis(), false, step.fault()));
      } else {
        sites.end(step.fault());
        note(FaultEvent.END, step.fault(), "");
      }
    }
    for (PlannedFault fault : next.faults()) {
      mend(fault);
    }
  }

  private String words(FaultPlan.Round next) {
    return next.faults().stream()
        .map(
            fault ->
                "%s from %,d to %,d ms"
                    .formatted(
                        fault.words(names.get(fault.site())),
                        fault.afterMillis(),
                        fault.afterMillis() + fault.forMillis()))
        .collect(Collectors.joining("; "));
  }

  private void begin(PlannedFault fault) {
    note(FaultEvent.BEGIN, fault, "");
    sites.begin(fault);
    synchronized (this) {
      injected.add(fault.kind());
    }
  }

  private void mend(PlannedFault fault) throws InterruptedException {
    String site = names.get(fault.site());
    long begin = System.nanoTime();
    if (fault.kind().takesMemory(sites.killedSitesRemember())) {
      long keys = refilled(site, begin);
      note(FaultEvent.REFILLED, fault, ", %d keys".formatted(keys));
    }
    if (fault.kind() == FaultKind.NODE || fault.kind() == FaultKind.KILL) {
      while (!sites.isBalanced(fault.site())) {
        if (System.nanoTime() - begin > LONGEST_MENDING.toNanos()) {
          throw new IllegalStateException(
              "the site's nodes did not come into balance; site=" + site);
        }
        never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      }
      note(FaultEvent.BALANCED, fault, "");
    }
  }

  private long refilled(String site, long begin) throws InterruptedException {
    while (true) {
      try {
        return refill.of(site);
      } catch (RuntimeException e) {
        // Suspected sites are not asked for a while, and a majority may be out of reach.
        if (System.nanoTime() - begin > LONGEST_MENDING.toNanos()) {
          throw new IllegalStateException("the site could not be refilled; site=" + site, e);
        }
      }
      never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void pauseUntil(long nanos) throws InterruptedException {
    never.await(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  private static int now(long begin) {
    return (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
  }

  private void note(String phase, PlannedFault fault, String more) {
    String site = names.get(fault.site());
    String what = fault.words(site) + more;
    FaultEvent event =
        new FaultEvent(System.nanoTime(), phase, round, fault.kind().word(), site, what);
    synchronized (this) {
      events.add(event);
    }
    progress.accept(phase + " " + what);
  }
}
