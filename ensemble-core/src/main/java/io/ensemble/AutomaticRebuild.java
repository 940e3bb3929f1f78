package io.ensemble;

import io.ensemble.CacheRedundancy.Replica;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.Step;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the caches that are open here off nodes that stay away, as {@link CacheChanges#rebuild}
 * does. A node that has not answered this process for a stated time is held for gone.
 *
 * <p>A rebuild begins only if it can succeed: every other replica is whole, they are a majority,
 * and each site has enough nodes that are not known to be silent. It also begins only if the
 * cache's record is what this process saw, so that of several processes one begins it. Where its
 * process dies, another process that has the cache open takes it over. A rebuild that makes no
 * progress for two minutes, or for the stated time if that is shorter, is cancelled by its process
 * while that is possible.
 *
 * <p>After each rebuild of a cache, by whomever, the time until the next one is doubled, up to 64
 * times the stated one: processes that do not reach the same nodes would move a cache to and fro.
 * One cache at a time in each process. Its thread waits for the catalog only.
 */
final class AutomaticRebuild implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(AutomaticRebuild.class);
  private static final Duration LONGEST_STANDSTILL = Duration.ofMinutes(2);
  private static final int MOST_DOUBLINGS = 6;

  /** A cache that lacks nothing but replicas at nodes that do not answer. */
  private record Lacking(StoredDefinition record, List<String> replicas, long sinceNanos) {}

  /**
   * What is known of one cache's rebuilds.
   *
   * @param number how many there were lately
   * @param atNanos when the latest was noticed
   */
  private record Rebuilds(StoredDefinition record, int number, long atNanos) {}

  /** What the last check has found. */
  private record Checked(List<Lacking> lacking, Set<String> rebuilding) {}

  /** How far a rebuild is. */
  private record Progress(long turn, Step step, long copied) {}

  /** A rebuild that this process carries out. */
  private static final class Running {

    final StoredDefinition before;
    final ChangeRun run;
    @Nullable Progress last;
    long movedAtNanos;

    Running(StoredDefinition before, ChangeRun run, long nowNanos) {
      this.before = before;
      this.run = run;
      this.movedAtNanos = nowNanos;
    }
  }

  private final SiteCare.Means means;
  private final RedundancyMonitor monitor;
  private final Duration after;
  private final Duration standstill;
  private final ThreadPoolExecutor work;
  private final Failing failing = new Failing(LOG);

  private volatile Checked checked = new Checked(List.of(), Set.of());

  // Of the thread that checks stores.
  private final Map<String, Long> lackingSince = new HashMap<>();
  private final Map<String, Rebuilds> rebuilds = new HashMap<>();

  // Of the thread that works.
  private final Map<String, Running> running = new TreeMap<>();
  private final Map<String, Long> triedAtNanos = new HashMap<>();

  // Both belong to this object's lock.
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  /**
   * @param after how long a node must have been silent
   */
  AutomaticRebuild(SiteCare.Means means, RedundancyMonitor monitor, Duration after) {
    this.means = means;
    this.monitor = monitor;
    this.after = after;
    this.standstill = after.compareTo(LONGEST_STANDSTILL) < 0 ? after : LONGEST_STANDSTILL;
    this.work = StoreChecker.thread("ensemble-rebuilding");
  }

  void start() {
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
   * Stores were checked. Asks nobody.
   *
   * @param records of the caches that are open here, as they were read just now
   */
  void checked(Collection<StoredDefinition> records) {
    Set<String> names = new HashSet<>();
    Set<String> rebuilding = new HashSet<>();
    Map<String, Lacking> lacking = new TreeMap<>();
    for (StoredDefinition record : records) {
      String cache = record.definition().name();
      names.add(cache);
      note(cache, record);
      if (rebuild(record).isPresent()) {
        rebuilding.add(cache);
      }
      List<String> replicas = unreachable(record);
      if (replicas.isEmpty()) {
        lackingSince.remove(cache);
      } else {
        long since = lackingSince.computeIfAbsent(cache, any -> nanos());
        if (nanos() - Math.max(since, latestRebuild(cache)) >= waitNanos(cache)) {
          lacking.put(cache, new Lacking(record, replicas, since));
        }
      }
    }
    lackingSince.keySet().retainAll(names);
    rebuilds.keySet().retainAll(names);
    checked = new Checked(List.copyOf(lacking.values()), Set.copyOf(rebuilding));
  }

  private void note(String cache, StoredDefinition record) {
    Rebuilds before = rebuilds.get(cache);
    boolean isRebuilt =
        before != null
            && before.record.isSameBirth(record)
            && before.record.configuration() < record.configuration()
            && before.record.definition().equals(record.definition());
    int number = isRebuilt ? before.number + 1 : before == null ? 0 : before.number;
    long at = isRebuilt || before == null ? nanos() : before.atNanos;
    boolean isLongAgo = nanos() - at > 2 * (after.toNanos() << MOST_DOUBLINGS);
    rebuilds.put(cache, new Rebuilds(record, isLongAgo ? 0 : number, at));
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

  /** The replicas that a cache lacks, if unreachable nodes are all that it lacks; else none. */
  private List<String> unreachable(StoredDefinition record) {
    CacheRedundancy redundancy = monitor.of(record);
    boolean isChanging = record.change().filter(change -> !change.isEnding()).isPresent();
    boolean isOnlyUnreachable =
        redundancy.missing().stream()
            .map(Replica::state)
            .allMatch(ReplicaState.NODE_UNREACHABLE::equals);
    return isChanging || !redundancy.isServed() || !isOnlyUnreachable
        ? List.of()
        : redundancy.missing().stream().map(Replica::name).toList();
  }

  /** The rebuild that is under way; empty for another change. */
  private static Optional<Change> rebuild(StoredDefinition record) {
    return record
        .change()
        .filter(change -> !change.isEnding() && change.to().equals(record.definition()));
  }

  private void attend() {
    Checked now = checked;
    Set<String> followed = new HashSet<>(now.rebuilding);
    followed.addAll(running.keySet());
    Set<String> lacking = new HashSet<>();
    now.lacking.forEach(one -> lacking.add(one.record.definition().name()));
    triedAtNanos.keySet().retainAll(lacking);
    Set<String> known = new HashSet<>(followed);
    known.addAll(lacking);
    failing.keep(known);
    followed.forEach(cache -> tried(cache, "follow the rebuild", () -> follow(cache)));
    if (!followed.isEmpty()) {
      return;
    }
    for (Lacking one : now.lacking) {
      if (isDue(one) && isPossible(one.record)) {
        tried(one.record.definition().name(), "rebuild", () -> begin(one));
        return;
      }
    }
  }

  private void tried(String cache, String what, Runnable step) {
    failing.told(new Failing.Step(cache, what), StoreChecker.unlessStopped(step));
  }

  private boolean isDue(Lacking one) {
    Long tried = triedAtNanos.get(one.record.definition().name());
    return tried == null || nanos() - tried >= after.toNanos();
  }

  /** Whether each replica can come to a node that is not known to be silent. Asks nobody. */
  private boolean isPossible(StoredDefinition record) {
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

  private void begin(Lacking one) {
    String cache = one.record.definition().name();
    triedAtNanos.put(cache, nanos());
    means
        .alterations()
        .rebuildIfUnchanged(one.record, SiteCare.KEYS_PER_SECOND)
        .ifPresent(
            run -> {
              running.put(cache, new Running(one.record, run, nanos()));
              LOG.info(
                  "a cache is rebuilt, for nodes do not answer; cache={} replicas={} seconds={}",
                  cache,
                  one.replicas,
                  Duration.ofNanos(nanos() - one.sinceNanos).toSeconds());
            });
  }

  /** Takes a rebuild over whose process is silent, and cancels an own one that stands still. */
  private void follow(String cache) {
    Optional<StoredDefinition> record = means.alterations().find(cache);
    Change change = record.flatMap(AutomaticRebuild::rebuild).orElse(null);
    Running own = running.get(cache);
    if (change == null) {
      running.remove(cache);
      if (own != null) {
        report(cache, own, record);
      }
      return;
    }
    if (own == null || !own.run.isMine(change)) {
      StoredDefinition seen = record.orElseThrow();
      means
          .alterations()
          .takeOverIfSilent(seen)
          .ifPresent(
              run -> {
                running.put(cache, new Running(seen, run, nanos()));
                LOG.info("a rebuild is taken over; cache={} step={}", cache, change.step());
              });
      return;
    }
    Progress now = new Progress(change.turn(), change.step(), change.beat().copied());
    if (!now.equals(own.last)) {
      own.last = now;
      own.movedAtNanos = nanos();
    } else if (nanos() - own.movedAtNanos >= standstill.toNanos()
        && Alterations.RULES.mayGiveUp(change.step())) {
      LOG.warn("a rebuild makes no progress and is cancelled; cache={} step={}", cache, now.step());
      own.run.giveUp();
    }
  }

  private static void report(String cache, Running ended, Optional<StoredDefinition> now) {
    boolean isRebuilt =
        now.filter(record -> record.configuration() > ended.before.configuration()).isPresent();
    LOG.info("a rebuild is over; cache={} rebuilt={}", cache, isRebuilt);
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  /** Begins nothing more. A rebuild that is under way is for other processes to take over. */
  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
    work.shutdownNow();
  }
}
