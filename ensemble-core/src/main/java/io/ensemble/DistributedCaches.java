package io.ensemble;

import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.distributed.DistributedEngine;
import io.ensemble.cache.distributed.Frontier;
import io.ensemble.cache.distributed.Weakest;
import io.ensemble.cache.face.CacheFaces;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.Distributions;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.catalog.StoredDistribution;
import io.ensemble.codec.Codec;
import io.ensemble.partition.InstalledPartitioners;
import io.ensemble.partition.Partitioner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The distributed caches of one manager: what the catalog has of them, and those that are open.
 * Methods wait, as those of the manager do. Thread-safe.
 */
final class DistributedCaches {

  /** How many distributed caches may be parts of each other. */
  static final int DEEPEST = 8;

  private static final Duration LONGEST_LOOKUP = OpenCaches.LONGEST_LOOKUP;

  private final Federation federation;
  private final Distributions distributions;
  private final OpenCaches caches;
  private final Codec codec;

  // Both belong to this object's lock.
  private final Map<String, OpenDistribution> open = new TreeMap<>();
  private @Nullable InstalledPartitioners installed;

  DistributedCaches(Federation federation, OpenCaches caches, Codec codec) {
    this.federation = federation;
    this.distributions = federation.definitions().distributions();
    this.caches = caches;
    this.codec = codec;
  }

  /** What the catalog has; empty if there is no distributed cache of that name. */
  Optional<StoredDistribution> stored(String name) {
    return caches.waitFor(() -> distributions.get(name), LONGEST_LOOKUP);
  }

  private Set<String> names() {
    return caches.waitFor(distributions::list, LONGEST_LOOKUP);
  }

  /** The names of all caches, distributed or not. */
  Set<String> allNames() {
    Set<String> all = new TreeSet<>(names());
    all.addAll(caches.waitFor(federation.definitions()::list, LONGEST_LOOKUP));
    return all;
  }

  /** Stores it if it is not there, and opens it. */
  CacheFaces create(DistributedDefinition definition) {
    partitioner(definition);
    if (definition.frontier()) {
      localSite(definition);
    }
    checkPaths(definition.name(), definition, List.of(), new HashSet<>());
    StoredDistribution wanted =
        new StoredDistribution(definition, federation.newToken() + federation.newToken());
    return opened(caches.waitFor(() -> distributions.create(wanted), LONGEST_LOOKUP), List.of());
  }

  /** Fails, before stores are made, if a distributed cache has that name. */
  void checkFree(String name) {
    if (stored(name).isPresent()) {
      throw new CatalogException(
          CatalogException.Reason.EXISTS, "the name is that of a distributed cache; cache=" + name);
    }
  }

  /** Fails if distributed caches have that part, naming them. */
  private void checkUnused(String part) {
    List<String> users =
        names().stream()
            .filter(
                name -> stored(name).filter(s -> s.definition().parts().contains(part)).isPresent())
            .toList();
    if (!users.isEmpty()) {
      throw new IllegalStateException(
          "the cache is a part of distributed caches: delete those first; cache=%s distributed=%s"
              .formatted(part, users));
    }
  }

  /** The cache of that name, distributed or not, open or opened for it; empty if there is none. */
  Optional<CacheFaces> found(String name) {
    Optional<CacheFaces> known = caches.get(name).map(OpenedCache::faces).or(() -> whole(name));
    return known.isPresent() ? known : opened(name, List.of());
  }

  private synchronized Optional<CacheFaces> whole(String name) {
    return Optional.ofNullable(open.get(name))
        .filter(OpenDistribution::isWhole)
        .map(OpenDistribution::faces);
  }

  private Optional<CacheFaces> opened(String name, List<String> path) {
    return definition(name)
        .map(cache -> caches.opened(cache).faces())
        .or(() -> stored(name).map(distributed -> opened(distributed, path)));
  }

  private CacheFaces opened(StoredDistribution stored, List<String> path) {
    String name = stored.definition().name();
    List<String> longer = longer(path, name);
    OpenDistribution now;
    synchronized (this) {
      now = same(stored);
    }
    if (now != null) {
      return now.faces();
    }
    OpenDistribution mine = open(stored, longer);
    OpenDistribution former;
    synchronized (this) {
      caches.running(); // Whoever stops the manager closes after that what is open here.
      now = same(stored);
      former = now == null ? open.put(name, mine) : mine;
    }
    if (former != null) {
      former.close();
    }
    if (now != null) {
      return now.faces();
    }
    mine.watch();
    return mine.faces();
  }

  /** Under this object's lock. */
  private @Nullable OpenDistribution same(StoredDistribution stored) {
    OpenDistribution now = open.get(stored.definition().name());
    return now != null && now.stored().equals(stored) && now.isWhole() ? now : null;
  }

  private OpenDistribution open(StoredDistribution stored, List<String> path) {
    DistributedDefinition definition = stored.definition();
    Partitioner partitioner = partitioner(definition);
    Frontier frontier =
        definition.frontier()
            ? Frontier.at(localSite(definition), federation.registry(), definition.name())
            : null;
    List<CacheFaces> parts = new ArrayList<>();
    for (String part : definition.parts()) {
      parts.add(part(definition.name(), part, path));
    }
    DistributedEngine engine =
        new DistributedEngine(definition, parts, partitioner, frontier, codec);
    CacheDefinition weakest =
        Weakest.of(definition.name(), parts.stream().map(CacheFaces::definition).toList());
    CacheFaces faces =
        new CacheFaces(
            weakest,
            engine,
            codec,
            federation.scheduler(),
            CacheMetrics.of(federation.registry(), definition.name(), weakest.mode()),
            federation.clock()::physicalMicros,
            () -> stop(definition.name()));
    return new OpenDistribution(
        stored, engine, faces, distributions, federation.scheduler(), this::forget);
  }

  private CacheFaces part(String whole, String part, List<String> path) {
    return caches
        .get(part)
        .map(OpenedCache::faces)
        .or(() -> opened(part, path))
        .orElseThrow(() -> missing(whole, part));
  }

  private Partitioner partitioner(DistributedDefinition definition) {
    return installed().partitioner(definition.partitioner(), definition.parts());
  }

  private synchronized InstalledPartitioners installed() {
    InstalledPartitioners known = installed;
    if (known == null) {
      ClassLoader context = Thread.currentThread().getContextClassLoader();
      known =
          InstalledPartitioners.on(
              context == null ? DistributedCaches.class.getClassLoader() : context);
      installed = known;
    }
    return known;
  }

  private String localSite(DistributedDefinition definition) {
    return federation
        .localSite()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "a cache in frontier mode is for managers with a local site; cache="
                        + definition.name()));
  }

  /** Fails if a way down from {@code definition} comes back, or is too long. */
  private void checkPaths(
      String root, DistributedDefinition definition, List<String> path, Set<String> seen) {
    List<String> longer = longer(path, definition.name());
    for (String part : definition.parts()) {
      if (part.equals(root)) {
        throw new CyclicCacheException(longer(longer, part));
      }
      if (seen.add(part) && definition(part).isEmpty()) {
        DistributedDefinition next =
            stored(part).map(StoredDistribution::definition).orElseThrow(() -> missing(root, part));
        checkPaths(root, next, longer, seen);
      }
    }
  }

  private static List<String> longer(List<String> path, String name) {
    List<String> longer = new ArrayList<>(path);
    longer.add(name);
    if (path.contains(name)) {
      throw new CyclicCacheException(longer.subList(path.indexOf(name), longer.size()));
    }
    if (longer.size() > DEEPEST) {
      throw new IllegalArgumentException(
          "distributed caches are parts of each other at most %d deep; path=%s"
              .formatted(DEEPEST, String.join(" -> ", longer)));
    }
    return longer;
  }

  private Optional<StoredDefinition> definition(String name) {
    return caches.waitFor(() -> federation.definitions().get(name), LONGEST_LOOKUP);
  }

  private static IllegalArgumentException missing(String whole, String part) {
    return new IllegalArgumentException(
        "a part of a distributed cache is a cache that is there; cache=%s part=%s"
            .formatted(whole, part));
  }

  /** Closes a distributed cache; without effect if it is not open. */
  void stop(String name) {
    OpenDistribution closing;
    synchronized (this) {
      closing = open.remove(name);
    }
    if (closing != null) {
      closing.close();
    }
  }

  /** Closes all, once the manager opens nothing more. */
  void stop() {
    Set<String> names;
    synchronized (this) {
      names = new TreeSet<>(open.keySet());
    }
    names.forEach(this::stop);
  }

  /**
   * Deletes the record of a distributed cache; its parts stay. False if there is none. Fails if a
   * distributed cache has a part of that name.
   */
  boolean delete(String name) {
    checkUnused(name);
    Optional<StoredDistribution> stored = stored(name);
    if (stored.isEmpty()) {
      return false;
    }
    boolean deleted = caches.waitFor(() -> distributions.delete(stored.get()), LONGEST_LOOKUP);
    Optional<OpenDistribution> here;
    synchronized (this) {
      here = Optional.ofNullable(open.get(name)).filter(o -> o.stored().equals(stored.get()));
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
