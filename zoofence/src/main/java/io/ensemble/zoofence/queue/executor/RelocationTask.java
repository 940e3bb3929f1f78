package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the command that moves a subtree, once all instances are reached. The task restarts when
 * an instance was lost meanwhile. The move takes long and runs on a thread of its own.
 */
final class RelocationTask implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RelocationTask.class);

  private final List<InstanceServers> servers;
  private final InstanceSet set;
  private final QueueStore queueStore;
  private final LeaderHost leaderHost;
  private final IntFunction<QueueReplica> replicas;
  private final Executor executor;
  private final Consumer<Runnable> delayedExecutor;
  private final Set<Integer> readyInstances = new HashSet<>();
  private final ExecutorService mover =
      Executors.newSingleThreadExecutor(
          work -> {
            var thread = new Thread(work, "zoofence-mover");
            thread.setDaemon(true);
            return thread;
          });
  private @Nullable Future<?> running;
  private int attempt;

  RelocationTask(
      List<InstanceServers> servers,
      InstanceSet set,
      QueueStore queueStore,
      LeaderHost leaderHost,
      IntFunction<QueueReplica> replicas,
      Executor executor,
      Consumer<Runnable> delayedExecutor) {
    this.servers = servers;
    this.set = set;
    this.queueStore = queueStore;
    this.leaderHost = leaderHost;
    this.replicas = replicas;
    this.executor = executor;
    this.delayedExecutor = delayedExecutor;
  }

  /** An instance is ready for its part. */
  void handleReady(int instance, long number, QueueCommand command) {
    readyInstances.add(instance);
    if (readyInstances.size() == set.size()) {
      begin(number, command);
    }
  }

  void handleLost(int instance) {
    if (readyInstances.remove(instance)) {
      cancelAttempt();
    }
  }

  private void cancelAttempt() {
    attempt++;
    if (running != null) {
      running.cancel(true);
      running = null;
    }
  }

  private void begin(long number, QueueCommand command) {
    cancelAttempt();
    int startedAttempt = attempt;
    var relocation =
        new SubtreeRelocation(
            command,
            number,
            servers.stream().map(InstanceServers::name).toList(),
            set,
            queueStore,
            leaderHost.admin(),
            replicas,
            executor);
    running = mover.submit(() -> run(startedAttempt, number, command, relocation));
  }

  private void run(
      int startedAttempt, long number, QueueCommand command, SubtreeRelocation relocation) {
    try {
      String refusal = relocation.run();
      executor.execute(() -> end(startedAttempt, number, refusal));
    } catch (InterruptedException e) {
      // The attempt was abandoned; the next leader starts a new one.
    } catch (KeeperException | RuntimeException e) {
      log.warn(
          "Restarting the move of a subtree; {} to {}", command.movedPath(), command.movedTo(), e);
      executor.execute(() -> retryLater(startedAttempt, number, command));
    }
  }

  private void retryLater(int startedAttempt, long number, QueueCommand command) {
    delayedExecutor.accept(
        () -> {
          if (startedAttempt == attempt && readyInstances.size() == set.size()) {
            begin(number, command);
          }
        });
  }

  private void end(int startedAttempt, long number, String refusal) {
    if (startedAttempt == attempt) {
      queueStore.report(number, refusal, leaderHost::restartLeader);
    }
  }

  @Override
  public void close() {
    cancelAttempt();
    mover.shutdown();
  }
}
