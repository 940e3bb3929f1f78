package io.ensemble.check.registers;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.WriteOutcome;
import io.ensemble.stamp.Stamp;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Client programs that undo some of their acknowledged writes and end the epoch, like a failover
 * that loses writes. One operation of such a client runs at a time.
 */
final class PlantedLoss implements CacheInterceptor {
  private static final int EVERY = 25;

  /**
   * About every second loss is overwritten before a client reads it; of this many, some are read.
   */
  private static final int EVERY_HIDDEN = 5;

  private final boolean tells;
  private final int every;
  private final AtomicReference<Consumer<InDoubtWrites<String>>> listener = new AtomicReference<>();
  private final Set<Stamp> planted = ConcurrentHashMap.newKeySet();
  private int puts;

  private PlantedLoss(boolean tells) {
    this.tells = tells;
    this.every = tells ? EVERY : EVERY_HIDDEN;
  }

  /** Reports the lost writes. */
  static void reported(InputStream in, PrintStream out) throws Exception {
    ClientProgram.run(in, out, new PlantedLoss(true));
  }

  /** Does not report the lost writes. */
  static void hidden(InputStream in, PrintStream out) throws Exception {
    ClientProgram.run(in, out, new PlantedLoss(false));
  }

  @Override
  public Consumer<InDoubtWrites<String>> reports(Consumer<InDoubtWrites<String>> real) {
    listener.set(real);
    return told -> {
      List<InDoubtWrites.Write<String>> others =
          told.writes().stream().filter(write -> !planted.contains(write.stamp())).toList();
      if (!others.isEmpty()) {
        real.accept(new InDoubtWrites<>(told.cache(), told.epoch(), told.fate(), others));
      }
    };
  }

  @Override
  @SuppressWarnings("unchecked")
  public AsyncEnsembleCache<String, Long> cache(
      EnsembleCacheManager manager, AsyncEnsembleCache<String, Long> real) {
    return (AsyncEnsembleCache<String, Long>)
        Proxy.newProxyInstance(
            PlantedLoss.class.getClassLoader(),
            new Class<?>[] {AsyncEnsembleCache.class},
            (proxy, method, arguments) -> one(manager, real, method, arguments));
  }

  private synchronized Object one(
      EnsembleCacheManager manager,
      AsyncEnsembleCache<String, Long> real,
      Method method,
      Object[] arguments)
      throws Throwable {
    if (method.getName().equals("put") && arguments.length == 2 && ++puts % every == 0) {
      return lost(manager, real, (String) arguments[0], (Long) arguments[1]);
    }
    try {
      CompletionStage<?> stage = (CompletionStage<?>) method.invoke(real, arguments);
      stage.handle((done, failure) -> null).toCompletableFuture().get(60, TimeUnit.SECONDS);
      return stage;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /**
   * Makes a write, ends its epoch, and undoes the write. The epoch ends first, so that no client
   * sees the write undone while the epoch lasts. A write stays if another process has overwritten
   * it, or if it did not complete normally, as on a busy machine.
   */
  private CompletionStage<?> lost(
      EnsembleCacheManager manager, AsyncEnsembleCache<String, Long> real, String key, Long value)
      throws Exception {
    String cache = manager.getCacheNames().iterator().next();
    long epoch = manager.primaryTerm(cache).epoch();
    AtomicReference<@Nullable Long> former = new AtomicReference<>();
    CompletionStage<WriteOutcome<Long>> put =
        real.compute(
                key,
                (name, present) -> {
                  former.set(present);
                  return value;
                },
                Duration.ZERO)
            .thenApply(
                outcome ->
                    outcome instanceof WriteOutcome.Applied<Long> done
                        ? new WriteOutcome.Applied<>(former.get(), done.stamp(), done.wrote())
                        : outcome);
    if (get(put.handle((outcome, failure) -> outcome)) instanceof WriteOutcome.Applied<Long> done
        && manager.primaryTerm(cache).epoch() == epoch) {
      planted.add(done.stamp());
      manager.resign(cache);
      CompletionStage<WriteOutcome<Boolean>> undone =
          former.get() == null
              ? real.remove(key, value)
              : real.replace(key, value, former.get(), Duration.ZERO);
      WriteOutcome<Boolean> end = get(undone.handle((outcome, failure) -> outcome));
      boolean isUndone = end instanceof WriteOutcome.Applied<Boolean> back && back.wrote();
      // Without a response, the write may be undone or not.
      if (tells && (isUndone || end == null || end instanceof WriteOutcome.Unknown<Boolean>)) {
        tell(epoch, Fate.UNKNOWN, key, done.stamp());
      }
      if (tells && isUndone) {
        tell(epoch, Fate.LOST, key, done.stamp());
      }
    }
    return put;
  }

  private void tell(long epoch, Fate fate, String key, Stamp stamp) {
    listener
        .get()
        .accept(
            new InDoubtWrites<>(
                "planted", epoch, fate, List.of(new InDoubtWrites.Write<>(key, stamp))));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
