package io.ensemble.zoofence.queue.replica;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * One instance of a queue's set, as its leader accesses it. At each connection the replica raises
 * the queue's epoch at the instance. Requests that any leader sent before, including those lost in
 * flight, can then no longer take effect.
 */
public final class QueueReplica implements AutoCloseable {
  /** Receives the events of a replica, on the executor's thread. */
  public interface Listener {
    /** Commands can be sent; {@code slots} are the instance's slots. */
    void reached(int instance, NavigableMap<Long, InstanceResult.Remembered> slots);

    void lost(int instance);

    /** Another leader has raised the epoch. */
    void superseded();
  }

  public static final int SLOTS = 64;

  private static final int UNREACHED = -1;

  private final int instance;
  private final long term;
  private final String home;
  private final Executor thread;
  private final Consumer<Runnable> later;
  private final Listener listener;
  private final InstanceServers servers;
  private final ReconnectingClient reconnectingClient;
  private final ResourceCache<List<QueueCommand.Credential>, ReconnectingClient> others;
  private int epoch = UNREACHED;
  private int generation;

  /**
   * Begins to connect. Called on the executor's thread, so that no event precedes the end of this
   * call.
   *
   * @param term the term of the leader; later leaders have higher terms
   * @param later runs a task after a short delay, on the executor's thread
   */
  public QueueReplica(
      InstanceServers servers,
      int instance,
      InstanceSet set,
      long term,
      Executor thread,
      Consumer<Runnable> later,
      Listener listener) {
    this.term = term;
    this.later = later;
    this.servers = servers;
    this.instance = instance;
    this.home = ZnodePaths.child(ZooFencePaths.APPLIED, ZooFencePaths.hex(set.bits()));
    this.thread = thread;
    this.listener = listener;
    this.others = new ResourceCache<>(this::opened, ReconnectingClient::close);
    this.reconnectingClient =
        new ReconnectingClient(servers, List.of(), thread, this::reach, event -> {}).open();
  }

  public ZooKeeper client() {
    return reconnectingClient.client();
  }

  private String slot(long command) {
    return home + "/s" + command % SLOTS;
  }

  private List<String> slots() {
    return IntStream.range(0, SLOTS).mapToObj(this::slot).toList();
  }

  /** Raises the epoch, unless a later leader has, and reads the slots. */
  private void reach() {
    if (epoch != UNREACHED) {
      listener.lost(instance);
    }
    int mine = ++generation;
    epoch = UNREACHED;
    ZooKeeper client = reconnectingClient.client();
    create(client, home);
    slots().forEach(slot -> create(client, slot));
    client.getData(
        home,
        false,
        (code, path, context, data, stat) ->
            thread.execute(
                () -> {
                  if (mine == generation && code == 0) {
                    raise(mine, client, data, stat.getVersion());
                  }
                }),
        null);
  }

  private void raise(int mine, ZooKeeper client, byte[] data, int version) {
    long last = data == null || data.length < Long.BYTES ? 0 : ByteBuffer.wrap(data).getLong();
    if (last > term) {
      listener.superseded();
      return;
    }
    client.setData(
        home,
        ByteBuffer.allocate(Long.BYTES).putLong(term).array(),
        version,
        (code, path, context, stat) ->
            thread.execute(
                () -> {
                  if (mine != generation) {
                    return;
                  }
                  if (code == 0) {
                    readSlots(mine, client, stat.getVersion());
                  } else if (code == Code.BADVERSION.intValue()) {
                    reach();
                  }
                }),
        null);
  }

  private void readSlots(int mine, ZooKeeper client, int raised) {
    new DedupSlotReader(
            client,
            slots(),
            thread,
            read -> {
              if (mine == generation) {
                epoch = raised;
                listener.reached(instance, read);
              }
            })
        .read();
  }

  private static void create(ZooKeeper client, String path) {
    client.create(
        path,
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT,
        (code, made, context, name) -> {},
        null);
  }

  /**
   * Executes operations together with the records and the slot, in one transaction. The response
   * arrives unless the instance is lost.
   *
   * @param own the client's operations
   * @param records the operations that update the owner records, after the client's
   * @param slot the slot that the instance records
   */
  public void apply(
      long number,
      QueueCommand command,
      List<Op> own,
      List<Op> records,
      DedupSlot slot,
      Consumer<InstanceResult> then) {
    var transaction = new ArrayList<Op>();
    transaction.addAll(own);
    transaction.addAll(records);
    transaction.add(Op.setData(slot(number), slot.bytes(), -1));
    submit(command.credentials(), transaction, results -> then.accept(result(own.size(), results)));
  }

  private static InstanceResult result(int own, List<OpResult> results) {
    OpResult last = results.get(results.size() - 1);
    if (last instanceof OpResult.SetDataResult slot) {
      return new InstanceResult.Done(
          slot.getStat().getMzxid(), List.copyOf(results.subList(1, own + 1)));
    }
    return new InstanceResult.Refused(errors(results.subList(1, own + 1)));
  }

  private static List<Integer> errors(List<OpResult> results) {
    return results.stream().map(result -> ((OpResult.ErrorResult) result).getErr()).toList();
  }

  /** Finds the result of operations without executing them: one error for each, 0 for success. */
  public void tryOut(QueueCommand command, List<Op> own, Consumer<List<Integer>> then) {
    var transaction = new ArrayList<Op>();
    transaction.addAll(own);
    // No znode has this path, so the transaction always fails: here, if no operation before fails.
    transaction.add(Op.check(ZooFencePaths.NEVER, 0));
    submit(
        command.credentials(),
        transaction,
        results -> then.accept(errors(results.subList(1, own.size() + 1))));
  }

  /**
   * Changes the locks as soon as {@code may} accepts the current ones: takes locks that conflict
   * with no other holder's, or releases those of a holder.
   *
   * @param with operations in the same transaction, if the locks change
   */
  public void guard(
      UnaryOperator<InstanceLocks> change,
      Predicate<InstanceLocks> may,
      List<Op> with,
      Runnable then) {
    int mine = generation;
    reconnectingClient
        .client()
        .getData(
            ZooFencePaths.GUARD,
            false,
            (code, path, context, data, stat) ->
                thread.execute(
                    () -> {
                      if (mine != generation) {
                        return;
                      }
                      if (code != 0) {
                        unknown();
                      } else {
                        InstanceLocks held = InstanceLocks.read(ByteBuffer.wrap(data));
                        guard(held, stat.getVersion(), change, may, with, then);
                      }
                    }),
            null);
  }

  private void guard(
      InstanceLocks held,
      int version,
      UnaryOperator<InstanceLocks> change,
      Predicate<InstanceLocks> may,
      List<Op> with,
      Runnable then) {
    InstanceLocks next = change.apply(held);
    if (next.equals(held)) {
      then.run();
    } else if (!may.test(held)) {
      later.accept(() -> guard(change, may, with, then));
    } else {
      var transaction =
          new ArrayList<>(List.of(Op.setData(ZooFencePaths.GUARD, next.bytes(), version)));
      transaction.addAll(with);
      submit(
          List.of(),
          transaction,
          results -> {
            if (results.get(1) instanceof OpResult.SetDataResult) {
              then.run();
            } else {
              guard(change, may, with, then);
            }
          });
    }
  }

  /** Sends operations behind a check of the epoch. */
  private void submit(
      List<QueueCommand.Credential> credentials,
      List<Op> operations,
      Consumer<List<OpResult>> then) {
    if (epoch == UNREACHED) {
      return; // The request is repeated when the instance is reached.
    }
    others.tidy();
    int mine = generation;
    var transaction = new ArrayList<Op>();
    transaction.add(Op.check(home, epoch));
    transaction.addAll(operations);
    client(credentials)
        .multi(
            transaction,
            (code, path, context, results) ->
                thread.execute(
                    () -> {
                      if (mine == generation) {
                        answered(results, then);
                      }
                    }),
            null);
  }

  private void answered(@Nullable List<OpResult> results, Consumer<List<OpResult>> then) {
    if (results == null) {
      unknown();
    } else if (results.get(0) instanceof OpResult.ErrorResult epochs
        && epochs.getErr() == Code.BADVERSION.intValue()) {
      listener.superseded();
    } else {
      then.accept(results);
    }
  }

  /** Marks the state of requests in flight as unknown: the slots decide. */
  private void unknown() {
    generation++;
    epoch = UNREACHED;
    listener.lost(instance);
    int mine = generation;
    if (reconnectingClient.client().getState().isConnected()) {
      later.accept(
          () -> {
            if (mine == generation) {
              reach();
            }
          });
    }
  }

  /**
   * Executes operations behind a check of the epoch. The response arrives unless the instance is
   * lost.
   */
  public void transact(QueueCommand command, List<Op> operations, Consumer<List<OpResult>> then) {
    submit(
        command.credentials(),
        operations,
        results -> then.accept(List.copyOf(results.subList(1, results.size()))));
  }

  private ReconnectingClient opened(List<QueueCommand.Credential> credentials) {
    return new ReconnectingClient(servers, credentials, thread, () -> {}, event -> {}).open();
  }

  /** Runs a task after a short delay. */
  public void again(Runnable work) {
    later.accept(work);
  }

  /** A client of the instance with these credentials. */
  public ZooKeeper client(List<QueueCommand.Credential> credentials) {
    return credentials.isEmpty() ? reconnectingClient.client() : others.get(credentials).client();
  }

  @Override
  public void close() {
    generation++;
    reconnectingClient.close();
    others.closeAll();
  }
}
