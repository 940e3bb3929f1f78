package io.ensemble.objects.store;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * On one Infinispan cluster, over Hot Rod. A read or a step costs one round trip. A step does not
 * tell the new entry's version, but the event does that follows it; where that is lost, the next
 * step needs a read before it. Events carry what was written, to every process that has an object
 * of the cache open.
 *
 * <p>The cache is to be transactional, optimistic and REPEATABLE_READ, of at least two owners where
 * the cluster has several nodes, without expiry and eviction: others lose steps that they have
 * acknowledged when a node dies, or comes back. {@link #cache} creates such a one; what an existing
 * one is like, the protocol does not tell.
 *
 * <p>Not pessimistic: there a lock on one key, taken at its owner, is not told to the others, so
 * that the next owner grants it once more while the first is still being used (Infinispan 16.0.7,
 * ISPN-5076). An optimistic transaction is prepared at all owners before it commits at any, and
 * whoever is the owner by then compares.
 */
public final class HotRodObjectStore implements ObjectStore {

  /**
   * What {@link #cache} creates; in place of the percent sign comes the name. What a node that died
   * had prepared is rolled back after fifteen seconds, the longest that a request may take, in
   * place of a minute and a half: so long its keys cannot be written where the next owner heard of
   * it late.
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

  /** What servers answer that keep no configurations. */
  private static final String WITHOUT_GLOBAL_STATE = "ISPN000501";

  /** What servers answer to one of two transactions on a key that meet. */
  private static final String ROLLED_BACK = "jakarta.transaction.RollbackException";

  private final RemoteCache<byte[], byte[]> cache;

  /**
   * On {@code cache}, which is best used for nothing else. It is not closed with the objects.
   *
   * @throws IllegalArgumentException if its client does not route by the hash of the key, so that
   *     it may read a backup that goes back in time, or has a near cache
   */
  public HotRodObjectStore(RemoteCache<?, ?> cache) {
    var configuration = cache.getRemoteCacheContainer().getConfiguration();
    if (configuration.clientIntelligence() != ClientIntelligence.HASH_DISTRIBUTION_AWARE) {
      throw new IllegalArgumentException(
          "a client that routes by the key's hash (HASH_DISTRIBUTION_AWARE) is wanted; found "
              + configuration.clientIntelligence());
    }
    RemoteCacheConfiguration own = configuration.remoteCaches().get(cache.getName());
    if (own != null && own.nearCacheMode() != NearCacheMode.DISABLED) {
      throw new IllegalArgumentException(
          "a cache without near caching is wanted, which answers with old entries: "
              + cache.getName());
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
   * The cache of that name; if there is none, one that suits atomic objects is created, permanent
   * where the servers keep such things. Waits.
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

  /** No bytes at all come as null. */
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

  /** False for the way in which those are told that lose to another at the same time. */
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
