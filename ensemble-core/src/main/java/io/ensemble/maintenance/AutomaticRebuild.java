package io.ensemble.maintenance;

import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
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
import io.ensemble.schedule.PeriodicTask;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
   * The longest wait for a response; short, because rebuilds of other processes are observed every
   * few seconds.
   */
  private static final Duration LONGEST_QUESTION = Duration.ofMillis(1_500);

  /** The number of beats between an attempt that could not begin and the next one. */
  private static final int BEATS_BETWEEN_ATTEMPTS = 5;

  /** A cache that misses only replicas at nodes that do not answer. */
  private record IncompleteCache(StoredDefinition record, List<String> replicas, long sinceNanos) {}

  /** The result of the last check. */
  private record RebuildCheck(List<IncompleteCache> lacking, Set<String> rebuilding) {}

  /** A rebuild that is in progress, here or elsewhere. */
  private static final class TrackedRebuild {

    final RebuildProgress progress;

    /** The run of a rebuild that this process carries out. */
    @Nullable ChangeRun run;

    /**
     * Whether the run has ended and its failure, if any, is in {@link
     * AutomaticRebuild#failedCaches}.
     */
    volatile boolean isRunEnded;

    TrackedRebuild(RebuildProgress progress) {
      this.progress = progress;
    }
  }

  private final SiteMaintenance.Means means;
  private final RedundancyMonitor monitor;
  private final Duration standstill;
  private final ThreadPoolExecutor executor;
  private final MaintenanceFailureLog maintenanceFailureLog = new MaintenanceFailureLog(LOG);

  private volatile RebuildCheck lastCheck = new RebuildCheck(List.of(), Set.of());

  // Used only by the thread that checks stores.
  private final StoreSilence storeSilence = new StoreSilence();
  private final RebuildHistory rebuildHistory;

  /** Caches with a rebuild by this process that has ended without success. */
  private final Queue<String> failedCaches = new ConcurrentLinkedQueue<>();

  private final PeriodicTask passes;

  // Used only by the worker thread.
  private final Map<String, TrackedRebuild> trackedRebuilds = new TreeMap<>();
  private final Map<String, Long> triedAtNanos = new HashMap<>();

  /**
   * @param delay how long a node must have been silent
   */
  public AutomaticRebuild(SiteMaintenance.Means means, RedundancyMonitor monitor, Duration delay) {
    this.means = means;
    this.monitor = monitor;
    Duration longestStandstill = delay.compareTo(MOST_STANDSTILL) < 0 ? delay : MOST_STANDSTILL;
    Duration shortestStandstill = means.beat().multipliedBy(LEAST_STANDSTILL_BEATS);
    this.standstill =
        longestStandstill.compareTo(shortestStandstill) < 0
            ? shortestStandstill
            : longestStandstill;
    this.rebuildHistory = new RebuildHistory(delay);
    this.executor = StoreChecker.newExecutor("ensemble-rebuilding");
    this.passes =
        new PeriodicTask(
            "rebuilds", means.federation().scheduler(), means.beat(), this::submitPass);
  }

  public void start() {
    passes.start();
  }

  private CompletionStage<?> submitPass() {
    try {
      executor.execute(this::runPass);
    } catch (RejectedExecutionException rejection) {
      LOG.trace("the catalog has not answered yet");
    }
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Receives the result of a check of the stores. Sends no request.
   *
   * @param open the caches that are open here
   * @param records of those caches whose records could be read in this check
   */
  void update(Set<String> open, Collection<StoredDefinition> records) {
    storeSilence.beginCheck(nanos());
    List<String> endedCaches = List.copyOf(failedCaches);
    endedCaches.forEach(cache -> rebuildHistory.recordFailure(cache, nanos()));
    Set<String> rebuilding = new HashSet<>(lastCheck.rebuilding);
    Map<String, IncompleteCache> lacking = new TreeMap<>();
    Set<String> silentStores = new HashSet<>();
    for (StoredDefinition record : records) {
      String cache = record.definition().name();
      rebuildHistory.record(record, nanos());
      if (RebuildHistory.findRebuild(record).isPresent()) {
        rebuilding.add(cache);
      } else {
        rebuilding.remove(cache);
      }
      CacheRedundancy redundancy = monitor.of(record);
      List<String> replicas = new ArrayList<>();
      long silentSinceNanos = Long.MAX_VALUE;
      for (Replica replica : redundancy.replicas()) {
        String store = record.store(replica.name()).orElse("");
        if (isUnreachable(replica)) {
          silentStores.add(store);
          replicas.add(replica.name());
          silentSinceNanos = Math.min(silentSinceNanos, storeSilence.recordSilence(store, nanos()));
        } else {
          storeSilence.recordAnswer(store);
        }
      }
      if (isUnreachabilityOnlyLoss(replicas, redundancy, record)
          && rebuildHistory.isDue(cache, silentSinceNanos, nanos())) {
        lacking.put(cache, new IncompleteCache(record, replicas, silentSinceNanos));
      }
    }
    if (records.size() == open.size()) {
      storeSilence.retain(silentStores);
    }
    rebuildHistory.retain(open);
    rebuilding.retainAll(open);
    lastCheck = new RebuildCheck(List.copyOf(lacking.values()), Set.copyOf(rebuilding));
    endedCaches.forEach(
        failedCaches::remove); // Last: until then the former result must start no rebuild.
  }

  /**
   * Whether the node of a replica does not answer. If this process uses no other node of the site,
   * the site appears to be down. Its true state is checked when a rebuild is to begin.
   */
  private static boolean isUnreachable(Replica replica) {
    return replica.state() == ReplicaState.NODE_UNREACHABLE
        || replica.state() == ReplicaState.SITE_DOWN;
  }

  private static boolean isUnreachabilityOnlyLoss(
      List<String> replicas, CacheRedundancy redundancy, StoredDefinition record) {
    return !replicas.isEmpty()
        && SiteHandle.kindOf(record.definition()) == StoreKind.REPLICA
        && replicas.size() == redundancy.missing().size()
        && redundancy.isServed()
        && record.change().filter(change -> !change.isEnding()).isEmpty();
  }

  private void runPass() {
    RebuildCheck check = lastCheck;
    Set<String> rebuilding = new HashSet<>(check.rebuilding);
    rebuilding.addAll(trackedRebuilds.keySet());
    Set<String> lacking = new HashSet<>();
    check.lacking.forEach(lackingCache -> lacking.add(lackingCache.record.definition().name()));
    triedAtNanos.keySet().retainAll(lacking);
    Set<String> cacheNames = new HashSet<>(rebuilding);
    cacheNames.addAll(lacking);
    maintenanceFailureLog.keep(cacheNames);
    rebuilding.forEach(cache -> runLogged(cache, "monitor the rebuild", () -> follow(cache)));
    if (trackedRebuilds.values().stream().anyMatch(this::isMoving)) {
      return;
    }
    Map<String, Boolean> answeringSites = new HashMap<>();
    check.lacking.stream()
        .filter(this::isDue)
        .forEach(
            lackingCache ->
                runLogged(
                    lackingCache.record.definition().name(),
                    "rebuild",
                    () -> beginRebuild(lackingCache, answeringSites)));
  }

  /**
   * Whether a rebuild makes progress. A rebuild that stands still does not prevent rebuilds of
   * other caches.
   */
  private boolean isMoving(TrackedRebuild followedRebuild) {
    return followedRebuild.progress.isMoving(nanos());
  }

  private void runLogged(String cache, String action, Runnable step) {
    maintenanceFailureLog.runLogged(
        new MaintenanceFailureLog.Step(cache, action), StoreChecker.ignoreCancellation(step));
  }

  private boolean isDue(IncompleteCache lackingCache) {
    if (failedCaches.contains(lackingCache.record.definition().name())) {
      return false; // The next check counts the failure, which lengthens the wait.
    }
    Long triedNanos = triedAtNanos.get(lackingCache.record.definition().name());
    long pause = means.beat().multipliedBy(BEATS_BETWEEN_ATTEMPTS).toNanos();
    return triedNanos == null || nanos() - triedNanos >= pause;
  }

  /**
   * Whether each site answers, the replicas are still unreachable, and each replica can move to a
   * node that is not silent.
   */
  private boolean isPossible(IncompleteCache lackingCache, Map<String, Boolean> answeringSites) {
    return lackingCache.replicas.stream()
            .map(ReplicaName::siteOf)
            .allMatch(site -> answeringSites.computeIfAbsent(site, this::hasAnswer))
        && hasNodes(lackingCache.record)
        && lackingCache.replicas.stream()
            .allMatch(replica -> SiteStoreProbe.isSilent(means, lackingCache.record, replica));
  }

  /** Whether any node of a site answers. */
  private boolean hasAnswer(String site) {
    Deadline limit = Deadline.after(LONGEST_QUESTION, means.federation().scheduler());
    try {
      return means.federation().sites().findSite(site).isPresent()
          && means
                  .caches()
                  .waitFor(
                      () -> means.federation().sites().findSite(site).orElseThrow().stores(limit),
                      LONGEST_QUESTION)
              != null;
    } catch (SiteException exception) {
      LOG.debug("a site does not answer; site={}", site, exception);
      return false;
    }
  }

  private boolean hasNodes(StoredDefinition record) {
    Map<String, String> incarnations;
    try {
      incarnations =
          means.federation().sites().lives(record.definition(), means.federation()::newToken);
    } catch (SiteException exception) {
      LOG.debug("no node is free; cache={}", record.definition().name(), exception);
      return false;
    }
    return incarnations.entrySet().stream()
        .noneMatch(
            incarnation ->
                means
                    .federation()
                    .sites()
                    .find(incarnation.getKey())
                    .filter(site -> site.isSilent(StoredDefinition.nodeOf(incarnation.getValue())))
                    .isPresent());
  }

  private void beginRebuild(IncompleteCache lackingCache, Map<String, Boolean> answeringSites) {
    String cache = lackingCache.record.definition().name();
    triedAtNanos.put(cache, nanos());
    if (trackedRebuilds.values().stream().anyMatch(this::isMoving)
        || !isPossible(lackingCache, answeringSites)) {
      return; // Another rebuild has just begun, or this one would not succeed.
    }
    means
        .alterations()
        .rebuildIfUnchanged(lackingCache.record, SiteMaintenance.KEYS_PER_SECOND)
        .ifPresent(
            run -> {
              follow(lackingCache.record, run);
              LOG.info(
                  "rebuilding a cache because nodes do not answer; cache={} replicas={} seconds={}",
                  cache,
                  lackingCache.replicas,
                  Duration.ofNanos(nanos() - lackingCache.sinceNanos).toSeconds());
            });
  }

  /**
   * Takes over a rebuild whose process is silent, and cancels a rebuild of this process that stands
   * still.
   */
  private void follow(String cache) {
    Optional<StoredDefinition> record = means.alterations().find(cache);
    ConfigurationChange change = record.flatMap(RebuildHistory::findRebuild).orElse(null);
    if (change == null || change.isEnding()) {
      trackedRebuilds.computeIfPresent(
          cache,
          (any, followedRebuild) ->
              followedRebuild.run == null || followedRebuild.isRunEnded ? null : followedRebuild);
      if (change != null) { // The remaining stores are to be removed.
        means.alterations().takeOverIfSilent(record.orElseThrow());
      }
      return;
    }
    TrackedRebuild followedRebuild = trackedRebuilds.computeIfAbsent(cache, any -> newFollowed());
    ChangeRun run = followedRebuild.run;
    if (run != null && run.isMine(change)) {
      followedRebuild.progress.recordRun(change, run.progress(), nanos());
      boolean isStuck = followedRebuild.progress.isStuck(nanos());
      if (isStuck && Alterations.RULES.canCancel(change.step())) {
        LOG.warn(
            "a rebuild makes no progress and is cancelled; cache={} step={}", cache, change.step());
        run.cancel();
      }
      return;
    }
    followedRebuild.progress.recordElsewhere(change, nanos());
    means
        .alterations()
        .takeOverIfSilent(record.orElseThrow())
        .ifPresent(
            takenRun -> {
              follow(record.orElseThrow(), takenRun);
              LOG.info("taking over a rebuild; cache={} step={}", cache, change.step());
            });
  }

  /** Records that this process carries the rebuild out from now on. */
  private void follow(StoredDefinition previous, ChangeRun run) {
    String cache = previous.definition().name();
    TrackedRebuild followedRebuild = newFollowed();
    followedRebuild.run = run;
    trackedRebuilds.put(cache, followedRebuild);
    run.done()
        .whenComplete(
            (record, failure) -> {
              boolean isRebuilt =
                  record != null && record.configuration() > previous.configuration();
              LOG.info("a rebuild has ended; cache={} rebuilt={}", cache, isRebuilt);
              if (!isRebuilt) {
                failedCaches.add(cache);
              }
              followedRebuild.isRunEnded = true;
            });
  }

  private TrackedRebuild newFollowed() {
    return new TrackedRebuild(new RebuildProgress(standstill, nanos()));
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  /** Begins no further rebuild. Other processes take over a rebuild that is in progress. */
  @Override
  public void close() {
    passes.close();
    executor.shutdownNow();
  }
}
