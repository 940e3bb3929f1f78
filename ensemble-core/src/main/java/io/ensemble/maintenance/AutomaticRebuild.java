package io.ensemble.maintenance;

import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.placement.ReplicaName;
import io.ensemble.reconfiguration.Alterations;
import io.ensemble.reconfiguration.CacheChanges;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.CacheRedundancy.Replica;
import io.ensemble.redundancy.RedundancyMonitor;
import io.ensemble.redundancy.ReplicaState;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException;
import io.ensemble.site.StoreKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the caches that are open here off nodes that stay away, as {@link CacheChanges#rebuild}
 * does. A node that has not answered this process for a configured time counts as gone.
 *
 * <p>A rebuild begins only if it can succeed. Every other replica is whole, these are a majority,
 * and each site answers and has enough nodes that are not known to be silent. The cache's record
 * must also be the one that this process read, so that only one of several processes begins the
 * rebuild. If that process dies, another process that has the cache open takes the rebuild over.
 *
 * <p>A rebuild that makes no progress for two minutes is cancelled by its process, while cancelling
 * is possible. If the configured time is shorter than two minutes, that time counts instead, but at
 * least half a minute.
 *
 * <p>After each rebuild of a cache, completed or cancelled, by any process, the time until the next
 * one doubles. The time grows up to 64 times the configured time. Otherwise processes that do not
 * reach the same nodes would move a cache to and fro. Each process rebuilds one cache at a time.
 */
public final class AutomaticRebuild implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(AutomaticRebuild.class);

  /** The shortest standstill after which a rebuild is cancelled, in beats: half a minute. */
  private static final int LEAST_STANDSTILL_BEATS = 15;

  private static final Duration MOST_STANDSTILL = Duration.ofMinutes(2);

  /**
   * The longest time between two observations of a rebuild. After a longer pause this process may
   * have slept, so it cannot conclude that the rebuild stood still.
   */
  private static final Duration LONGEST_BLINDNESS = Duration.ofSeconds(10);

  /**
   * The longest time between two checks. After a longer pause this process may have slept, so it
   * cannot conclude that a node was silent.
   */
  private static final Duration LONGEST_CHECK = Duration.ofMinutes(1);

  /**
   * The longest wait for a response; short, because rebuilds of other processes are observed every
   * few seconds.
   */
  private static final Duration LONGEST_QUESTION = Duration.ofMillis(1_500);

  private static final int MOST_DOUBLINGS = 6;

  /** The number of beats between an attempt that could not begin and the next one. */
  private static final int BEATS_BETWEEN_ATTEMPTS = 5;

  /** How often the mover of one rebuild may begin again with other stores. */
  private static final int MOST_TURNS = 5;

  /** A cache that misses only replicas at nodes that do not answer. */
  private record Lacking(StoredDefinition record, List<String> replicas, long sinceNanos) {}

  /**
   * The known rebuilds of one cache.
   *
   * @param number how many ended recently, successfully or cancelled
   * @param atNanos when this process noticed the latest end
   */
  private record Rebuilds(StoredDefinition record, int number, long atNanos) {

    boolean hasEnded(StoredDefinition now) {
      boolean isDone = record.configuration() < now.configuration();
      boolean isCancelled = isUnderWay(record) && !isUnderWay(now);
      return record.definition().equals(now.definition()) && (isDone || isCancelled);
    }
  }

  /** The result of the last check. */
  private record Checked(List<Lacking> lacking, Set<String> rebuilding) {}

  /** The progress of a rebuild: by its record and, if this process carries it out, by its mover. */
  private record Progress(ChangePhase step, long copied, long own) {}

  /** A rebuild that is in progress, here or elsewhere. */
  private static final class Followed {

    /** The run of a rebuild that this process carries out. */
    @Nullable ChangeRun run;

    /** Whether the run has ended and its failure, if any, is in {@link #failed}. */
    volatile boolean isRunEnded;

    @Nullable Progress last;
    long firstTurn;
    long movedAtNanos;
    long lookedAtNanos;

    Followed(long nowNanos) {
      movedAtNanos = nowNanos;
      lookedAtNanos = nowNanos;
    }

    void look(Progress now, long nowNanos) {
      if (!now.equals(last) || nowNanos - lookedAtNanos > LONGEST_BLINDNESS.toNanos()) {
        movedAtNanos = nowNanos;
      }
      last = now;
      lookedAtNanos = nowNanos;
    }
  }

  private final SiteMaintenance.Means means;
  private final RedundancyMonitor monitor;
  private final Duration after;
  private final Duration standstill;
  private final ThreadPoolExecutor work;
  private final MaintenanceFailureLog maintenanceFailureLog = new MaintenanceFailureLog(LOG);

  private volatile Checked checked = new Checked(List.of(), Set.of());

  // Used only by the thread that checks stores.
  /** The time since when the node of each store, by the store's name, has been silent. */
  private final Map<String, Long> silentSince = new HashMap<>();

  private final Map<String, Rebuilds> rebuilds = new HashMap<>();
  private long checkedAtNanos;

  /** Caches with a rebuild by this process that has ended without success. */
  private final Queue<String> failed = new ConcurrentLinkedQueue<>();

  // Used only by the worker thread.
  private final Map<String, Followed> followed = new TreeMap<>();
  private final Map<String, Long> triedAtNanos = new HashMap<>();

  // Both are guarded by this object's lock.
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  /**
   * @param after how long a node must have been silent
   */
  public AutomaticRebuild(SiteMaintenance.Means means, RedundancyMonitor monitor, Duration after) {
    this.means = means;
    this.monitor = monitor;
    this.after = after;
    Duration most = after.compareTo(MOST_STANDSTILL) < 0 ? after : MOST_STANDSTILL;
    Duration least = means.beat().multipliedBy(LEAST_STANDSTILL_BEATS);
    this.standstill = most.compareTo(least) < 0 ? least : most;
    this.work = StoreChecker.thread("ensemble-rebuilding");
  }

  public void start() {
    attendLater();
  }

  private synchronized void attendLater() {
    if (closed) {
      return;
    }
    try {
      timer = means.federation().scheduler().after(means.beat().toNanos(), this::attendAndStart);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private void attendAndStart() {
    try {
      work.execute(this::attend);
    } catch (RejectedExecutionException busy) {
      LOG.trace("the catalog has not answered yet");
    }
    attendLater();
  }

  /**
   * Receives the result of a check of the stores. Sends no request.
   *
   * @param open the caches that are open here
   * @param records of those caches whose records could be read in this check
   */
  void checked(Set<String> open, Collection<StoredDefinition> records) {
    if (nanos() - checkedAtNanos > LONGEST_CHECK.toNanos()) {
      silentSince.clear();
    }
    checkedAtNanos = nanos();
    List<String> ended = List.copyOf(failed);
    for (String cache : ended) {
      rebuilds.computeIfPresent(
          cache, (any, known) -> new Rebuilds(known.record, known.number + 1, nanos()));
    }
    Set<String> rebuilding = new HashSet<>(checked.rebuilding);
    Map<String, Lacking> lacking = new TreeMap<>();
    Set<String> silentStores = new HashSet<>();
    for (StoredDefinition record : records) {
      String cache = record.definition().name();
      note(cache, record);
      if (rebuild(record).isPresent()) {
        rebuilding.add(cache);
      } else {
        rebuilding.remove(cache);
      }
      CacheRedundancy redundancy = monitor.of(record);
      List<String> replicas = new ArrayList<>();
      long since = Long.MAX_VALUE;
      for (Replica replica : redundancy.replicas()) {
        String store = record.store(replica.name()).orElse("");
        if (isUnreachable(replica)) {
          silentStores.add(store);
          replicas.add(replica.name());
          since = Math.min(since, silentSince.computeIfAbsent(store, any -> nanos()));
        } else {
          silentSince.remove(store);
        }
      }
      if (isAllThatIsLacking(replicas, redundancy, record)
          && nanos() - Math.max(since, latestRebuild(cache)) >= waitNanos(cache)) {
        lacking.put(cache, new Lacking(record, replicas, since));
      }
    }
    if (records.size() == open.size()) {
      silentSince.keySet().retainAll(silentStores);
    }
    rebuilds.keySet().retainAll(open);
    rebuilding.retainAll(open);
    checked = new Checked(List.copyOf(lacking.values()), Set.copyOf(rebuilding));
    ended.forEach(failed::remove); // Last: until then the former result must start no rebuild.
  }

  private void note(String cache, StoredDefinition record) {
    Rebuilds before = rebuilds.get(cache);
    if (before == null || !before.record.isSameBirth(record)) {
      rebuilds.put(cache, new Rebuilds(record, 0, nanos()));
      return;
    }
    boolean isLongAgo = nanos() - before.atNanos > 2 * (after.toNanos() << MOST_DOUBLINGS);
    int number = isLongAgo ? 0 : before.number;
    rebuilds.put(
        cache,
        before.hasEnded(record)
            ? new Rebuilds(record, number + 1, nanos())
            : new Rebuilds(record, number, before.atNanos));
  }

  private long latestRebuild(String cache) {
    Rebuilds known = rebuilds.get(cache);
    return known == null || known.number == 0 ? Long.MIN_VALUE : known.atNanos;
  }

  private long waitNanos(String cache) {
    Rebuilds known = rebuilds.get(cache);
    int doublings = known == null ? 0 : Math.min(known.number, MOST_DOUBLINGS);
    return after.toNanos() << doublings;
  }

  /**
   * Whether the node of a replica does not answer. If this process uses no other node of the site,
   * the site appears to be down. Its true state is checked when a rebuild is to begin.
   */
  private static boolean isUnreachable(Replica replica) {
    return replica.state() == ReplicaState.NODE_UNREACHABLE
        || replica.state() == ReplicaState.SITE_DOWN;
  }

  private static boolean isAllThatIsLacking(
      List<String> replicas, CacheRedundancy redundancy, StoredDefinition record) {
    return !replicas.isEmpty()
        && SiteHandle.kindOf(record.definition()) == StoreKind.REPLICA
        && replicas.size() == redundancy.missing().size()
        && redundancy.isServed()
        && record.change().filter(change -> !change.isEnding()).isEmpty();
  }

  /** The change to the cache's present definition; empty if there is no change, or another one. */
  private static Optional<ConfigurationChange> rebuild(StoredDefinition record) {
    return record.change().filter(change -> change.to().equals(record.definition()));
  }

  private static boolean isUnderWay(StoredDefinition record) {
    return rebuild(record).filter(change -> !change.isEnding()).isPresent();
  }

  private void attend() {
    Checked now = checked;
    Set<String> rebuilding = new HashSet<>(now.rebuilding);
    rebuilding.addAll(followed.keySet());
    Set<String> lacking = new HashSet<>();
    now.lacking.forEach(one -> lacking.add(one.record.definition().name()));
    triedAtNanos.keySet().retainAll(lacking);
    Set<String> known = new HashSet<>(rebuilding);
    known.addAll(lacking);
    maintenanceFailureLog.keep(known);
    rebuilding.forEach(cache -> tried(cache, "monitor the rebuild", () -> follow(cache)));
    if (followed.values().stream().anyMatch(this::isMoving)) {
      return;
    }
    Map<String, Boolean> answering = new HashMap<>();
    now.lacking.stream()
        .filter(this::isDue)
        .forEach(
            one -> tried(one.record.definition().name(), "rebuild", () -> begin(one, answering)));
  }

  /**
   * Whether a rebuild makes progress. A rebuild that stands still does not prevent rebuilds of
   * other caches.
   */
  private boolean isMoving(Followed one) {
    return nanos() - one.movedAtNanos < standstill.toNanos();
  }

  private void tried(String cache, String what, Runnable step) {
    maintenanceFailureLog.told(
        new MaintenanceFailureLog.Step(cache, what), StoreChecker.unlessStopped(step));
  }

  private boolean isDue(Lacking one) {
    if (failed.contains(one.record.definition().name())) {
      return false; // The next check counts the failure, which lengthens the wait.
    }
    Long tried = triedAtNanos.get(one.record.definition().name());
    long pause = means.beat().multipliedBy(BEATS_BETWEEN_ATTEMPTS).toNanos();
    return tried == null || nanos() - tried >= pause;
  }

  /**
   * Whether each site answers, the replicas are still unreachable, and each replica can move to a
   * node that is not silent.
   */
  private boolean isPossible(Lacking one, Map<String, Boolean> answering) {
    return one.replicas.stream()
            .map(ReplicaName::siteOf)
            .allMatch(site -> answering.computeIfAbsent(site, this::answers))
        && hasNodes(one.record)
        && one.replicas.stream()
            .allMatch(replica -> SiteStoreProbe.isSilent(means, one.record, replica));
  }

  /** Whether any node of a site answers. */
  private boolean answers(String site) {
    Deadline soon = Deadline.after(LONGEST_QUESTION, means.federation().scheduler());
    try {
      return means.federation().sites().findSite(site).isPresent()
          && means
                  .caches()
                  .waitFor(
                      () -> means.federation().sites().findSite(site).orElseThrow().stores(soon),
                      LONGEST_QUESTION)
              != null;
    } catch (SiteException silent) {
      LOG.debug("a site does not answer; site={}", site, silent);
      return false;
    }
  }

  private boolean hasNodes(StoredDefinition record) {
    Map<String, String> lives;
    try {
      lives = means.federation().sites().lives(record.definition(), means.federation()::newToken);
    } catch (SiteException noNode) {
      LOG.debug("no node is free; cache={}", record.definition().name(), noNode);
      return false;
    }
    return lives.entrySet().stream()
        .noneMatch(
            life ->
                means
                    .federation()
                    .sites()
                    .find(life.getKey())
                    .filter(site -> site.isSilent(StoredDefinition.nodeOf(life.getValue())))
                    .isPresent());
  }

  private void begin(Lacking one, Map<String, Boolean> answering) {
    String cache = one.record.definition().name();
    triedAtNanos.put(cache, nanos());
    if (followed.values().stream().anyMatch(this::isMoving) || !isPossible(one, answering)) {
      return; // Another rebuild has just begun, or this one would not succeed.
    }
    means
        .alterations()
        .rebuildIfUnchanged(one.record, SiteMaintenance.KEYS_PER_SECOND)
        .ifPresent(
            run -> {
              follow(one.record, run);
              LOG.info(
                  "rebuilding a cache because nodes do not answer; cache={} replicas={} seconds={}",
                  cache,
                  one.replicas,
                  Duration.ofNanos(nanos() - one.sinceNanos).toSeconds());
            });
  }

  /**
   * Takes over a rebuild whose process is silent, and cancels a rebuild of this process that stands
   * still.
   */
  private void follow(String cache) {
    Optional<StoredDefinition> record = means.alterations().find(cache);
    ConfigurationChange change = record.flatMap(AutomaticRebuild::rebuild).orElse(null);
    if (change == null || change.isEnding()) {
      followed.computeIfPresent(
          cache, (any, own) -> own.run == null || own.isRunEnded ? null : own);
      if (change != null) { // The remaining stores are to be removed.
        means.alterations().takeOverIfSilent(record.orElseThrow());
      }
      return;
    }
    Followed one = followed.computeIfAbsent(cache, any -> new Followed(nanos()));
    ChangeRun run = one.run;
    if (run != null && run.isMine(change)) {
      one.look(new Progress(change.step(), 0, run.progress()), nanos());
      one.firstTurn = one.firstTurn == 0 ? change.turn() : one.firstTurn;
      boolean isStuck = !isMoving(one) || change.turn() - one.firstTurn >= MOST_TURNS;
      if (isStuck && Alterations.RULES.canCancel(change.step())) {
        LOG.warn(
            "a rebuild makes no progress and is cancelled; cache={} step={}", cache, change.step());
        run.cancel();
      }
      return;
    }
    one.look(new Progress(change.step(), change.beat().copied(), change.turn()), nanos());
    means
        .alterations()
        .takeOverIfSilent(record.orElseThrow())
        .ifPresent(
            mine -> {
              follow(record.orElseThrow(), mine);
              LOG.info("taking over a rebuild; cache={} step={}", cache, change.step());
            });
  }

  /** Records that this process carries the rebuild out from now on. */
  private void follow(StoredDefinition before, ChangeRun run) {
    String cache = before.definition().name();
    Followed own = new Followed(nanos());
    own.run = run;
    followed.put(cache, own);
    run.done()
        .whenComplete(
            (record, failure) -> {
              boolean isRebuilt = record != null && record.configuration() > before.configuration();
              LOG.info("a rebuild has ended; cache={} rebuilt={}", cache, isRebuilt);
              if (!isRebuilt) {
                failed.add(cache);
              }
              own.isRunEnded = true;
            });
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  /** Begins no further rebuild. Other processes take over a rebuild that is in progress. */
  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
    work.shutdownNow();
  }
}
