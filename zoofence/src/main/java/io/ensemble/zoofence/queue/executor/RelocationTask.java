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
  private final Executor thread;
  private final Consumer<Runnable> later;
  private final Set<Integer> ready = new HashSet<>();
  private final ExecutorService mover =
      Executors.newSingleThreadExecutor(
          work -> {
            var made = new Thread(work, "zoofence-mover");
            made.setDaemon(true);
            return made;
          });
  private @Nullable Future<?> underWay;
  private int attempt;

  RelocationTask(
      List<InstanceServers> servers,
      InstanceSet set,
      QueueStore queueStore,
      LeaderHost leaderHost,
      IntFunction<QueueReplica> replicas,
      Executor thread,
      Consumer<Runnable> later) {
    this.servers = servers;
    this.set = set;
    this.queueStore = queueStore;
    this.leaderHost = leaderHost;
    this.replicas = replicas;
    this.thread = thread;
    this.later = later;
  }

  /** An instance is ready for its part. */
  void ready(int instance, long number, QueueCommand command) {
    ready.add(instance);
    if (ready.size() == set.size()) {
      begin(number, command);
    }
  }

  void lost(int instance) {
    if (ready.remove(instance)) {
      cancelAttempt();
    }
  }

  private void cancelAttempt() {
    attempt++;
    if (underWay != null) {
      underWay.cancel(true);
      underWay = null;
    }
  }

  private void begin(long number, QueueCommand command) {
    cancelAttempt();
    int mine = attempt;
    var relocation =
        new SubtreeRelocation(
            command,
            number,
            servers.stream().map(InstanceServers::name).toList(),
            set,
            queueStore,
            leaderHost.admin(),
            replicas,
            thread);
    underWay = mover.submit(() -> run(mine, number, command, relocation));
  }

  private void run(int mine, long number, QueueCommand command, SubtreeRelocation relocation) {
    try {
      String refusal = relocation.run();
      thread.execute(() -> end(mine, number, refusal));
    } catch (InterruptedException e) {
      // The attempt was abandoned; the next leader starts a new one.
    } catch (KeeperException | RuntimeException e) {
      log.warn(
          "Restarting the move of a subtree; {} to {}", command.movedPath(), command.movedTo(), e);
      thread.execute(() -> again(mine, number, command));
    }
  }

  private void again(int mine, long number, QueueCommand command) {
    later.accept(
        () -> {
          if (mine == attempt && ready.size() == set.size()) {
            begin(number, command);
          }
        });
  }

  private void end(int mine, long number, String refusal) {
    if (mine == attempt) {
      queueStore.report(number, refusal, leaderHost::anew);
    }
  }

  @Override
  public void close() {
    cancelAttempt();
    mover.shutdown();
  }
}
