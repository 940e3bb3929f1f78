package io.ensemble.distribution;

import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.RepartitionInProgressException;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.distributed.PartitionTable;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.migrate.Mover;
import io.ensemble.migrate.Movers;
import io.ensemble.migrate.OwnerFailureDetectors;
import io.ensemble.migrate.PartMover;
import io.ensemble.migrate.RecordUpdater;
import io.ensemble.migrate.RepartitionExecutor;
import io.ensemble.partition.PartitionedKey;
import io.ensemble.partition.Partitioner;
import io.ensemble.reconfiguration.Alterations;
import io.ensemble.reconfiguration.CacheChanges;
import io.ensemble.repartition.Repartition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Changes the parts of distributed caches while they are in use. Methods block, and fail with
 * {@link CatalogException} and {@link IllegalStateException} as {@link EnsembleCacheManager}
 * describes. Thread-safe.
 */
public final class CacheParts {

  private static final int MOST_TRIES = 8;
  private static final int SAMPLE = 4_096;

  private final ManagerContext federation;
  private final DistributedCaches distributed;
  private final OpenCaches caches;
  private final Movers movers;
  private final OwnerFailureDetectors ownerFailureDetectors;

  public CacheParts(
      ManagerContext federation,
      DistributedCaches distributed,
      OpenCaches caches,
      Movers movers,
      OwnerFailureDetectors ownerFailureDetectors) {
    this.federation = federation;
    this.movers = movers;
    this.ownerFailureDetectors = ownerFailureDetectors;
    this.distributed = distributed;
    this.caches = caches;
  }

  /**
   * Gives a distributed cache other parts, or another partitioner, while it is read and written, as
   * {@link RepartitionRun} describes. If the same change is in progress already, this call joins
   * it.
   *
   * @param to the new definition, for example by {@link DistributedDefinition#with} with one more
   *     part
   * @throws NoSuchElementException if there is no such distributed cache
   * @throws IllegalArgumentException if a part does not exist, settings do not fit the partitioner,
   *     or frontier mode differs
   * @throws UnsupportedOperationException unless all parts, former and new ones, are and stay MWMR
   *     caches, and were MWMR caches when the cache was created: parts that are distributed, WEAK
   *     or SWMR cannot be changed
   * @throws RepartitionInProgressException if another change is in progress; nothing was done
   */
  public RepartitionRun alter(DistributedDefinition to) {
    StoredDistribution now = stored(to.name());
    check(now, to);
    OpenDistribution here = distributed.opened(now);
    for (int i = 0; i < MOST_TRIES; i++) {
      Optional<RepartitionRun> run = alterOnce(here, now, to);
      if (run.isPresent()) {
        return run.get();
      }
      now = stored(to.name());
      check(now, to);
    }
    throw new CatalogException(
        CatalogException.Reason.CHANGED,
        "other processes changed the record at each attempt; cache=" + to.name());
  }

  /**
   * As {@link #alter}, if {@code seen} is still the record of the cache: the comparison and the
   * beginning of the change are one atomic step in the catalog. After an unknown outcome, read the
   * record before a retry: the change of the first call makes a retry fail.
   *
   * @return the change; empty if the record is another one, and nothing was done
   */
  public Optional<RepartitionRun> alterIfUnchanged(
      StoredDistribution seen, DistributedDefinition to) {
    check(seen, to);
    return alterOnce(distributed.opened(seen), seen, to);
  }

  /** Begins or joins the change, unless the record is no longer {@code now}. */
  private Optional<RepartitionRun> alterOnce(
      OpenDistribution here, StoredDistribution now, DistributedDefinition to) {
    String owner = Mover.owner(federation.newWriter());
    Optional<Repartition> under = now.growth();
    if (under.isPresent() && !under.get().to().equals(to)) {
      throw new RepartitionInProgressException(now.definition(), under.get().to(), to);
    }
    if (under.isPresent() || now.definition().equals(to)) {
      return Optional.of(started(mover(here, owner, now)));
    }
    return begun(now.with(Repartition.begun(to, owner)))
        .map(begun -> started(mover(here, owner, begun)));
  }

  /** The record, if it replaced the previous one. */
  private Optional<StoredDistribution> begun(StoredDistribution next) {
    return caches.unlessRaced(
        () ->
            RecordUpdater.of(federation.definitions().distributions(), next, federation.scheduler())
                .publish(next));
  }

  /**
   * Takes over the change of a distributed cache's parts from its present mover, because that
   * process is dead.
   *
   * @throws NoSuchElementException if there is no such cache, or no change of it
   * @throws RepartitionInProgressException if it ended meanwhile and another one has begun; nothing
   *     was done
   */
  public RepartitionRun resume(String cache) {
    StoredDistribution stored = stored(cache);
    if (stored.growth().isEmpty()) {
      throw new NoSuchElementException("no change of the parts is in progress; cache=" + cache);
    }
    String owner = Mover.owner(federation.newWriter());
    PartMover mover = mover(distributed.opened(stored), owner, stored);
    caches.waitFor(() -> mover.takeOver(), OpenCaches.LONGEST_LOOKUP);
    return started(mover);
  }

  /**
   * Takes over the change in {@code seen}, a record that was read just now, if its mover has been
   * silent for three leases, as {@link CacheChanges#takeOverIfSilent} does.
   *
   * @return the change, which this process carries out from now on; empty if the mover is not
   *     silent, or another process was faster
   */
  public Optional<RepartitionRun> takeOverIfSilent(StoredDistribution seen) {
    if (!ownerFailureDetectors.isSilent(seen, federation.scheduler().nanos())) {
      return Optional.empty();
    }
    String owner = Mover.owner(federation.newWriter());
    PartMover mover = mover(distributed.opened(seen), owner, seen);
    return caches.unlessRaced(() -> mover.takeOver(seen)).map(mine -> started(mover));
  }

  /** A distributed cache as the catalog has it; empty if there is none of that name. */
  public Optional<StoredDistribution> find(String cache) {
    return distributed.stored(cache);
  }

  /** Every distributed cache with a change of its parts, in the order of names. */
  public List<StoredDistribution> underWay() {
    return caches
        .waitFor(federation.definitions()::inventory, OpenCaches.LONGEST_LOOKUP)
        .distributed()
        .stream()
        .filter(stored -> stored.growth().isPresent())
        .toList();
  }

  /** The change of a distributed cache's parts that is in progress. */
  public Optional<Repartition> underWay(String cache) {
    return distributed.stored(cache).flatMap(StoredDistribution::growth);
  }

  private RepartitionRun started(PartMover mover) {
    movers.start(mover);
    return new RepartitionRun(mover);
  }

  private PartMover mover(OpenDistribution here, String owner, StoredDistribution stored) {
    PartitionTable dealt = distributed.followed(here, stored);
    Map<String, Supplier<CacheEngine>> engines = new LinkedHashMap<>();
    dealt.faces().forEach((part, faces) -> engines.put(part, faces::running));
    PartitionTable.Side from = dealt.present();
    PartitionTable.Side to =
        dealt.coming().map(PartitionTable.PendingRepartition::side).orElse(from);
    PartMover.PartMoverContext means =
        new PartMover.PartMoverContext(
            federation.definitions().distributions(),
            federation.scheduler(),
            Alterations.PART_RULES,
            errand -> {},
            published -> here.watch().look());
    return new PartMover(
        means,
        owner,
        stored,
        new RepartitionExecutor.Parts(
            engines,
            key -> from.part(here.engine().seen(key)),
            key -> to.part(here.engine().seen(key))));
  }

  /**
   * Fails as {@link EnsembleCacheManager#createDistributed} would if the caches {@code coming},
   * which are to be created for the distributed cache, already existed. Creates nothing, and opens
   * nothing.
   *
   * @throws CatalogException if the name is in use, or the cache exists with other settings
   */
  public void check(DistributedDefinition wanted, Set<String> coming) {
    distributed.check(wanted, coming);
    boolean other =
        distributed
            .stored(wanted.name())
            .filter(stored -> !stored.definition().equals(wanted))
            .isPresent();
    if (other || isPlain(wanted.name())) {
      throw new CatalogException(
          CatalogException.Reason.EXISTS,
          "a cache with other settings has this name; cache=" + wanted.name());
    }
  }

  private boolean isPlain(String cache) {
    return caches
        .waitFor(() -> federation.definitions().get(cache), OpenCaches.LONGEST_LOOKUP)
        .isPresent();
  }

  private void check(StoredDistribution now, DistributedDefinition to) {
    Set<String> parts = new TreeSet<>(now.definition().parts());
    parts.addAll(to.parts());
    for (String part : to.parts()) {
      if (now.hasNameOfShard(part) && !now.shards().contains(part)) {
        throw new IllegalArgumentException(
            "a part that is added must not have the name of a shard; cache=%s part=%s"
                .formatted(to.name(), part));
      }
      if (!distributed.isPlain(to.name(), part) && distributed.stored(part).isEmpty()) {
        throw DistributionRules.missing(to.name(), part);
      }
    }
    if (!now.fenced() || !parts.stream().allMatch(distributed::isFenceable)) {
      throw new UnsupportedOperationException(
          ("parts can be changed only if all parts, before and after, are MWMR caches and were "
                  + "when the cache was created; cache=%s fenced=%s parts=%s to=%s")
              .formatted(to.name(), now.fenced(), now.definition().parts(), to.parts()));
    }
    if (to.frontier() != now.definition().frontier()) {
      throw new IllegalArgumentException("frontier mode cannot be changed; cache=" + to.name());
    }
    distributed.distributing().partitioner(to);
  }

  /**
   * The share of the keys that {@linkplain #alter such a change} would move, between 0 and 1. The
   * estimate uses a sample of keys {@code k0}, {@code k1} and so on.
   *
   * @throws NoSuchElementException if there is no such distributed cache
   */
  public double movingShare(DistributedDefinition to) {
    DistributedDefinition from = stored(to.name()).definition();
    Partitioner former = distributed.distributing().partitioner(from);
    Partitioner next = distributed.distributing().partitioner(to);
    List<String> now = from.parts();
    int moving = 0;
    for (int i = 0; i < SAMPLE; i++) {
      PartitionedKey key = PartitionedKey.of("k" + i);
      moving += now.get(former.part(key)).equals(to.parts().get(next.part(key))) ? 0 : 1;
    }
    return (double) moving / SAMPLE;
  }

  private StoredDistribution stored(String cache) {
    return distributed
        .stored(cache)
        .orElseThrow(() -> new NoSuchElementException("no such distributed cache: " + cache));
  }
}
