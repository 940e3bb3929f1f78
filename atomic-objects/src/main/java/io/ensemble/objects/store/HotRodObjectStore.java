package io.ensemble.objects.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.client.hotrod.DataFormat;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ClientIntelligence;
import org.infinispan.client.hotrod.configuration.NearCacheMode;
import org.infinispan.client.hotrod.configuration.RemoteCacheConfiguration;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.commons.api.CacheContainerAdmin;
import org.infinispan.commons.configuration.StringConfiguration;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.commons.marshall.IdentityMarshaller;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.FilterIterator;
import org.infinispan.commons.util.IteratorMapper;

/**
 * A store on one Infinispan cluster, over Hot Rod. A read or a step costs one round trip. The
 * response to a step does not contain the version of the new entry, but the event that follows
 * does; if that is lost, the next step needs a read before it. Events carry the written entries, to
 * every process that has an object of the cache open.
 *
 * <p>The cache must be transactional, optimistic and REPEATABLE_READ, with at least two owners
 * where the cluster has several nodes, without expiry and eviction. Other caches lose acknowledged
 * steps when a node dies or rejoins. {@link #cache} creates a suitable cache; the protocol cannot
 * read the settings of an existing one.
 *
 * <p>Pessimistic locking is unsafe here. A lock on one key, taken at its owner, is not replicated
 * to the other owners. So the next owner grants it again while the first holder still uses it
 * (Infinispan 16.0.7, ISPN-5076). An optimistic transaction is prepared at all owners before it
 * commits at any, and the owner at that time compares.
 */
public final class HotRodObjectStore implements ObjectStore {

  /**
   * The configuration that {@link #cache} creates; the placeholder is the name. A transaction that
   * a dead node had prepared is rolled back after 15 seconds, the maximum time of a request,
   * instead of 90 seconds. Until then its keys cannot be written if the next owner learned of it
   * late.
   */
  private static final String CONFIGURATION =
      """
      <distributed-cache name="%s" mode="SYNC" owners="2" remote-timeout="10000">
        <encoding media-type="application/octet-stream"/>
        <locking isolation="REPEATABLE_READ" acquire-timeout="5000"/>
        <transaction mode="NON_XA" locking="OPTIMISTIC" auto-commit="true"
            complete-timeout="15000" reaper-interval="1000"
            transaction-manager-lookup="org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup"/>
        <partition-handling when-split="DENY_READ_WRITES" merge-policy="NONE"/>
      </distributed-cache>
      """;

  /** The error of servers that do not persist configurations. */
  private static final String WITHOUT_GLOBAL_STATE = "ISPN000501";

  /** The error for one of two concurrent transactions on a key. */
  private static final String ROLLED_BACK = "jakarta.transaction.RollbackException";

  private final RemoteCache<byte[], byte[]> cache;

  /**
   * Makes a store on {@code cache}, which should be used for nothing else. The cache is not closed
   * with the objects.
   *
   * @throws IllegalArgumentException if its client does not route by the hash of the key, so that
   *     it may read a backup that goes back in time, or has a near cache
   */
  public HotRodObjectStore(RemoteCache<?, ?> cache) {
    var configuration = cache.getRemoteCacheContainer().getConfiguration();
    if (configuration.clientIntelligence() != ClientIntelligence.HASH_DISTRIBUTION_AWARE) {
      throw new IllegalArgumentException(
          "the client must route by the hash of keys (HASH_DISTRIBUTION_AWARE); found "
              + configuration.clientIntelligence());
    }
    RemoteCacheConfiguration own = configuration.remoteCaches().get(cache.getName());
    if (own != null && own.nearCacheMode() != NearCacheMode.DISABLED) {
      throw new IllegalArgumentException(
          "the cache must not use near caching, which returns stale entries: " + cache.getName());
    }
    DataFormat bytes =
        DataFormat.builder()
            .keyType(MediaType.APPLICATION_OCTET_STREAM)
            .keyMarshaller(IdentityMarshaller.INSTANCE)
            .valueType(MediaType.APPLICATION_OCTET_STREAM)
            .valueMarshaller(IdentityMarshaller.INSTANCE)
            .build();
    this.cache = cache.<byte[], byte[]>withDataFormat(bytes);
  }

  /**
   * Returns the cache of that name. If there is none, creates one that suits atomic objects,
   * permanently if the servers persist configurations. Blocks.
   */
  public static <K, V> RemoteCache<K, V> cache(RemoteCacheManager manager, String name) {
    String escaped = name.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    StringConfiguration wanted = new StringConfiguration(CONFIGURATION.formatted(escaped));
    try {
      return manager.administration().getOrCreateCache(name, wanted);
    } catch (HotRodClientException e) {
      if (!String.valueOf(e.getMessage()).contains(WITHOUT_GLOBAL_STATE)) {
        throw e;
      }
      return manager
          .administration()
          .withFlags(CacheContainerAdmin.AdminFlag.VOLATILE)
          .getOrCreateCache(name, wanted);
    }
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return NonThrowingStage.of(() -> cache.getWithMetadataAsync(key.getBytes(UTF_8)))
        .thenApply(
            found -> Optional.ofNullable(found).map(f -> new Entry(bytes(f), f.getVersion())));
  }

  /** An empty array is returned as null. */
  private static byte[] bytes(MetadataValue<byte[]> found) {
    byte[] value = found.getValue();
    return value == null ? new byte[0] : value;
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    return NonThrowingStage.of(() -> cache.putIfAbsentAsync(key.getBytes(UTF_8), value))
        .thenApply(previous -> true)
        .exceptionally(HotRodObjectStore::lost)
        .thenAccept(told -> {});
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    return NonThrowingStage.of(
            () -> cache.replaceWithVersionAsync(key.getBytes(UTF_8), value, (long) token))
        .exceptionally(HotRodObjectStore::lost)
        .thenApply(done -> new Replaced(done, Optional.empty()));
  }

  /** False for the failure of a transaction that lost to a concurrent one. */
  private static boolean lost(Throwable failure) {
    Throwable told = failure instanceof CompletionException ? failure.getCause() : failure;
    if (told instanceof HotRodClientException
        && String.valueOf(told.getMessage()).contains(ROLLED_BACK)) {
      return false;
    }
    throw failure instanceof CompletionException wrapped
        ? wrapped
        : new CompletionException(failure);
  }

  @Override
  public CompletionStage<Void> put(String key, byte[] value) {
    return NonThrowingStage.of(() -> cache.putAsync(key.getBytes(UTF_8), value))
        .thenAccept(previous -> {});
  }

  /** One request, and one transaction, for each node that owns some of the keys. */
  @Override
  public CompletionStage<Void> putAll(Map<String, byte[]> entries) {
    Map<byte[], byte[]> byKey = new IdentityHashMap<>();
    entries.forEach((key, value) -> byKey.put(key.getBytes(UTF_8), value));
    return NonThrowingStage.of(() -> cache.putAllAsync(byKey));
  }

  @Override
  public CompletionStage<Void> remove(String key) {
    return NonThrowingStage.of(() -> cache.removeAsync(key.getBytes(UTF_8)))
        .thenAccept(previous -> {});
  }

  @Override
  public CloseableIterator<String> keys(String prefix) {
    return new FilterIterator<>(
        new IteratorMapper<byte[], String>(
            cache.keySet().iterator(), key -> new String(key, UTF_8)),
        key -> key.startsWith(prefix));
  }

  @Override
  public Optional<AutoCloseable> watch(Consumer<Change> listener) {
    HotRodCacheListener events = new HotRodCacheListener(listener);
    cache.addClientListener(events);
    return Optional.of(() -> cache.removeClientListener(events));
  }
}
