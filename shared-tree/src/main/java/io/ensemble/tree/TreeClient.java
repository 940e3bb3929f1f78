package io.ensemble.tree;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.ensemble.tree.runtime.Checkpointer;
import io.ensemble.tree.runtime.ObjectSequencer;
import io.ensemble.tree.runtime.PageStore;
import io.ensemble.tree.runtime.TreeWatches;
import io.ensemble.tree.state.TreeSnapshot;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** What the handles of a process on one tree share. */
final class TreeClient {

  private static final Duration EVENTS = Duration.ofSeconds(1);
  private static final Duration POLLING = Duration.ofMillis(100);

  private final TreeSettings settings;
  private final ObjectSequencer sequencer;
  private final Checkpointer checkpointer;
  private final TransactionRunner runner;
  private final TreeWatches watches;
  private final ThreadPoolExecutor checkpoints = thread("ensemble-tree-checkpoint");
  private final ThreadPoolExecutor watching = thread("ensemble-tree-watch");
  private final Map<String, Integer> transactions = new ConcurrentHashMap<>();
  private final Map<String, Integer> watched = new ConcurrentHashMap<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();

  TreeClient(
      SharedTreeBuilder options,
      ObjectSequencer sequencer,
      PageStore pages,
      TreeSettings settings) {
    this.settings = settings;
    this.sequencer = sequencer;
    this.checkpointer = new Checkpointer(sequencer, pages, checkpoints);
    this.runner =
        new TransactionRunner(
            sequencer, pages, checkpointer, new Random(), options.maxAttempts, options.timeout);
    this.watches =
        new TreeWatches(
            sequencer, runner::snapshot, watching, options.factory.hasEvents() ? EVENTS : POLLING);
  }

  /** One thread, while there is work. */
  private static ThreadPoolExecutor thread(String name) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            10,
            SECONDS,
            new LinkedBlockingQueue<>(2),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  TreeSettings settings() {
    return settings;
  }

  TreeSnapshot snapshot() {
    checkOpen();
    return runner.snapshot();
  }

  <T> TreeResult<T> run(String user, Function<? super TreeTransaction, ? extends T> body) {
    checkOpen();
    take(transactions, user, settings.maxTransactions(), "open transactions");
    try {
      return runner.run(user, body);
    } finally {
      giveBack(transactions, user);
    }
  }

  private static void take(Map<String, Integer> taken, String user, int most, String what) {
    taken.merge(
        user,
        1,
        (before, one) -> {
          if (before >= most) {
            throw new TreeException.LimitExceeded(
                "%s must have at most %d %s in a process".formatted(user, most, what));
          }
          return before + one;
        });
  }

  private static void giveBack(Map<String, Integer> taken, String user) {
    taken.computeIfPresent(user, (key, before) -> before == 1 ? null : before - 1);
  }

  TreeWatch watch(String user, TreePath path, TreeListener listener) {
    checkOpen();
    take(watched, user, settings.maxWatches(), "watches");
    try {
      return new CountedWatch(
          watches.add(
              path,
              listener,
              user.equals(SharedTree.ADMINISTRATOR)
                  ? Optional.empty()
                  : Optional.of(permissions -> permissions.accessOf(user).mayRead())),
          user);
    } catch (RuntimeException e) {
      giveBack(watched, user);
      throw e;
    }
  }

  private final class CountedWatch implements TreeWatch {
    private final TreeWatch watch;
    private final String user;
    private final AtomicBoolean isOver = new AtomicBoolean();

    CountedWatch(TreeWatch watch, String user) {
      this.watch = watch;
      this.user = user;
    }

    @Override
    public TreePath path() {
      return watch.path();
    }

    @Override
    public long since() {
      return watch.since();
    }

    @Override
    public void close() {
      if (isOver.compareAndSet(false, true)) {
        watch.close();
        giveBack(watched, user);
      }
    }
  }

  void checkpoint() {
    checkOpen();
    checkpointer.writePlanned();
  }

  private void checkOpen() {
    if (isClosed.get()) {
      throw new IllegalStateException("the tree is closed");
    }
  }

  void close() {
    if (isClosed.compareAndSet(false, true)) {
      watches.close();
      checkpoints.shutdown();
      watching.shutdown();
      sequencer.close();
    }
  }
}
