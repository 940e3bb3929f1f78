package io.ensemble.zoofence.queue.replica;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.CommandBatcher;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
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
public final class QueueReplica implements CommitParticipant, AutoCloseable {
  /** Receives the events of a replica, on the executor's thread. */
  public interface Listener {
    /** Commands can be sent; {@code slots} are the instance's slots. */
    void handleReached(int instance, NavigableMap<Long, InstanceResult.Remembered> slots);

    void handleLost(int instance);

    /** The instance has answered commands that were sent with {@link #applyBeside}. */
    void handleResults(int instance, Map<Long, InstanceResult> results);

    /** Another leader has raised the epoch. */
    void handleSuperseded();
  }

  /** The maximum number of commands in flight. */
  public static final int SLOTS = 256;

  /**
   * How often the bytes of a command may be in its transaction: its path is in the operation, in
   * the slot and, with escapes, in the name of the owner record.
   */
  private static final int BYTES_FACTOR = 5;

  /** The names, access lists and headers of a command's records, in bytes. */
  private static final int OVERHEAD_BYTES = 512;

  private static final int UNREACHED = -1;

  private final int instance;
  private final long term;
  private final String recordPath;
  private final Executor executor;
  private final Consumer<Runnable> delayedExecutor;
  private final Listener listener;
  private final InstanceServers servers;
  private final ReconnectingClient reconnectingClient;
  private final ResourceCache<List<QueueCommand.Credential>, ReconnectingClient>
      clientsByCredentials;
  private final CommandBatcher batcher = new CommandBatcher();
  private final Map<Long, Prepared> preparedCommands = new HashMap<>();

  /** The versions of the slots by their paths. Only transactions of this class change slots. */
  private final Map<String, Integer> slotVersions = new HashMap<>();

  private int epoch = UNREACHED;
  private int generation;
  private boolean isSendScheduled;

  private record Prepared(List<Op> operations, List<Op> records, DedupSlot slot) {}

  /**
   * Begins to connect. Called on the executor's thread, so that no event precedes the end of this
   * call.
   *
   * @param term the term of the leader; later leaders have higher terms
   * @param delayedExecutor runs a task after a short delay, on the executor's thread
   */
  public QueueReplica(
      InstanceServers servers,
      int instance,
      InstanceSet set,
      long term,
      Executor executor,
      Consumer<Runnable> delayedExecutor,
      Listener listener) {
    this.term = term;
    this.delayedExecutor = delayedExecutor;
    this.servers = servers;
    this.instance = instance;
    this.recordPath = ZnodePaths.child(ZooFencePaths.APPLIED, ZooFencePaths.hex(set.bits()));
    this.executor = executor;
    this.listener = listener;
    this.clientsByCredentials = new ResourceCache<>(this::openClient, ReconnectingClient::close);
    this.reconnectingClient =
        new ReconnectingClient(servers, List.of(), executor, this::startEpoch, event -> {}).open();
  }

  public ZooKeeper client() {
    return reconnectingClient.client();
  }

  private String slotPath(long command) {
    return recordPath + "/s" + command % SLOTS;
  }

  /**
   * The znode that records which change of an access list has begun. A change and its slot cannot
   * be one transaction.
   */
  public String aclIntentPath() {
    return recordPath + "/acl";
  }

  private List<String> slotPaths() {
    return IntStream.range(0, SLOTS).mapToObj(this::slotPath).toList();
  }

  /** Raises the epoch, unless a later leader has, and reads the slots. */
  private void startEpoch() {
    if (epoch != UNREACHED) {
      listener.handleLost(instance);
    }
    int startedGeneration = ++generation;
    epoch = UNREACHED;
    clearBatches();
    ZooKeeper client = reconnectingClient.client();
    create(client, recordPath);
    client.getChildren(
        recordPath,
        false,
        (code, path, context, children) ->
            executor.execute(
                () -> {
                  if (startedGeneration == generation && code == 0) {
                    createRecords(client, children);
                    readTerm(startedGeneration, client);
                  }
                }),
        null);
  }

  /** Creates the records that the instance does not have yet. */
  private void createRecords(ZooKeeper client, List<String> existing) {
    var missing = new ArrayList<>(slotPaths());
    missing.add(aclIntentPath());
    existing.forEach(name -> missing.remove(ZnodePaths.child(recordPath, name)));
    missing.forEach(path -> create(client, path));
  }

  private void readTerm(int startedGeneration, ZooKeeper client) {
    client.getData(
        recordPath,
        false,
        (code, path, context, data, stat) ->
            executor.execute(
                () -> {
                  if (startedGeneration == generation && code == 0) {
                    raiseEpoch(startedGeneration, client, data, stat.getVersion());
                  }
                }),
        null);
  }

  private void raiseEpoch(int startedGeneration, ZooKeeper client, byte[] data, int version) {
    long recordedTerm =
        data == null || data.length < Long.BYTES ? 0 : ByteBuffer.wrap(data).getLong();
    if (recordedTerm > term) {
      listener.handleSuperseded();
      return;
    }
    client.setData(
        recordPath,
        ByteBuffer.allocate(Long.BYTES).putLong(term).array(),
        version,
        (code, path, context, stat) ->
            executor.execute(
                () -> {
                  if (startedGeneration != generation) {
                    return;
                  }
                  if (code == 0) {
                    readSlots(startedGeneration, client, stat.getVersion());
                  } else if (code == Code.BADVERSION.intValue()) {
                    startEpoch();
                  }
                }),
        null);
  }

  private void readSlots(int startedGeneration, ZooKeeper client, int raisedEpoch) {
    new DedupSlotReader(
            client,
            slotPaths(),
            executor,
            slots -> {
              if (startedGeneration == generation) {
                epoch = raisedEpoch;
                slotVersions.clear();
                slotVersions.putAll(slots.versions());
                listener.handleReached(instance, slots.byCommand());
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

  @Override
  public void apply(
      long number,
      QueueCommand command,
      List<Op> operations,
      List<Op> records,
      DedupSlot slot,
      Consumer<InstanceResult> callback) {
    var transaction = new ArrayList<Op>();
    transaction.addAll(operations);
    transaction.addAll(records);
    transaction.add(Op.setData(slotPath(number), slot.bytes(), -1));
    submit(
        command.credentials(),
        transaction,
        results -> callback.accept(toResult(operations.size(), results)));
  }

  /**
   * Executes a command of one operation, without credentials, in one transaction with its records
   * and its slot, and perhaps with further such commands. The commands take effect in the order of
   * the calls. The listener receives the result; it receives none if the instance is lost before
   * the response: the slots then decide.
   *
   * @param exclusive what no other command of the transaction may concern
   * @param operations the operation
   * @param records the operations that update the owner records, after the client's
   * @param slot the slot that the instance records
   */
  public void applyBeside(
      long number,
      QueueCommand command,
      Set<String> exclusive,
      List<Op> operations,
      List<Op> records,
      DedupSlot slot) {
    if (epoch == UNREACHED) {
      return; // The request is repeated when the instance is reached.
    }
    preparedCommands.put(number, new Prepared(operations, records, slot));
    batcher.add(
        new CommandBatcher.Entry(
            number, exclusive, OVERHEAD_BYTES + (long) BYTES_FACTOR * command.body().remaining()));
    if (!isSendScheduled) {
      isSendScheduled = true;
      executor.execute(this::sendBatches); // Commands that have arrived meanwhile join the batch.
    }
  }

  private void sendBatches() {
    isSendScheduled = false;
    for (var batch = batcher.next(); batch != null; batch = batcher.next()) {
      sendBatch(batch);
    }
  }

  private void sendBatch(CommandBatcher.Batch batch) {
    var transaction = new ArrayList<Op>();
    batch.previous().ifPresent(number -> transaction.add(checkApplied(number)));
    int conditions = transaction.size();
    var positions = new ArrayList<Integer>();
    for (CommandBatcher.Entry entry : batch.entries()) {
      Prepared prepared = findPrepared(entry.number());
      positions.add(transaction.size());
      transaction.addAll(prepared.operations());
      transaction.addAll(prepared.records());
      transaction.add(Op.setData(slotPath(entry.number()), prepared.slot().bytes(), -1));
    }
    submit(
        List.of(),
        transaction,
        results -> handleBatch(batch, conditions, positions, results.subList(1, results.size())));
  }

  /** Checks that a command that is in flight has taken effect: its slot has a further version. */
  private Op checkApplied(long number) {
    String path = slotPath(number);
    int version = Objects.requireNonNull(slotVersions.get(path), "a slot that was never read");
    return Op.check(path, version + 1);
  }

  private Prepared findPrepared(long number) {
    return Objects.requireNonNull(preparedCommands.get(number), "a command without operations");
  }

  private void handleBatch(
      CommandBatcher.Batch batch, int conditions, List<Integer> positions, List<OpResult> results) {
    CommandBatcher.Decision decision =
        batcher.recordResponse(batch, findFailed(conditions, positions, results));
    sendBatches();
    if (decision == CommandBatcher.Decision.REPEATED) {
      return;
    }
    var resultsByCommand = new LinkedHashMap<Long, InstanceResult>();
    for (int index = 0; index < positions.size(); index++) {
      long number = batch.entries().get(index).number();
      int first = positions.get(index);
      Prepared prepared = findPrepared(number);
      preparedCommands.remove(number);
      List<OpResult> own = results.subList(first, first + prepared.operations().size());
      int slotIndex = first + prepared.operations().size() + prepared.records().size();
      resultsByCommand.put(number, toResult(own, results.get(slotIndex)));
    }
    listener.handleResults(instance, resultsByCommand);
  }

  /** The position of the command that failed a transaction, as the batcher counts. */
  private static int findFailed(int conditions, List<Integer> positions, List<OpResult> results) {
    if (results.get(results.size() - 1) instanceof OpResult.SetDataResult) {
      return CommandBatcher.NONE;
    }
    List<Integer> errors = readErrors(results);
    int failed = 0;
    for (int index = 0; index < errors.size(); index++) {
      if (errors.get(index) != 0 && errors.get(index) != Code.RUNTIMEINCONSISTENCY.intValue()) {
        failed = index;
        break;
      }
    }
    if (failed < conditions) {
      return CommandBatcher.CONDITION;
    }
    int position = positions.size() - 1;
    while (positions.get(position) > failed) {
      position--;
    }
    return position;
  }

  private void clearBatches() {
    batcher.clear();
    preparedCommands.clear();
  }

  private static InstanceResult toResult(int count, List<OpResult> results) {
    return toResult(results.subList(1, count + 1), results.get(results.size() - 1));
  }

  /**
   * @param own the results of the client's operations
   * @param last the result of the slot
   */
  private static InstanceResult toResult(List<OpResult> own, OpResult last) {
    return last instanceof OpResult.SetDataResult slot
        ? new InstanceResult.Done(slot.getStat().getMzxid(), List.copyOf(own))
        : new InstanceResult.Refused(readErrors(own));
  }

  private static List<Integer> readErrors(List<OpResult> results) {
    return results.stream().map(result -> ((OpResult.ErrorResult) result).getErr()).toList();
  }

  @Override
  public void testOperations(
      QueueCommand command, List<Op> operations, Consumer<List<Integer>> callback) {
    var transaction = new ArrayList<Op>();
    transaction.addAll(operations);
    // No znode has this path, so the transaction always fails: here, if no operation before fails.
    transaction.add(Op.check(ZooFencePaths.NEVER, 0));
    submit(
        command.credentials(),
        transaction,
        results -> callback.accept(readErrors(results.subList(1, operations.size() + 1))));
  }

  @Override
  public void changeLocks(
      UnaryOperator<InstanceLocks> change,
      Predicate<InstanceLocks> precondition,
      List<Op> extraOperations,
      Runnable callback) {
    int startedGeneration = generation;
    reconnectingClient
        .client()
        .getData(
            ZooFencePaths.GUARD,
            false,
            (code, path, context, data, stat) ->
                executor.execute(
                    () -> {
                      if (startedGeneration != generation) {
                        return;
                      }
                      if (code != 0) {
                        markUnknown();
                      } else {
                        InstanceLocks currentLocks = InstanceLocks.read(ByteBuffer.wrap(data));
                        changeLocks(
                            currentLocks,
                            stat.getVersion(),
                            change,
                            precondition,
                            extraOperations,
                            callback);
                      }
                    }),
            null);
  }

  private void changeLocks(
      InstanceLocks currentLocks,
      int version,
      UnaryOperator<InstanceLocks> change,
      Predicate<InstanceLocks> precondition,
      List<Op> extraOperations,
      Runnable callback) {
    InstanceLocks newLocks = change.apply(currentLocks);
    if (newLocks.equals(currentLocks)) {
      callback.run();
    } else if (!precondition.test(currentLocks)) {
      delayedExecutor.accept(() -> changeLocks(change, precondition, extraOperations, callback));
    } else {
      var transaction =
          new ArrayList<>(List.of(Op.setData(ZooFencePaths.GUARD, newLocks.bytes(), version)));
      transaction.addAll(extraOperations);
      submit(
          List.of(),
          transaction,
          results -> {
            if (results.get(1) instanceof OpResult.SetDataResult) {
              callback.run();
            } else {
              changeLocks(change, precondition, extraOperations, callback);
            }
          });
    }
  }

  /** Sends operations behind a check of the epoch. */
  private void submit(
      List<QueueCommand.Credential> credentials,
      List<Op> operations,
      Consumer<List<OpResult>> callback) {
    if (epoch == UNREACHED) {
      return; // The request is repeated when the instance is reached.
    }
    clientsByCredentials.closeIdle();
    int startedGeneration = generation;
    var transaction = new ArrayList<Op>();
    transaction.add(Op.check(recordPath, epoch));
    transaction.addAll(operations);
    client(credentials)
        .multi(
            transaction,
            (code, path, context, results) ->
                executor.execute(
                    () -> {
                      if (startedGeneration == generation) {
                        handleResults(transaction, results, callback);
                      }
                    }),
            null);
  }

  private void handleResults(
      List<Op> transaction, @Nullable List<OpResult> results, Consumer<List<OpResult>> callback) {
    if (results == null) {
      markUnknown();
    } else if (results.get(0) instanceof OpResult.ErrorResult epochError
        && epochError.getErr() == Code.BADVERSION.intValue()) {
      listener.handleSuperseded();
    } else {
      recordSlotVersions(transaction, results);
      callback.accept(results);
    }
  }

  private void recordSlotVersions(List<Op> transaction, List<OpResult> results) {
    for (int index = 0; index < transaction.size(); index++) {
      if (results.get(index) instanceof OpResult.SetDataResult changed) {
        int version = changed.getStat().getVersion();
        slotVersions.computeIfPresent(transaction.get(index).getPath(), (path, former) -> version);
      }
    }
  }

  /** Marks the state of requests in flight as unknown: the slots decide. */
  private void markUnknown() {
    generation++;
    epoch = UNREACHED;
    clearBatches();
    listener.handleLost(instance);
    int startedGeneration = generation;
    if (reconnectingClient.client().getState().isConnected()) {
      delayedExecutor.accept(
          () -> {
            if (startedGeneration == generation) {
              startEpoch();
            }
          });
    }
  }

  /**
   * Executes operations behind a check of the epoch. The response arrives unless the instance is
   * lost.
   */
  public void transact(
      QueueCommand command, List<Op> operations, Consumer<List<OpResult>> callback) {
    submit(
        command.credentials(),
        operations,
        results -> callback.accept(List.copyOf(results.subList(1, results.size()))));
  }

  private ReconnectingClient openClient(List<QueueCommand.Credential> credentials) {
    return new ReconnectingClient(servers, credentials, executor, () -> {}, event -> {}).open();
  }

  /** Runs a task after a short delay. */
  public void runLater(Runnable task) {
    delayedExecutor.accept(task);
  }

  /** A client of the instance with these credentials. */
  public ZooKeeper client(List<QueueCommand.Credential> credentials) {
    return credentials.isEmpty()
        ? reconnectingClient.client()
        : clientsByCredentials.get(credentials).client();
  }

  @Override
  public void close() {
    generation++;
    reconnectingClient.close();
    clientsByCredentials.closeAll();
  }
}
