package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.CommitParticipant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** An instance with the versions of its znodes, its locks, and the slot of one command. */
final class ModelParticipant {
  final TreeMap<String, Integer> versions = new TreeMap<>();
  final Set<String> forbidden = new HashSet<>();
  private InstanceLocks locks = InstanceLocks.NONE;
  private @Nullable DedupSlot slot;
  private int epoch;

  int raiseEpoch() {
    return ++epoch;
  }

  @Nullable DedupSlot slot() {
    return slot;
  }

  /** Removes a znode as an instance does by itself; a znode with children stays. */
  void remove(String path) {
    if (versions.keySet().stream().noneMatch(other -> ZnodePaths.parent(other).equals(path))) {
      versions.remove(path);
    }
  }

  /** The connection of a leader: messages in their order, in each direction. */
  static final class Link {
    final ArrayDeque<Runnable> requests = new ArrayDeque<>();
    final ArrayDeque<Runnable> responses = new ArrayDeque<>();

    /** Loses the connection: requests may have arrived, responses have not. */
    void lose(boolean arrive) {
      if (arrive) {
        requests.forEach(Runnable::run);
      }
      requests.clear();
      responses.clear();
    }
  }

  /** The instance as one leader accesses it. */
  CommitParticipant at(int leaderEpoch, Link link) {
    return new CommitParticipant() {
      @Override
      public void apply(
          long number,
          QueueCommand command,
          List<Op> operations,
          List<Op> records,
          DedupSlot newSlot,
          Consumer<InstanceResult> callback) {
        send(
            () -> {
              List<Integer> errors = execute(operations, true);
              if (errors.stream().allMatch(error -> error == 0)) {
                slot = newSlot;
                List<OpResult> results = toResults(operations);
                link.responses.add(() -> callback.accept(new InstanceResult.Done(1, results)));
              } else {
                link.responses.add(() -> callback.accept(new InstanceResult.Refused(errors)));
              }
            });
      }

      @Override
      public void testOperations(
          QueueCommand command, List<Op> operations, Consumer<List<Integer>> callback) {
        send(
            () -> {
              List<Integer> errors = execute(operations, false);
              link.responses.add(() -> callback.accept(errors));
            });
      }

      @Override
      public void changeLocks(
          UnaryOperator<InstanceLocks> change,
          Predicate<InstanceLocks> precondition,
          List<Op> extraOperations,
          Runnable callback) {
        send(
            () -> {
              locks = change.apply(locks);
              link.responses.add(callback);
            });
      }

      private void send(Runnable request) {
        link.requests.add(
            () -> {
              if (leaderEpoch == epoch) {
                request.run();
              }
            });
      }
    };
  }

  private List<OpResult> toResults(List<Op> operations) {
    var results = new ArrayList<OpResult>();
    for (Op operation : operations) {
      results.add(
          operation.getType() == OpCode.setData
              ? new OpResult.SetDataResult(new Stat())
              : new OpResult.CheckResult());
    }
    return results;
  }

  /** Executes operations, all or none; returns the error of each. */
  private List<Integer> execute(List<Op> operations, boolean keeps) {
    var before = new TreeMap<>(versions);
    var errors = new ArrayList<>(Collections.nCopies(operations.size(), 0));
    boolean failed = false;
    for (int index = 0; index < operations.size(); index++) {
      Code error = failed ? Code.RUNTIMEINCONSISTENCY : execute(operations.get(index));
      failed |= error != Code.OK;
      errors.set(index, error.intValue());
    }
    if (failed || !keeps) {
      versions.clear();
      versions.putAll(before);
    }
    return errors;
  }

  private Code execute(Op operation) {
    String path = operation.getPath();
    switch (operation.getType()) {
      case OpCode.check, OpCode.setData -> {
        if (!versions.containsKey(path)) {
          return Code.NONODE;
        }
        if (forbidden.contains(path)) {
          return Code.NOAUTH;
        }
        versions.merge(path, operation.getType() == OpCode.setData ? 1 : 0, Integer::sum);
      }
      case OpCode.delete -> {
        if (!versions.containsKey(path)) {
          return Code.NONODE;
        }
        remove(path);
        return versions.containsKey(path) ? Code.NOTEMPTY : Code.OK;
      }
      default -> {
        String parent = ZnodePaths.parent(path);
        if (forbidden.contains(parent)) {
          return Code.NOAUTH;
        }
        if (!parent.equals("/") && !versions.containsKey(parent)) {
          return Code.NONODE;
        }
        return versions.putIfAbsent(path, 0) == null ? Code.OK : Code.NODEEXISTS;
      }
    }
    return Code.OK;
  }
}
