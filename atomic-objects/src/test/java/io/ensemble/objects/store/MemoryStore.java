package io.ensemble.objects.store;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.infinispan.commons.util.Closeables;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory that responds on its own threads. A percentage of requests and events can
 * suffer faults: responses are lost, requests are carried out late, and events are lost, repeated
 * or delayed.
 */
public final class MemoryStore implements ObjectStore, AutoCloseable {

  private final Map<String, Entry> entries = new HashMap<>();
  private final List<Consumer<Change>> watchers = new CopyOnWriteArrayList<>();
  private final ScheduledThreadPoolExecutor wire;
  private final AtomicLong tasksBegun = new AtomicLong();
  private final AtomicLong tasksEnded = new AtomicLong();
  private final Random random;
  private volatile int faults;
  private volatile boolean down;
  private volatile Predicate<String> full = key -> false;
  private volatile Predicate<String> kept = key -> false;
  private final Set<String> writtenLate = ConcurrentHashMap.newKeySet();
  private long version;

  public MemoryStore(long seed) {
    random = new Random(seed);
    wire =
        new ScheduledThreadPoolExecutor(
            2,
            r -> {
              Thread thread = new Thread(r, "memory-store");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Sets the percentage of requests and events that suffer faults. */
  public MemoryStore faults(int inHundred) {
    faults = inHundred;
    return this;
  }

  /** From now on, requests have no effect and no response; or they are carried out again. */
  public void down(boolean isDown) {
    down = isDown;
  }

  /** From now on, writes of these keys fail. */
  public void full(Predicate<String> keys) {
    full = keys;
  }

  /** From now on, removals of these keys fail. */
  public void keep(Predicate<String> keys) {
    kept = keys;
  }

  public synchronized Map<String, Entry> entries() {
    return new HashMap<>(entries);
  }

  /** The keys whose last change is a write that was performed after its request had failed. */
  public Set<String> writtenLate() {
    return Set.copyOf(writtenLate);
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return later(() -> Optional.ofNullable(entries.get(key)), () -> {});
  }

  @Override
  public CompletionStage<@Nullable Void> create(String key, byte[] value) {
    return written(
        key,
        () -> {
          if (!entries.containsKey(key)) {
            write(key, value);
          }
          return null;
        });
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    return written(
        key,
        () -> {
          Entry entry = entries.get(key);
          if (entry == null || !entry.token().equals(token)) {
            return new Replaced(false, Optional.empty());
          }
          write(key, value);
          return new Replaced(true, Optional.empty());
        });
  }

  @Override
  public CompletionStage<@Nullable Void> put(String key, byte[] value) {
    return written(
        key,
        () -> {
          write(key, value);
          return null;
        });
  }

  @Override
  public CompletionStage<@Nullable Void> remove(String key) {
    if (kept.test(key)) {
      return CompletableFuture.failedFuture(new IOException("not removed; key=" + key));
    }
    return later(
        () -> {
          entries.remove(key);
          writtenLate.remove(key);
          return null;
        },
        () -> {});
  }

  /** The keys at the time of the call. */
  @Override
  public CloseableIterator<String> keys(String prefix) {
    return Closeables.iterator(
        entries().keySet().stream().filter(key -> key.startsWith(prefix)).iterator());
  }

  @Override
  public Optional<AutoCloseable> watch(Consumer<Change> listener) {
    watchers.add(listener);
    return Optional.of(() -> watchers.remove(listener));
  }

  /** Waits until all requests, responses and events so far have arrived. */
  public void quiet() {
    await("nothing is under way")
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(this::isQuiet);
  }

  /** Whether no request, response or event is under way. */
  public boolean isQuiet() {
    long ended = tasksEnded.get();
    return tasksBegun.get() == ended;
  }

  public int watchers() {
    return watchers.size();
  }

  @Override
  public void close() {
    wire.shutdownNow();
  }

  private void write(String key, byte[] value) {
    Entry entry = new Entry(value, ++version);
    entries.put(key, entry);
    writtenLate.remove(key);
    Change full = new Change(key, Optional.of(entry));
    for (Consumer<Change> watcher : watchers) {
      if (!goesWrong()) {
        Change change = goesWrong() ? new Change(key, Optional.empty()) : full;
        inMillis(0, () -> watcher.accept(change));
      }
      if (goesWrong()) {
        inMillis(random.nextInt(20), () -> watcher.accept(full));
      }
    }
  }

  private synchronized boolean goesWrong() {
    return random.nextInt(100) < faults;
  }

  private <T> CompletionStage<T> written(String key, Supplier<T> action) {
    return full.test(key)
        ? CompletableFuture.failedFuture(new IOException("no space left; key=" + key))
        : later(action, () -> writtenLate.add(key));
  }

  private <T> CompletionStage<T> later(Supplier<T> action, Runnable ifLate) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (down) {
      return answer;
    }
    if (goesWrong()) {
      boolean never = goesWrong();
      inMillis(
          random.nextInt(5),
          () -> {
            if (!never) {
              done(
                  () -> {
                    T unused = action.get();
                    ifLate.run();
                    return null;
                  });
            }
          });
      answer.completeExceptionally(new CompletionException(new IOException("cut")));
      return answer;
    }
    inMillis(0, () -> answer.complete(done(action)));
    return answer;
  }

  private void inMillis(long millis, Runnable task) {
    tasksBegun.incrementAndGet();
    wire.schedule(
        () -> {
          try {
            task.run();
          } finally {
            tasksEnded.incrementAndGet();
          }
        },
        millis,
        TimeUnit.MILLISECONDS);
  }

  private synchronized <T> T done(Supplier<T> action) {
    return action.get();
  }
}
