package io.ensemble.check.registers;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.check.trial.ClientThread;
import io.ensemble.stamp.Stamp;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Client programs with a bug between the client and the cache, which the check has to find. All but
 * {@link Crash} run on {@link ClientThread}s.
 */
final class PlantedCacheBugs {
  private static final int EVERY = 40;

  private PlantedCacheBugs() {}

  /** Sometimes acknowledges a write without making it. */
  static void lostWrite(InputStream in, PrintStream out) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    run(
        in,
        out,
        (name, key, real) ->
            name.equals("put") && calls.incrementAndGet() % EVERY == 0
                ? CompletableFuture.completedFuture(
                    new WriteOutcome.Applied<>(null, Stamp.NONE, true))
                : real.call());
  }

  /** Sometimes returns the first value that was read for the key. */
  static void staleRead(InputStream in, PrintStream out) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Map<Object, Object> first = new ConcurrentHashMap<>();
    run(
        in,
        out,
        (name, key, real) -> {
          if (!name.equals("get")) {
            return real.call();
          }
          Object old = first.get(key);
          if (old != null && calls.incrementAndGet() % EVERY == 0) {
            return CompletableFuture.completedFuture(Optional.of(old));
          }
          return ((CompletionStage<?>) real.call())
              .thenApply(
                  found -> {
                    ((Optional<?>) found).ifPresent(v -> first.putIfAbsent(key, v));
                    return found;
                  });
        });
  }

  /** Sometimes returns a value that was never written. */
  static void inventedValue(InputStream in, PrintStream out) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    run(
        in,
        out,
        (name, key, real) ->
            name.equals("get") && calls.incrementAndGet() % EVERY == 0
                ? CompletableFuture.completedFuture(Optional.of(-5L))
                : real.call());
  }

  /** Fails some operations with an exception that no operation may have. */
  static void broken(InputStream in, PrintStream out) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    run(
        in,
        out,
        (name, key, real) ->
            calls.incrementAndGet() % EVERY == 0
                ? CompletableFuture.failedFuture(new ArithmeticException("planted"))
                : real.call());
  }

  /** Halts the process during its work. */
  static final class Crash {
    private Crash() {}

    public static void main(String[] arguments) throws Exception {
      AtomicInteger calls = new AtomicInteger();
      run(
          System.in,
          System.out,
          (name, key, real) -> {
            if (calls.incrementAndGet() == EVERY) {
              Runtime.getRuntime().halt(7);
            }
            return real.call();
          });
    }
  }

  private interface Real {
    Object call() throws Throwable;
  }

  private interface Instead {
    Object of(String name, Object key, Real real) throws Throwable;
  }

  private static void run(InputStream in, PrintStream out, Instead instead) throws Exception {
    ClientProgram.run(in, out, cache -> seen(cache, instead));
  }

  @SuppressWarnings("unchecked")
  private static AsyncEnsembleCache<String, Long> seen(
      AsyncEnsembleCache<String, Long> cache, Instead instead) {
    return (AsyncEnsembleCache<String, Long>)
        Proxy.newProxyInstance(
            PlantedCacheBugs.class.getClassLoader(),
            new Class<?>[] {AsyncEnsembleCache.class},
            (proxy, method, arguments) ->
                instead.of(
                    method.getName(),
                    arguments[0],
                    () -> {
                      try {
                        return method.invoke(cache, arguments);
                      } catch (InvocationTargetException e) {
                        throw e.getCause();
                      }
                    }));
  }
}
