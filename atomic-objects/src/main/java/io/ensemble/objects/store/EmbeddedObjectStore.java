package io.ensemble.objects.store;

import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.infinispan.AdvancedCache;
import org.infinispan.Cache;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.FilterIterator;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.context.Flag;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store on one Infinispan cluster, of which this process is a node. Every write is a transaction
 * that locks its key at the primary owner, reads the entry, writes, and commits at all owners
 * before it releases the lock. So all nodes see one order. An entry is identified by its bytes, so
 * a step returns the token for the next one.
 *
 * <p>A read asks all owners, and returns the value on which they agree: a value that only the
 * primary owner has is lost if it dies. A read costs one round trip at an owner, and two elsewhere;
 * while a step commits, the read waits for it. A step costs one round trip at the primary owner;
 * elsewhere three: lock, read, commit.
 *
 * <p>A node that dies while it commits may leave owners that differ. So the first read of an entry
 * after nodes have joined or left rewrites it. Then all owners have the value that was read.
 *
 * <p>A primary owner that is cut off from the others, and has not detected this yet, answers with
 * its former entries. Each operation blocks a thread while it waits: at most {@value #THREADS}
 * threads of the store, which end when they are idle.
 */
public final class EmbeddedObjectStore implements ObjectStore {

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedObjectStore.class);
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final int THREADS = 16;
  private static final int QUEUED = 10_000;
  private static final int IDLE_SECONDS = 10;

  private final AdvancedCache<String, byte[]> cache;
  private final TransactionManager transactions;
  private final PrimaryOwners owners;
  private final Executor executor;

  /**
   * Makes a store on {@code cache}, which should be used for nothing else, with threads of its own.
   * The cache is not closed with the objects.
   *
   * @throws IllegalArgumentException if the cache lacks a required setting; {@link #configuration}
   *     has all of them
   */
  public EmbeddedObjectStore(Cache<String, byte[]> cache) {
    this(cache, ownThreads());
  }

  /**
   * Makes a store on {@code cache}, with transactions on {@code executor}, whose threads they
   * block. The executor must have its own threads, in a bounded number.
   *
   * @throws IllegalArgumentException if the cache lacks a required setting
   */
  public EmbeddedObjectStore(Cache<String, byte[]> cache, Executor executor) {
    EmbeddedCacheValidator.check(cache.getName(), cache.getCacheConfiguration());
    this.cache = cache.getAdvancedCache().withFlags(Flag.IGNORE_RETURN_VALUES);
    this.transactions = cache.getAdvancedCache().getTransactionManager();
    this.owners = new PrimaryOwners(cache.getAdvancedCache());
    this.executor = executor;
  }

  /**
   * Returns a configuration that suits objects, to which persistence may be added.
   *
   * @param clustered whether the cache manager is one of several; entries then have two owners
   */
  public static ConfigurationBuilder configuration(boolean clustered) {
    return EmbeddedCacheValidator.fitting(clustered);
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    int topology = owners.topology();
    boolean even = owners.areEven(key);
    CompletionStage<byte @Nullable []> reading =
        even ? onThread(() -> told(key)) : inTransaction(key, () -> writtenAnew(key));
    return reading.thenApply(
        found -> {
          if (!even) {
            owners.even(key, topology);
          }
          return Optional.ofNullable(found).map(v -> new Entry(v, v));
        });
  }

  /** While a step commits, the read waits for its lock. */
  private byte @Nullable [] told(String key) throws Exception {
    Optional<PrimaryOwners.Told> all = owners.readAtAll(key);
    return all.isPresent()
        ? all.get().value()
        : transaction(() -> locked(key, () -> writtenAnew(key)));
  }

  /**
   * A transaction that locks also writes: a new primary owner may never receive the release of a
   * lock that was taken without a write.
   */
  private byte @Nullable [] writtenAnew(String key) throws Exception {
    byte[] found = owners.read(key);
    write(key, found);
    return found;
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    return inTransaction(
        key,
        () -> {
          byte[] found = owners.read(key);
          write(key, found == null ? value : found);
          return null;
        });
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    return inTransaction(
        key,
        () -> {
          byte[] found = owners.read(key);
          boolean same = Arrays.equals(found, (byte[]) token);
          write(key, same ? value : found);
          return new Replaced(same, same ? Optional.of(value) : Optional.empty());
        });
  }

  @Override
  public CompletionStage<Void> put(String key, byte[] value) {
    return inTransaction(
        key,
        () -> {
          write(key, value);
          return null;
        });
  }

  @Override
  public CompletionStage<Void> remove(String key) {
    return inTransaction(
        key,
        () -> {
          write(key, null);
          return null;
        });
  }

  @Override
  public CloseableIterator<String> keys(String prefix) {
    return new FilterIterator<>(cache.keySet().iterator(), key -> key.startsWith(prefix));
  }

  @Override
  public Optional<AutoCloseable> watch(Consumer<Change> listener) {
    EmbeddedCacheListener events =
        cache.getCacheConfiguration().clustering().cacheMode().isClustered()
            ? new EmbeddedCacheListener.OfCluster(listener)
            : new EmbeddedCacheListener.OfNode(listener);
    cache.addListener(events);
    return Optional.of(() -> cache.removeListener(events));
  }

  private void write(String key, byte @Nullable [] value) {
    if (value == null) {
      cache.remove(key);
    } else {
      cache.put(key, value);
    }
  }

  private <T> CompletionStage<T> inTransaction(String key, Callable<T> step) {
    return onThread(() -> transaction(() -> locked(key, step)));
  }

  private <T> CompletionStage<T> onThread(Callable<T> action) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      executor.execute(
          () -> {
            try {
              answer.complete(action.call());
            } catch (Exception | AssertionError e) {
              answer.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  /**
   * Fails if the primary owner changed meanwhile: then another lock may have existed at the same
   * time.
   */
  private <T> T locked(String key, Callable<T> step) throws Exception {
    int topology = owners.topology();
    cache.lock(key);
    T result = step.call();
    if (owners.topology() != topology) {
      throw new IllegalStateException(
          "cluster membership changed during the operation; "
              + "key="
              + key
              + " cache="
              + cache.getName());
    }
    return result;
  }

  private <T> T transaction(Callable<T> action) throws Exception {
    transactions.begin();
    boolean done = false;
    try {
      T result = action.call();
      done = true;
      transactions.commit();
      return result;
    } finally {
      if (!done || transactions.getStatus() != Status.STATUS_NO_TRANSACTION) {
        rollback();
      }
    }
  }

  private void rollback() {
    try {
      transactions.rollback();
    } catch (SystemException | RuntimeException e) {
      LOG.debug("A transaction was not rolled back; its timeout releases its locks", e);
    }
  }

  private static Executor ownThreads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUED),
            task -> {
              Thread thread = new Thread(task, "ensemble-store-" + NUMBERS.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }
}
