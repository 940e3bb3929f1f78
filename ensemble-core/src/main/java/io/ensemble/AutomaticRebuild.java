package io.ensemble;

import io.ensemble.CacheRedundancy.Replica;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.Step;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the caches that are open here off nodes that stay away, as {@link CacheChanges#rebuild}
 * does: a node that has not answered for a stated time is held for gone, and each replica comes to
 * a node that answers. It does so only if the rebuild can succeed now: every other replica is
 * whole, they are a majority, and each site has enough nodes that answer. A rebuild that makes no
 * progress for two minutes, or for the stated time if that is shorter, is given up while it can be,
 * and begun again after the stated time.
 *
 * <p>Every process that has the cache open does it. The record takes one change at a time, so one
 * of them begins it, and the others see that it is under way and wait; one that joins a rebuild
 * takes it over when its process dies. One cache after the other; one thread, which may wait.
 */
final class AutomaticRebuild implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(AutomaticRebuild.class);

  private static final Duration LONGEST_STANDSTILL = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofSeconds(2);

  private final SiteCare.Means means;
  private final RedundancyMonitor monitor;
  private final Duration after;

  /** How long a rebuild may stand still before it is given up. */
  private final Duration standstill;

  private final ThreadPoolExecutor work;

  /** Since when unreachable nodes are all that each cache lacks. Of the thread that works. */
  private final Map<String, Long> sinceNanos = new HashMap<>();

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

  /**
   * Rebuilds what is due, unless it rebuilds just now. Returns at once.
   *
   * @param records of the caches that are open here, as they were read just now
   */
  void attend(Collection<StoredDefinition> records) {
    List<StoredDefinition> seen = List.copyOf(records);
    try {
      work.execute(() -> attendNow(seen));
    } catch (RejectedExecutionException busy) {
      LOG.trace("a cache is being rebuilt");
    }
  }

  private void attendNow(List<StoredDefinition> records) {
    Set<String> names =
        records.stream().map(record -> record.definition().name()).collect(Collectors.toSet());
    sinceNanos.keySet().retainAll(names);
    for (StoredDefinition record : records) {
      String cache = record.definition().name();
      if (!isWanted(record)) {
        sinceNanos.remove(cache);
      } else if (nanos() - sinceNanos.computeIfAbsent(cache, any -> nanos()) >= after.toNanos()
          && isPossible(record)) {
        sinceNanos.remove(cache); // Whatever comes of it: a node that flaps costs a copy each time.
        rebuild(record);
        return; // That took a while: what is known of the others is old.
      }
    }
  }

  /** Whether unreachable nodes are all that the cache lacks, and it does not change already. */
  private boolean isWanted(StoredDefinition record) {
    CacheRedundancy redundancy = monitor.of(record);
    return record.change().isEmpty()
        && redundancy.isUnderReplicated()
        && redundancy.isServed()
        && redundancy.missing().stream()
            .map(Replica::state)
            .allMatch(ReplicaState.NODE_UNREACHABLE::equals);
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

  private void rebuild(StoredDefinition record) {
    String cache = record.definition().name();
    List<String> missing = monitor.of(record).missing().stream().map(Replica::name).toList();
    try {
      ChangeRun run = means.alterations().rebuild(record, SiteCare.KEYS_PER_SECOND);
      LOG.info(
          "a cache comes to nodes that answer; cache={} missing={} silentFor={}",
          cache,
          missing,
          after);
      follow(cache, run);
    } catch (CancellationException stopped) {
      LOG.trace("stopped", stopped);
    } catch (RuntimeException failure) {
      LOG.warn(
          "a cache was not rebuilt, which is tried again in {}; cache={} missing={}",
          after,
          cache,
          missing,
          failure);
    }
  }

  /** Waits until the change is over, and gives it up if it stands still. */
  private void follow(String cache, ChangeRun run) {
    CompletableFuture<Optional<StoredDefinition>> over =
        run.done().thenApply(Optional::of).toCompletableFuture();
    Progress last = progress(cache, run);
    long movedAt = nanos();
    Optional<StoredDefinition> done = within(LOOK, over);
    while (done.isEmpty()) {
      Progress now = progress(cache, run);
      if (!now.equals(last)) {
        last = now;
        movedAt = nanos();
      } else if (nanos() - movedAt >= standstill.toNanos() && isGivenUp(run)) {
        LOG.warn("a rebuild stood still and is given up; cache={} step={}", cache, now.step());
        return;
      }
      done = within(LOOK, over);
    }
    LOG.info("a cache was rebuilt; cache={} configuration={}", cache, done.get().configuration());
  }

  /** Empty if it is not over by then. */
  private Optional<StoredDefinition> within(
      Duration time, CompletableFuture<Optional<StoredDefinition>> over) {
    return means
        .caches()
        .waitFor(
            () ->
                over.copy()
                    .completeOnTimeout(Optional.empty(), time.toMillis(), TimeUnit.MILLISECONDS),
            time.multipliedBy(2));
  }

  private static boolean isGivenUp(ChangeRun run) {
    try {
      run.giveUp();
      return true;
    } catch (IllegalStateException tooLate) {
      LOG.debug("a rebuild goes on", tooLate);
      return false;
    }
  }

  /**
   * How far a rebuild is.
   *
   * @param step empty if the catalog does not say
   */
  private record Progress(Optional<Step> step, long copied) {}

  private Progress progress(String cache, ChangeRun run) {
    Optional<Step> step;
    try {
      step = means.alterations().find(cache).flatMap(StoredDefinition::change).map(Change::step);
    } catch (CatalogException away) {
      step = Optional.empty();
    }
    return new Progress(step, run.copied());
  }

  private long nanos() {
    return means.federation().scheduler().nanos();
  }

  /** Begins nothing more. A change that is under way is for other processes to take over. */
  @Override
  public void close() {
    work.shutdownNow();
  }
}
