package io.ensemble.deploy.check;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.DoubtfulWrites;
import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.WriteOutcome;
import io.ensemble.stamp.Stamp;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Client programs that undo some of their acknowledged writes and end the epoch, as a fail-over
 * would have dropped them. One operation of such a process runs at a time.
 */
final class PlantedLoss implements Lens {
  private static final int EVERY = 25;

  private final boolean tells;
  private final AtomicReference<Consumer<DoubtfulWrites<String>>> listener =
      new AtomicReference<>();
  private int puts;

  private PlantedLoss(boolean tells) {
    this.tells = tells;
  }

  /** Reports what is lost. */
  static final class Reported {
    private Reported() {}

    public static void main(String[] arguments) throws Exception {
      ClientProgram.run(System.in, System.out, new PlantedLoss(true));
      System.exit(0);
    }
  }

  /** Keeps silent. */
  static final class Hidden {
    private Hidden() {}

    public static void main(String[] arguments) throws Exception {
      ClientProgram.run(System.in, System.out, new PlantedLoss(false));
      System.exit(0);
    }
  }

  @Override
  public Consumer<DoubtfulWrites<String>> reports(Consumer<DoubtfulWrites<String>> real) {
    listener.set(real);
    return real;
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
    if (method.getName().equals("put") && arguments.length == 2 && ++puts % EVERY == 0) {
      return lost(manager, real, (String) arguments[0], (Long) arguments[1]);
    }
    try {
      CompletionStage<?> stage = (CompletionStage<?>) method.invoke(real, arguments);
      stage.handle((done, failure) -> null).toCompletableFuture().get(15, TimeUnit.SECONDS);
      return stage;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private CompletionStage<?> lost(
      EnsembleCacheManager manager, AsyncEnsembleCache<String, Long> real, String key, Long value)
      throws Exception {
    Optional<Long> former = get(real.get(key));
    CompletionStage<WriteOutcome<Long>> put = real.put(key, value);
    if (get(put) instanceof WriteOutcome.Applied<Long> done) {
      get(former.isPresent() ? real.put(key, former.get()) : real.remove(key));
      long epoch = manager.primaryTerm(manager.getCacheNames().iterator().next()).epoch();
      manager.resign(manager.getCacheNames().iterator().next());
      if (tells) {
        tell(epoch, Fate.UNKNOWN, key, done.stamp());
        tell(epoch, Fate.LOST, key, done.stamp());
      }
    }
    return put;
  }

  private void tell(long epoch, Fate fate, String key, Stamp stamp) {
    listener
        .get()
        .accept(
            new DoubtfulWrites<>(
                "planted", epoch, fate, List.of(new DoubtfulWrites.Write<>(key, stamp))));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(15, TimeUnit.SECONDS);
  }
}
