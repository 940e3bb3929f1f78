package io.ensemble.distribution;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.distributed.CombinedGuarantees;
import io.ensemble.cache.distributed.DistributedEngine;
import io.ensemble.cache.distributed.Frontier;
import io.ensemble.cache.distributed.PartitionTable;
import io.ensemble.cache.distributed.RepartitionFence;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.codec.Codec;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.manager.ManagedCache;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The distributed caches of one manager: their records in the catalog, and those that are open.
 * Methods block, as those of the manager do. Thread-safe.
 */
public final class DistributedCaches {

  private static final Logger LOG = LoggerFactory.getLogger(DistributedCaches.class);
  private static final Duration LONGEST_LOOKUP = OpenCaches.LONGEST_LOOKUP;

  private final ManagerContext federation;
  private final DistributedDefinitions distributedDefinitions;
  private final OpenCaches caches;
  private final Codec codec;
  private final DistributionRules distributionRules = new DistributionRules();

  // Guarded by this object's lock.
  private final Map<String, OpenDistribution> open = new TreeMap<>();

  public DistributedCaches(ManagerContext federation, OpenCaches caches, Codec codec) {
    this.federation = federation;
    this.distributedDefinitions = federation.definitions().distributions();
    this.caches = caches;
    this.codec = codec;
  }

  /** The record in the catalog; empty if there is no distributed cache of that name. */
  public Optional<StoredDistribution> stored(String name) {
    return caches.waitFor(() -> distributedDefinitions.get(name), LONGEST_LOOKUP);
  }

  /** The names of all caches, distributed or not. */
  public Set<String> allNames() {
    Set<String> all = new TreeSet<>(caches.waitFor(distributedDefinitions::list, LONGEST_LOOKUP));
    all.addAll(caches.waitFor(federation.definitions()::list, LONGEST_LOOKUP));
    return all;
  }

  /** Stores the definition if the cache does not exist, and opens the cache. */
  public CacheInstance create(DistributedDefinition definition) {
    return create(definition, newBirth());
  }

  /** Returns random digits that no other creation uses. */
  String newBirth() {
    return federation.newToken() + federation.newToken();
  }

  /** As the other method, under a birth that was drawn before. */
  public CacheInstance create(DistributedDefinition definition, String birth) {
    check(definition, Set.of());
    StoredDistribution plain = new StoredDistribution(definition, birth);
    StoredDistribution wanted =
        definition.parts().stream().allMatch(this::isFenceable) ? plain.withFence() : plain;
    return opened(
            caches.waitFor(() -> distributedDefinitions.create(wanted), LONGEST_LOOKUP), List.of())
        .faces();
  }

  /**
   * Fails if the cache could not be created even if the caches {@code coming} existed. Creates
   * nothing.
   */
  void check(DistributedDefinition definition, Set<String> coming) {
    caches.keysets().checkNone(definition.name());
    distributionRules.partitioner(definition);
    if (definition.frontier()) {
      localSite(definition);
    }
    DistributionRules.checkPaths(
        definition.name(),
        definition,
        List.of(),
        new HashSet<>(),
        part -> coming.contains(part) || isPlain(definition.name(), part),
        part -> stored(part).map(StoredDistribution::definition));
  }

  /** The definition of a cache that is not distributed; empty if there is none of that name. */
  Optional<CacheDefinition> definitionOf(String name) {
    return definition(name).map(StoredDefinition::definition);
  }

  /** Whether a part is a cache that is not distributed; fails if it is private. */
  boolean isPlain(String whole, String part) {
    Optional<StoredDefinition> found = definition(part);
    found.ifPresent(cache -> DistributionRules.checkPublic(whole, cache.definition()));
    return found.isPresent();
  }

  /** Whether reads of a part are strong enough to find generation marks, and stay so. */
  boolean isFenceable(String part) {
    return definition(part)
        .filter(found -> found.definition().mode() == Mode.MWMR)
        .filter(
            found ->
                found
                    .change()
                    .filter(change -> !change.isEnding() && change.to().mode() != Mode.MWMR)
                    .isEmpty())
        .isPresent();
  }

  /** Fails, before stores are created, if a distributed cache has that name. */
  public void checkFree(String name) {
    if (stored(name).isPresent()) {
      throw new CatalogException(
          CatalogException.Reason.EXISTS, "a distributed cache has this name; cache=" + name);
    }
  }

  /**
   * Fails if a distributed cache other than {@code owner} has one of the parts, or is to receive
   * it; the message names these caches.
   */
  void checkUnused(Set<String> parts, String owner) {
    List<String> users =
        new PartUsers(distributedDefinitions, caches)
            .ofAny(parts, stored -> !stored.definition().name().equals(owner));
    if (!users.isEmpty()) {
      throw new IllegalStateException(
          "shards are parts of other distributed caches: delete those first; cache=%s distributed=%s"
              .formatted(owner, users));
    }
  }

  /**
   * Fails if a distributed cache has that part, or is to receive it; the message names these
   * caches.
   */
  public void checkUnused(String part) {
    List<String> users = new PartUsers(distributedDefinitions, caches).of(part, stored -> true);
    if (!users.isEmpty()) {
      throw new IllegalStateException(
          "the cache is a part of distributed caches: delete those first; cache=%s distributed=%s"
              .formatted(part, users));
    }
  }

  /** The cache of that name, distributed or not, opened if necessary; empty if there is none. */
  public Optional<CacheInstance> found(String name) {
    Optional<CacheInstance> known = caches.get(name).map(ManagedCache::faces).or(() -> whole(name));
    return known.isPresent() ? known : opened(name, List.of());
  }

  private synchronized Optional<CacheInstance> whole(String name) {
    return Optional.ofNullable(open.get(name))
        .filter(OpenDistribution::isWhole)
        .map(OpenDistribution::faces);
  }

  private Optional<CacheInstance> opened(String name, List<String> path) {
    return definition(name)
        .map(cache -> caches.opened(cache).faces())
        .or(() -> stored(name).map(distributed -> opened(distributed, path).faces()));
  }

  /** Opens the cache, or returns the open one. */
  OpenDistribution opened(StoredDistribution stored) {
    return opened(stored, List.of());
  }

  private OpenDistribution opened(StoredDistribution stored, List<String> path) {
    String name = stored.definition().name();
    List<String> longer = DistributionRules.longer(path, name);
    OpenDistribution now;
    synchronized (this) {
      now = same(stored);
    }
    if (now != null) {
      return now;
    }
    OpenDistribution mine = open(stored, longer);
    OpenDistribution former;
    synchronized (this) {
      // Stopping the manager closes the open caches only after it sets the flag that this call
      // checks.
      caches.running();
      now = same(stored);
      former = now == null ? open.put(name, mine) : mine;
    }
    if (former != null) {
      former.close();
    }
    if (now != null) {
      return now;
    }
    mine.watch().start(() -> forget(mine), next -> follow(mine, next));
    return mine;
  }

  /** Requires this object's lock. */
  private @Nullable OpenDistribution same(StoredDistribution stored) {
    OpenDistribution now = open.get(stored.definition().name());
    return now != null && now.stored().isSameBirth(stored) && now.isWhole() ? now : null;
  }

  private OpenDistribution open(StoredDistribution stored, List<String> path) {
    DistributedDefinition definition = stored.definition();
    caches.keysets().checkNone(definition.name());
    distributionRules.partitioner(definition);
    Frontier frontier =
        definition.frontier()
            ? Frontier.at(localSite(definition), federation.registry(), definition.name())
            : null;
    Map<String, CacheInstance> parts = new LinkedHashMap<>();
    for (String part : DistributionRules.parts(stored)) {
      parts.put(part, part(definition.name(), part, path));
    }
    PartitionTable first = distributionRules.dealt(stored, parts);
    DistributionWatch watch =
        new DistributionWatch(stored, distributedDefinitions, federation.scheduler());
    RepartitionFence fence =
        stored.fenced()
            ? new RepartitionFence(
                ConfigurationLeaseRules.STANDARD,
                stored.birth(),
                first,
                federation.scheduler(),
                watch::look)
            : null;
    DistributedEngine engine = new DistributedEngine(first, frontier, codec, fence);
    CacheDefinition weakest =
        CombinedGuarantees.of(
            definition.name(), parts.values().stream().map(CacheInstance::definition).toList());
    CacheInstance faces =
        new CacheInstance(
            weakest,
            engine,
            codec,
            federation.scheduler(),
            federation.metrics(definition.name(), weakest.mode(), false),
            federation.clock()::physicalMicros,
            () -> stop(definition.name()).forEach(caches::stop),
            stored.birth());
    return new OpenDistribution(stored, engine, faces, watch);
  }

  private CacheInstance part(String whole, String part, List<String> path) {
    return caches
        .get(part)
        .map(ManagedCache::faces)
        .or(() -> opened(part, path))
        .orElseThrow(() -> DistributionRules.missing(whole, part));
  }

  /**
   * Opens the parts that a later record names, and partitions keys by that record. Does not block.
   */
  private void follow(OpenDistribution here, StoredDistribution next) {
    Map<String, CacheInstance> parts = new ConcurrentHashMap<>(here.engine().dealt().open());
    CompletableFuture<?>[] opening =
        DistributionRules.parts(next).stream()
            .filter(part -> !parts.containsKey(part))
            .map(
                part ->
                    openedSoon(part)
                        .thenAccept(opened -> opened.ifPresent(faces -> parts.put(part, faces)))
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(opening)
        .thenRun(() -> here.deal(distributionRules.dealt(next, parts), next.revision()))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) { // The next read of the record retries.
                LOG.warn(
                    "a change of parts could not be applied in this process; cache={} parts={} "
                        + "cause={}",
                    next.definition().name(),
                    DistributionRules.parts(next),
                    CompletionCause.of(failure).toString());
              }
            });
  }

  private CompletionStage<Optional<CacheInstance>> openedSoon(String part) {
    return federation
        .definitions()
        .get(part)
        .thenCompose(
            found ->
                federation
                    .sites()
                    .learn(found.map(stored -> stored.definition().sites()).orElse(List.of()))
                    .thenApplyAsync(
                        learnt -> found.flatMap(caches::openedSoon).map(ManagedCache::faces),
                        federation.scheduler()));
  }

  /** As {@link #follow}, but blocking, in a process that carries the change out. */
  PartitionTable followed(OpenDistribution here, StoredDistribution next) {
    Map<String, CacheInstance> parts = new LinkedHashMap<>();
    for (String part : DistributionRules.parts(next)) {
      parts.put(part, part(next.definition().name(), part, List.of(next.definition().name())));
    }
    PartitionTable dealt = distributionRules.dealt(next, parts);
    here.deal(dealt, next.revision());
    return dealt;
  }

  /** The rules, including the partitioners, of distributed caches. */
  DistributionRules distributing() {
    return distributionRules;
  }

  private String localSite(DistributedDefinition definition) {
    return federation
        .localSite()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "a cache in frontier mode requires a manager with a local site; cache="
                        + definition.name()));
  }

  private Optional<StoredDefinition> definition(String name) {
    return caches.waitFor(() -> federation.definitions().get(name), LONGEST_LOOKUP);
  }

  /**
   * Closes a distributed cache, and returns its shards, which stay open. Has no effect if it is not
   * open.
   */
  public List<String> stop(String name) {
    OpenDistribution closing;
    synchronized (this) {
      closing = open.remove(name);
    }
    if (closing == null) {
      return List.of();
    }
    closing.close();
    return closing.stored().shards();
  }

  /** Closes all distributed caches, once the manager opens no more. */
  public void stop() {
    Set<String> names;
    synchronized (this) {
      names = new TreeSet<>(open.keySet());
    }
    names.forEach(this::stop);
  }

  /**
   * Deletes the record of a distributed cache; its parts stay. Returns false if there is none.
   * Fails if a distributed cache has a part of that name.
   */
  public boolean delete(String name) {
    checkUnused(name);
    return stored(name).filter(this::delete).isPresent();
  }

  /**
   * Deletes a record if it still equals {@code stored}; returns false if it has changed or is gone.
   */
  public boolean delete(StoredDistribution stored) {
    boolean deleted = caches.waitFor(() -> distributedDefinitions.delete(stored), LONGEST_LOOKUP);
    Optional<OpenDistribution> here;
    synchronized (this) {
      here =
          Optional.ofNullable(open.get(stored.definition().name()))
              .filter(known -> known.stored().isSameBirth(stored));
    }
    here.ifPresent(this::forget);
    return deleted;
  }

  private void forget(OpenDistribution deleted) {
    synchronized (this) {
      open.remove(deleted.stored().definition().name(), deleted);
    }
    deleted.delete();
  }
}
