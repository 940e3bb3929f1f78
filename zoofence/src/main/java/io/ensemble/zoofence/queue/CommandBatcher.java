package io.ensemble.zoofence.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which commands an instance executes in one transaction, a <em>batch</em>, and what
 * follows if the transaction fails. The commands take effect in the order in which they were added.
 * This class has inputs and outputs only: no I/O, no clock, no thread.
 *
 * <p>A refused command fails the transaction of its whole batch, so a failed batch of several
 * commands decides none of them. They are sent again, the refused one in a transaction of its own,
 * whose failure is final. Later commands must not take effect before that. Therefore each
 * transaction that is sent while a batch of several commands is unanswered is conditional on it: it
 * fails if that batch has failed, and is sent again as well.
 *
 * <p>Batches grow by waiting. While few transactions are in flight, a command is sent immediately.
 * Beyond that, commands wait for the next response, or until no further command fits into their
 * batch.
 *
 * <p>A batch changes each znode at most once, so that no two changes of a znode have the same
 * transaction number. For the same reason it creates at most one ephemeral or sequential child of a
 * znode: clients rank such siblings, such as the contenders for a lock. After a refusal, batches
 * are small at first, since each refusal in a batch costs a repetition of all that is in flight.
 */
public final class CommandBatcher {
  /** The maximum number of commands in a batch. */
  static final int MAX_COMMANDS = 32;

  /** The maximum size of a batch of several commands, in bytes. A server accepts a MiB. */
  static final long MAX_BYTES = 512 * 1024;

  /** The number of transactions in flight below which no command waits. */
  private static final int FREE_IN_FLIGHT = 8;

  /** The number of commands without a refusal after which batches may grow by one command. */
  private static final int GROWTH = 8;

  /** The position of a failure that concerns the transaction's condition, not a command. */
  public static final int CONDITION = -1;

  /** The position of the failure in a transaction that has not failed. */
  public static final int NONE = -2;

  /**
   * A command of one operation.
   *
   * @param exclusive what no other command of the batch may concern: the znode that the operation
   *     creates, changes or removes, and the znode whose children are ranked, if it creates one
   * @param bytes the size of the operation and its records, at most
   */
  public record Entry(long number, Set<String> exclusive, long bytes) {
    public Entry {
      exclusive = Set.copyOf(exclusive);
    }

    /** A command that concerns only the znode at {@code path}. */
    Entry(long number, String path, long bytes) {
      this(number, Set.of(path), bytes);
    }
  }

  /**
   * Commands for one transaction.
   *
   * @param id differs from that of every other batch of the same batcher
   * @param previous the command that must have taken effect, or the transaction must fail
   */
  public record Batch(long id, List<Entry> entries, OptionalLong previous) {
    public Batch {
      entries = List.copyOf(entries);
    }

    private long last() {
      return entries.get(entries.size() - 1).number();
    }
  }

  /** The consequence of a response. */
  public enum Decision {
    /** All commands of the batch took effect. */
    EXECUTED,
    /** The only command of the batch was refused. */
    REFUSED,
    /** No command of the batch took effect; all are sent again. */
    REPEATED
  }

  private final int freeInFlight;
  private final int growth;
  private final ArrayDeque<Entry> waiting = new ArrayDeque<>();
  private final ArrayDeque<Batch> inFlight = new ArrayDeque<>();
  private final Set<Long> refused = new HashSet<>();
  private int unrefused;
  private long nextId;

  public CommandBatcher() {
    this(FREE_IN_FLIGHT, GROWTH);
  }

  /**
   * @param freeInFlight the number of transactions in flight below which no command waits
   * @param growth the number of commands without a refusal by which batches grow by one
   */
  CommandBatcher(int freeInFlight, int growth) {
    this.freeInFlight = freeInFlight;
    this.growth = growth;
    this.unrefused = growth * MAX_COMMANDS;
  }

  /** Adds a command behind all others. */
  public void add(Entry entry) {
    waiting.add(entry);
  }

  /**
   * The next batch to send, in the order of the calls, over one connection; null while further
   * commands or responses are awaited.
   */
  public @Nullable Batch next() {
    int limit = Math.min(MAX_COMMANDS, 1 + unrefused / growth);
    var entries = new ArrayList<Entry>();
    var concerned = new HashSet<String>();
    long bytes = 0;
    boolean isComplete = false;
    for (Entry entry : waiting) {
      boolean isSingle = refused.contains(entry.number());
      bytes += entry.bytes();
      boolean isApart =
          isSingle || bytes > MAX_BYTES || !Collections.disjoint(concerned, entry.exclusive());
      if (!entries.isEmpty() && isApart) {
        isComplete = true;
        break;
      }
      entries.add(entry);
      concerned.addAll(entry.exclusive());
      if (isSingle || entries.size() == limit) {
        isComplete = true;
        break;
      }
    }
    if (entries.isEmpty() || (!isComplete && inFlight.size() >= freeInFlight)) {
      return null;
    }
    entries.forEach(entry -> waiting.remove());
    var batch = new Batch(nextId++, entries, findPrevious());
    inFlight.add(batch);
    return batch;
  }

  /** The last command of the last batch in flight whose failure would not be final. */
  private OptionalLong findPrevious() {
    for (var batches = inFlight.descendingIterator(); batches.hasNext(); ) {
      Batch batch = batches.next();
      if (batch.entries().size() > 1) {
        return OptionalLong.of(batch.last());
      }
    }
    return OptionalLong.empty();
  }

  /**
   * Takes the response to a transaction; responses arrive in the order of the transactions.
   *
   * @param failed the position in the batch of the command that failed, {@link #CONDITION}, or
   *     {@link #NONE}
   * @throws IllegalStateException if the transaction took effect without its condition
   */
  public Decision recordResponse(Batch batch, int failed) {
    Batch oldest = inFlight.peek();
    if (oldest == null || oldest.id() != batch.id()) {
      if (failed == NONE) {
        throw new IllegalStateException(
            "a transaction behind a failed batch took effect; commands " + batch.entries());
      }
      return Decision.REPEATED; // Failed with an earlier batch, and is sent again already.
    }
    if (failed == NONE) {
      inFlight.remove();
      batch.entries().forEach(entry -> refused.remove(entry.number()));
      unrefused = Math.min(growth * MAX_COMMANDS, unrefused + batch.entries().size());
      return Decision.EXECUTED;
    }
    if (failed != CONDITION) {
      unrefused = 0;
      if (batch.entries().size() == 1) {
        inFlight.remove();
        refused.remove(batch.last());
        return Decision.REFUSED;
      }
      refused.add(batch.entries().get(failed).number());
    }
    repeatAll();
    return Decision.REPEATED;
  }

  /** Puts back all commands in flight: they were conditional on the oldest batch. */
  private void repeatAll() {
    while (!inFlight.isEmpty()) {
      List<Entry> entries = inFlight.removeLast().entries();
      for (int index = entries.size() - 1; index >= 0; index--) {
        waiting.addFirst(entries.get(index));
      }
    }
  }

  /** The connection is lost: the slots of the instance decide what is in flight. */
  public void clear() {
    waiting.clear();
    inFlight.clear();
    refused.clear();
  }
}
