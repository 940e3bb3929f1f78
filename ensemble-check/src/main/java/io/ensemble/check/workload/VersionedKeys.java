package io.ensemble.check.workload;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.drive.ReferencedParts;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one versioned cache with small shards, open in one process. The process holds only a
 * part of their histories at a time, and few copies of parts.
 */
final class VersionedKeys implements OpenObjects {
  private static final String NAME = "tried";

  /** The prefix of the names of histories, which are atomic objects. */
  static final String HISTORIES = "versions/" + NAME + "/";

  private static final int SHARD_SIZE = 20;
  private static final int OPEN = 3;
  private static final int KEPT_BYTES = 32 << 10;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final AtomicObjectFactory factory;
  private final IndexType indexType;
  private final Set<String> names = new TreeSet<>();
  private final Timestamps versions = new Timestamps(() -> 0);
  private @Nullable VersionedCache<String, Long, Long> cache;

  VersionedKeys(AtomicObjectFactory factory, IndexType indexType) {
    this.factory = factory;
    this.indexType = indexType;
  }

  @Override
  public Supplier<ObjectUse> open(String name) {
    VersionedCache<String, Long, Long> opened = openCache();
    names.add(name);
    return () -> new VersionedUse(opened, name);
  }

  private VersionedCache<String, Long, Long> openCache() {
    VersionedCache<String, Long, Long> there = cache;
    if (there == null) {
      PaddedValues values = new PaddedValues(indexType == IndexType.BASELINE ? 60 : 600);
      there =
          VersionedCache.builder(
                  factory,
                  NAME,
                  BinaryCodec.TEXT,
                  new BinaryCodec<>(values::write, values::read),
                  versions)
              .index(indexType)
              .shardSize(SHARD_SIZE)
              .maxOpenKeys(OPEN)
              .cacheBytes(KEPT_BYTES)
              .timeout(PATIENCE)
              .open();
      cache = there;
    }
    return there;
  }

  /**
   * Settles the histories: data that a process moves at its end, without a record of the move, may
   * stay forever.
   */
  @Override
  public void finish() {
    for (String name : names) {
      try {
        openCache().settle(name);
      } catch (RuntimeException e) {
        continue; // As if the process had died.
      }
    }
  }

  @Override
  public List<String> leftBehind() {
    ReferencedParts<Long> parts = new ReferencedParts<>(factory, versions, PATIENCE);
    Set<String> left = keys(ReferencedParts.PREFIX);
    for (String history : keys(ObjectKeys.root(HISTORIES))) {
      left.removeAll(
          BlockingWait.toItsEnd(parts.of(history.substring(ObjectKeys.root("").length()))));
    }
    return List.copyOf(left);
  }

  private Set<String> keys(String prefix) {
    Set<String> keys = new TreeSet<>();
    try (CloseableIterator<String> walk = factory.store().keys(prefix)) {
      walk.forEachRemaining(keys::add);
    }
    return keys;
  }
}
