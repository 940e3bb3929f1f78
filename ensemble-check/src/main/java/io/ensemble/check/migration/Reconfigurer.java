package io.ensemble.check.migration;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.faults.FaultEvent;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.PausedProcess;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.faults.WriterPauses;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.placement.ReplicaName;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.site.hotrod.NodeKey;
import io.ensemble.site.hotrod.configuration.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Moves the cache under test to other sites, or to other stores while a node is away, while clients
 * use the cache; one change at a time. A move to other sites runs in a process of its own, which is
 * killed during the change more often than not. Then this process takes the change over,
 * immediately or when it detects the silence of the other one. A client process is paused before
 * the change begins, and resumes when the change is over, with its operations under way in the
 * former stores.
 */
public final class Reconfigurer {

  /** The kind of the events of a mover. */
  static final String MOVER = "mover";

  /** The kind of the events of a node that is away while its replica is replaced. */
  static final String AWAY = "away";

  /** The kind of the events of a client process that is paused during a change. */
  static final String SLEEPER = "sleeper";

  private static final long LONGEST_SECONDS = 120;
  private static final long LONGEST_LIFE_MILLIS = 4_000;

  private final EnsembleCacheManager manager;
  private final List<SiteDescriptor> places;
  private final String catalog;
  private final String cache;
  private final Path log;
  private final IntToLongFunction pids;
  private final int processes;
  private final WriterPauses.PauseLog eventLog;
  private final CountDownLatch never = new CountDownLatch(1);
  private int changes;

  /**
   * @param places all sites; the cache is at all of them but one or more
   * @param log the file for the output of libraries in movers
   * @param pids the ids of the client processes
   * @param processes the number of client processes
   */
  public Reconfigurer(
      EnsembleCacheManager manager,
      List<SiteDescriptor> places,
      String catalog,
      String cache,
      Path log,
      IntToLongFunction pids,
      int processes,
      WriterPauses.PauseLog eventLog) {
    this.manager = manager;
    this.places = List.copyOf(places);
    this.catalog = catalog;
    this.cache = cache;
    this.log = log;
    this.pids = pids;
    this.processes = processes;
    this.eventLog = eventLog;
  }

  /** The variants of a change of sites, as {@code strength} chooses. */
  record ChangeVariant(int leaves, boolean kills, long afterMillis, boolean atOnce) {

    /**
     * @param strength 0 to 99
     * @param sites the number of sites of the cache
     */
    static ChangeVariant of(int strength, int sites) {
      return new ChangeVariant(
          strength % sites,
          strength % 3 > 0,
          strength * LONGEST_LIFE_MILLIS / 100,
          strength % 2 == 0);
    }
  }

  /**
   * The cache's sites without the one that leaves, and one site at which the cache was not.
   *
   * @throws IllegalStateException if there is none
   */
  static List<String> rotated(List<String> now, List<String> all, int leaves) {
    String spare =
        all.stream()
            .filter(site -> !now.contains(site))
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("the cache is at every site; sites=" + now));
    List<String> next = new ArrayList<>(now);
    next.remove(leaves);
    next.add(spare);
    return next;
  }

  /** Carries a change out to its end. */
  public void perform(PlannedFault fault, FaultableSites sites) throws InterruptedException {
    if (fault.kind() == TrialFaultKind.REPLACE) {
      replace(fault, sites);
    } else {
      move(fault);
    }
  }

  /** The node is away before the change begins, and back when the change is over. */
  private void replace(PlannedFault fault, FaultableSites sites) throws InterruptedException {
    int change = ++changes;
    SiteDescriptor place = places.get(fault.site());
    List<Integer> holders = holders(storedDefinition(), place);
    if (holders.isEmpty()) {
      throw new IllegalStateException("no node of the site holds a replica; site=" + place.name());
    }
    PlannedFault away = fault.siteAfter(holders.get(fault.strength() % holders.size()));
    String what = away.words(place.name());
    try (PausedClient sleeper = pauseClient(change, fault.strength())) {
      eventLog.note(FaultEvent.BEGIN, change, AWAY, place.name(), what);
      sites.begin(away);
      String outcome = "the change failed";
      try {
        never.await(fault.forMillis(), TimeUnit.MILLISECONDS);
        outcome = "configuration " + awaitEnd(manager.changes().rebuild(cache, 0)).configuration();
      } finally {
        sites.end(away);
        eventLog.note(FaultEvent.END, change, AWAY, place.name(), what + ", " + outcome);
      }
    }
  }

  /** The nodes of the site that hold a replica of the cache, by their indices in the site. */
  private static List<Integer> holders(StoredDefinition stored, SiteDescriptor place) {
    Set<String> keys = new HashSet<>();
    stored
        .incarnations()
        .forEach(
            (replica, life) -> {
              if (ReplicaName.siteOf(replica).equals(place.name())) {
                keys.add(StoredDefinition.nodeOf(life));
              }
            });
    List<String> endpoints = place.endpoints();
    return IntStream.range(0, endpoints.size())
        .filter(node -> keys.contains(NodeKey.of(Endpoint.parse(endpoints.get(node)))))
        .boxed()
        .toList();
  }

  private void move(PlannedFault fault) throws InterruptedException {
    StoredDefinition before = storedDefinition();
    List<String> now = before.definition().siteNames();
    ChangeVariant choices = ChangeVariant.of(fault.strength(), now.size());
    List<String> to =
        rotated(now, places.stream().map(SiteDescriptor::name).toList(), choices.leaves());
    int change = ++changes;
    try (PausedClient sleeper = pauseClient(change, fault.strength());
        MigrationProcess mover =
            MigrationProcess.begun(new MigrationSpec(places, catalog, cache, to), log)) {
      if (choices.kills()) {
        never.await(choices.afterMillis(), TimeUnit.MILLISECONDS);
        String step = storedDefinition().change().map(under -> under.step().name()).orElse("over");
        mover.kill();
        eventLog.note(FaultEvent.BEGIN, change, MOVER, MOVER, "mover killed, change: " + step);
      }
      StoredDefinition after = awaitEnd(choices);
      if (!after.definition().siteNames().equals(to)) {
        throw new IllegalStateException(
            "the cache did not move to the requested sites; expected=%s got=%s"
                .formatted(to, after.definition().sites()));
      }
      eventLog.note(
          FaultEvent.END,
          change,
          TrialFaultKind.RECONFIGURE.word(),
          cache,
          "at %s, configuration %d".formatted(to, after.configuration()));
    }
  }

  private StoredDefinition awaitEnd(ChangeVariant choices) throws InterruptedException {
    try {
      return awaitEnd(
          choices.kills() && choices.atOnce()
              ? manager.changes().resume(cache)
              : manager.changes().join(cache));
    } catch (NoSuchElementException alreadyEnded) {
      return storedDefinition();
    }
  }

  private static StoredDefinition awaitEnd(ChangeRun run) throws InterruptedException {
    try {
      return run.done().toCompletableFuture().get(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the change did not end: " + e, e);
    }
  }

  private StoredDefinition storedDefinition() {
    return manager
        .stored(cache)
        .orElseThrow(() -> new IllegalStateException("the cache does not exist; cache=" + cache));
  }

  /** A paused client process; none if there is only one client process. */
  private final class PausedClient implements AutoCloseable {
    private final @Nullable PausedProcess pausedProcess;
    private final int change;
    private final String name;

    PausedClient(@Nullable PausedProcess pausedProcess, int change, String name) {
      this.pausedProcess = pausedProcess;
      this.change = change;
      this.name = name;
    }

    @Override
    public void close() {
      if (pausedProcess != null) {
        pausedProcess.close();
        eventLog.note(FaultEvent.END, change, SLEEPER, name, name + " resumes");
      }
    }
  }

  private PausedClient pauseClient(int change, int strength) {
    int process = strength % Math.max(1, processes);
    String name = "client-" + process;
    if (processes < 2) {
      return new PausedClient(null, change, name);
    }
    try {
      PausedProcess pausedProcess = PausedProcess.by(pids.applyAsLong(process));
      eventLog.note(FaultEvent.BEGIN, change, SLEEPER, name, name + " is paused during a change");
      return new PausedClient(pausedProcess, change, name);
    } catch (IOException noShell) {
      return new PausedClient(null, change, name);
    }
  }
}
