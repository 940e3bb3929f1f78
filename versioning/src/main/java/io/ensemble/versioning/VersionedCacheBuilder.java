package io.ensemble.versioning;

import io.ensemble.objects.AtomicObjectException.NoSuchObject;
import io.ensemble.objects.AtomicObjectException.ObjectExists;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.versioning.VersionedCacheRecord.Opened;
import io.ensemble.versioning.drive.HistoryStore;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Options of a versioned cache; each has a default. */
public final class VersionedCacheBuilder<K, V, T> {

  private static final Logger LOG = LoggerFactory.getLogger(VersionedCacheBuilder.class);
  private static final int DEFAULT_SHARD_SIZE = 1000;
  private static final int DEFAULT_OPEN_KEYS = 256;
  private static final long DEFAULT_CACHE_BYTES = 16 << 20;

  private final AtomicObjectFactory factory;
  private final String name;
  private final BinaryCodec<K> keys;
  private final BinaryCodec<V> values;
  private final VersionSpace<T> space;
  private IndexType indexType = IndexType.AUTO;
  private int shardSize = DEFAULT_SHARD_SIZE;
  private boolean ordered;
  private boolean deltas;
  private boolean returnValues;
  private Retention retention = Retention.ALL;
  private int maxOpenKeys = DEFAULT_OPEN_KEYS;
  private long cacheBytes = DEFAULT_CACHE_BYTES;
  Duration timeout;

  VersionedCacheBuilder(
      AtomicObjectFactory factory,
      String name,
      BinaryCodec<K> keys,
      BinaryCodec<V> values,
      VersionSpace<T> space) {
    if (name.isEmpty() || name.contains("/")) {
      throw new IllegalArgumentException("name must not contain /; got \"" + name + "\"");
    }
    this.factory = factory;
    this.name = name;
    this.keys = keys;
    this.values = values;
    this.space = space;
    this.timeout = factory.timeout();
  }

  /**
   * Sets how versions are stored; by default {@link IndexType#AUTO}. Must be the same in all
   * processes.
   */
  public VersionedCacheBuilder<K, V, T> index(IndexType chosen) {
    indexType = chosen;
    return this;
  }

  /**
   * Sets the maximum number of versions of a shard; by default 1000. Must be the same in all
   * processes.
   */
  public VersionedCacheBuilder<K, V, T> shardSize(int versions) {
    shardSize = versions;
    return this;
  }

  /**
   * Refuses versions that are not above all others of their key. Must be the same in all processes.
   */
  public VersionedCacheBuilder<K, V, T> ordered() {
    ordered = true;
    return this;
  }

  /**
   * Stores values as differences from the previous one. Each pack begins with a complete value, and
   * has up to 64 values; of more than 500 bytes each, about four. Must be the same in all
   * processes.
   */
  public VersionedCacheBuilder<K, V, T> deltas() {
    deltas = true;
    return this;
  }

  /**
   * Sets which versions a new cache keeps; by default {@link Retention#ALL}. An existing cache has
   * the retention that it was created with, or was given by {@link VersionedCache#changeRetention};
   * if another one is requested here, a warning is logged. A key may have a retention of its own:
   * {@link VersionedCache#retain}.
   */
  public VersionedCacheBuilder<K, V, T> retention(Retention chosen) {
    retention = chosen;
    return this;
  }

  /**
   * Makes {@link VersionedCache#put(Object, Object)} return the previous value, which costs a read
   * before it. Otherwise it returns null.
   */
  public VersionedCacheBuilder<K, V, T> returnValues() {
    returnValues = true;
    return this;
  }

  /** Sets the number of recently written keys whose histories stay open; by default 256. */
  public VersionedCacheBuilder<K, V, T> maxOpenKeys(int keys) {
    maxOpenKeys = keys;
    return this;
  }

  /**
   * Sets the bytes of cached copies of immutable entries, and about the same amount of memory for
   * the cached entries of keys; by default 16 MiB each.
   */
  public VersionedCacheBuilder<K, V, T> cacheBytes(long bytes) {
    cacheBytes = bytes;
    return this;
  }

  /**
   * Sets the time after which a failed request is not retried any more; by default the timeout of
   * the factory.
   */
  public VersionedCacheBuilder<K, V, T> timeout(Duration atMost) {
    timeout = atMost;
    return this;
  }

  /**
   * Opens the cache, and creates it if it is new. Blocks.
   *
   * @throws VersioningException.OtherSettings if it was created with another index, shard size,
   *     space, order, or with or without deltas
   */
  public VersionedCache<K, V, T> open() {
    return BlockingWait.toItsEnd(openAsync());
  }

  /**
   * As {@link #open()}, but does not create the cache.
   *
   * @return empty if no process has opened it so far
   */
  public Optional<VersionedCache<K, V, T>> openIfCreated() {
    return BlockingWait.toItsEnd(openIfCreatedAsync());
  }

  /** As {@link #openIfCreated()}, without waiting. */
  public CompletionStage<Optional<VersionedCache<K, V, T>>> openIfCreatedAsync() {
    String wanted = settings();
    return factory
        .glance(
            new HistoryNames<>(name, keys).record(),
            SnapshotTracker.TYPE,
            VersionedCacheRecord::opened)
        .thenApply(found -> Optional.of(opened(wanted, found)))
        .exceptionallyCompose(
            failure ->
                UnwrappedCause.of(failure) instanceof NoSuchObject
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(failure));
  }

  /** As {@link #open()}, without waiting. */
  public CompletionStage<VersionedCache<K, V, T>> openAsync() {
    String wanted = settings();
    String record = new HistoryNames<>(name, keys).record();
    return factory
        .createAsync(record, SnapshotTracker.TYPE, new VersionedCacheRecord(wanted, retention))
        .thenCompose(
            proxy -> factory.closeAsync(proxy).thenApply(closed -> new Opened(wanted, retention)))
        .exceptionallyCompose(
            failure ->
                UnwrappedCause.of(failure) instanceof ObjectExists
                    ? factory.glance(record, SnapshotTracker.TYPE, VersionedCacheRecord::opened)
                    : CompletableFuture.failedFuture(failure))
        .thenApply(found -> opened(wanted, found));
  }

  private String settings() {
    if (retention.isTimed() && space.now().isEmpty()) {
      throw new IllegalArgumentException(
          "retention by age requires versions that contain their time; the space is "
              + space.name());
    }
    return VersionedCacheRecord.settings(indexType, shardSize, space.name(), ordered, deltas);
  }

  private VersionedCache<K, V, T> opened(String wanted, Opened found) {
    if (!found.settings().equals(wanted)) {
      throw new VersioningException.OtherSettings(name, wanted, found.settings());
    }
    if (!retention.equals(Retention.ALL) && !retention.equals(found.retention())) {
      LOG.warn(
          "The cache keeps its retention; cache={} retention={} requested={}",
          name,
          found.retention().text(),
          retention.text());
    }
    HistoryNames<K> names = new HistoryNames<>(name, keys);
    HistoryLimits limits = HistoryLimits.of(indexType, shardSize);
    Supplier<VersionedCacheRecord> initial =
        () -> new VersionedCacheRecord(wanted, found.retention());
    SnapshotTracker<T> snapshots = new SnapshotTracker<>(factory, names.record(), space, initial);
    RetentionTracker retentions =
        new RetentionTracker(
            factory, names.record(), initial, found.retention(), factory.clockwork()::now);
    HistoryStore<T> historyStore =
        new HistoryStore<>(
            factory, space, limits, snapshots::highest, deltas, maxOpenKeys, cacheBytes, timeout);
    return new VersionedCache<>(
        new AsyncVersionedCache<>(
            historyStore, space, names, values, snapshots, retentions, ordered),
        returnValues);
  }

  /**
   * The settings of an existing versioned cache, on which all its processes agree. With them a
   * program can open the cache without having created it.
   *
   * @param index how versions are stored
   * @param shardSize the maximum number of versions of a shard; the default if the index has none
   * @param space the name of the space of the versions, see {@link VersionSpace#name}
   * @param ordered whether versions are refused that are not above all others of their key
   * @param deltas whether values are stored as differences
   */
  public record VersionedCacheSettings(
      IndexType index, int shardSize, String space, boolean ordered, boolean deltas) {

    private static final Pattern TEXT =
        Pattern.compile(
            "index ([A-Z]+)(?: \\(shard size ([0-9]{1,9})\\))?, versions (.+?)(, in order)?(,"
                + " deltas)?");

    /**
     * Reads the settings of the cache of that name. One read; blocks.
     *
     * @return empty if there is no such cache
     */
    public static Optional<VersionedCacheSettings> find(AtomicObjectFactory factory, String name) {
      return BlockingWait.toItsEnd(
          factory
              .glance(
                  new HistoryNames<>(name, BinaryCodec.BYTES).record(),
                  SnapshotTracker.TYPE,
                  VersionedCacheRecord::opened)
              .thenApply(Opened::settings)
              .thenApply(settings -> Optional.of(parse(settings)))
              .exceptionallyCompose(
                  failure ->
                      UnwrappedCause.of(failure) instanceof NoSuchObject
                          ? CompletableFuture.completedFuture(Optional.empty())
                          : CompletableFuture.failedFuture(failure)));
    }

    /**
     * Parses the text of settings.
     *
     * @throws IllegalArgumentException if it is none of this version of Ensemble
     */
    public static VersionedCacheSettings parse(String text) {
      Matcher parts = TEXT.matcher(text);
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "settings of a versioned cache must be as this version writes them; got " + text);
      }
      return new VersionedCacheSettings(
          IndexType.valueOf(parts.group(1)),
          parts.group(2) == null ? DEFAULT_SHARD_SIZE : Integer.parseInt(parts.group(2)),
          parts.group(3),
          parts.group(4) != null,
          parts.group(5) != null);
    }

    /** The text of the settings; the inverse of {@link #parse}. */
    public String text() {
      return VersionedCacheRecord.settings(index, shardSize, space, ordered, deltas);
    }

    /**
     * The options of a cache with these settings.
     *
     * @throws IllegalArgumentException if the space has another name than that of the settings
     */
    public <K, V, T> VersionedCacheBuilder<K, V, T> builder(
        AtomicObjectFactory factory,
        String name,
        BinaryCodec<K> keys,
        BinaryCodec<V> values,
        VersionSpace<T> versions) {
      if (!versions.name().equals(space)) {
        throw new IllegalArgumentException(
            "the space must be '%s'; got '%s'; cache=%s".formatted(space, versions.name(), name));
      }
      VersionedCacheBuilder<K, V, T> builder =
          VersionedCache.builder(factory, name, keys, values, versions)
              .index(index)
              .shardSize(shardSize);
      if (ordered) {
        builder.ordered();
      }
      return deltas ? builder.deltas() : builder;
    }
  }
}
