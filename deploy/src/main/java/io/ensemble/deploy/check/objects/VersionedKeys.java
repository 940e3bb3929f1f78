package io.ensemble.deploy.check.objects;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.drive.Awaited;
import io.ensemble.objects.drive.Keys;
import io.ensemble.versioning.Form;
import io.ensemble.versioning.Index;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.drive.StoredParts;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one versioned cache, of small shards, as one process has them open: not all of their
 * histories at a time, and with few copies of parts.
 */
final class VersionedKeys implements OpenObjects {
  private static final String NAME = "tried";

  /** The atomic objects that histories are begin so. */
  static final String HISTORIES = "versions/" + NAME + "/";

  private static final int KAPPA = 20;
  private static final int OPEN = 3;
  private static final int KEPT_BYTES = 32 << 10;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final AtomicObjectFactory factory;
  private final Index index;
  private final Set<String> names = new TreeSet<>();
  private final Timestamps versions = new Timestamps(() -> 0);
  private @Nullable VersionedCache<String, Long, Long> cache;

  VersionedKeys(AtomicObjectFactory factory, Index index) {
    this.factory = factory;
    this.index = index;
  }

  @Override
  public Supplier<ObjectUse> open(String name) {
    VersionedCache<String, Long, Long> opened = opened();
    names.add(name);
    return () -> new VersionedUse(opened, name);
  }

  private VersionedCache<String, Long, Long> opened() {
    VersionedCache<String, Long, Long> there = cache;
    if (there == null) {
      PaddedValues values = new PaddedValues(index == Index.BASELINE ? 60 : 600);
      there =
          VersionedCache.builder(
                  factory, NAME, Form.TEXT, new Form<>(values::write, values::read), versions)
              .index(index)
              .kappa(KAPPA)
              .open(OPEN)
              .kept(KEPT_BYTES)
              .timeout(PATIENCE)
              .open();
      cache = there;
    }
    return there;
  }

  /** What a process moves when it ends, and does not say that it has, may stay for ever. */
  @Override
  public void finish() {
    for (String name : names) {
      try {
        opened().settle(name);
      } catch (RuntimeException e) {
        continue; // As if it had died.
      }
    }
  }

  @Override
  public List<String> leftBehind() {
    StoredParts<Long> parts = new StoredParts<>(factory, versions, PATIENCE);
    Set<String> left = keys(StoredParts.PREFIX);
    for (String history : keys(Keys.root(HISTORIES))) {
      left.removeAll(Awaited.toItsEnd(parts.of(history.substring(Keys.root("").length()))));
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
