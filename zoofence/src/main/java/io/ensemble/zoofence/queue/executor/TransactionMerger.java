package io.ensemble.zoofence.queue.executor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.proto.CreateRequest;

/**
 * Sends independent transactions to one ensemble, and several as one while earlier ones are
 * unanswered. If such a transaction fails, or its result is unknown, each of its members is sent by
 * itself. Confined to the executor's thread.
 */
final class TransactionMerger {
  /** The number of transactions in flight below which none waits. */
  static final int FREE_IN_FLIGHT = 4;

  /** The maximum number of members of one transaction. */
  static final int MAX_MEMBERS = 32;

  /** The maximum size of a transaction of several members, in bytes. A server accepts a MiB. */
  static final long MAX_BYTES = 512 * 1024;

  /** The headers and the access list of an operation, in bytes. */
  private static final int OVERHEAD_BYTES = 200;

  private static final int MAX_BYTES_PER_CHARACTER = 3;

  /** Sends a transaction. */
  interface Sender {
    /**
     * @param callback receives, on the executor's thread, whether the transaction took effect;
     *     false also if that is unknown
     */
    void send(List<Op> operations, Consumer<Boolean> callback);
  }

  private record Member(List<Op> operations, long bytes, Runnable onDone, Runnable alone) {}

  private final Sender sender;
  private final Consumer<Runnable> executor;
  private final ArrayDeque<Member> waiting = new ArrayDeque<>();
  private int inFlight;
  private boolean isScheduled;
  private boolean isClosed;

  /**
   * @param executor runs a task later on the executor's thread, after those that wait there
   */
  TransactionMerger(Sender sender, Consumer<Runnable> executor) {
    this.sender = sender;
    this.executor = executor;
  }

  /**
   * Sends a transaction, after those of earlier calls.
   *
   * @param onDone is run when the transaction took effect
   * @param alone sends the transaction by itself; it may have taken effect already
   */
  void submit(List<Op> operations, Runnable onDone, Runnable alone) {
    waiting.add(new Member(operations, countBytes(operations), onDone, alone));
    if (!isScheduled) {
      isScheduled = true;
      executor.accept(
          () -> {
            isScheduled = false;
            sendReady();
          });
    }
  }

  private static long countBytes(List<Op> operations) {
    long bytes = 0;
    for (Op operation : operations) {
      bytes += OVERHEAD_BYTES + (long) MAX_BYTES_PER_CHARACTER * operation.getPath().length();
      if (operation.toRequestRecord() instanceof CreateRequest creation) {
        bytes += creation.getData() == null ? 0 : creation.getData().length;
      }
    }
    return bytes;
  }

  private void sendReady() {
    while (!waiting.isEmpty() && (inFlight < FREE_IN_FLIGHT || waiting.size() >= MAX_MEMBERS)) {
      sendNext();
    }
  }

  /** Sends all that waits, so that later requests of the same connection come behind it. */
  void flush() {
    while (!waiting.isEmpty()) {
      sendNext();
    }
  }

  private void sendNext() {
    var members = new ArrayList<Member>();
    var operations = new ArrayList<Op>();
    long bytes = 0;
    while (!waiting.isEmpty() && members.size() < MAX_MEMBERS) {
      bytes += waiting.element().bytes();
      if (!members.isEmpty() && bytes > MAX_BYTES) {
        break;
      }
      Member member = waiting.remove();
      members.add(member);
      operations.addAll(member.operations());
    }
    inFlight++;
    sender.send(
        operations,
        tookEffect -> {
          if (isClosed) {
            return;
          }
          inFlight--;
          members.forEach(member -> (tookEffect ? member.onDone() : member.alone()).run());
          sendReady();
        });
  }

  /**
   * Drops all that waits, and the responses to what is in flight: a later leader may have decided
   * the members of a failed transaction otherwise.
   */
  void close() {
    isClosed = true;
    waiting.clear();
  }
}
