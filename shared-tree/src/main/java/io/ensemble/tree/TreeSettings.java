package io.ensemble.tree;

import java.time.Duration;

/**
 * Limits and sizes of a tree. They are stored with it when it is created, and hold for all
 * processes. The administrator is not limited by the quotas of owners.
 *
 * @param maxValueBytes the maximum size of a value
 * @param maxChanges the maximum number of changes in a transaction
 * @param maxTransactionBytes the maximum size of a transaction with its paths
 * @param maxRemoved the maximum number of nodes that one removal removes
 * @param maxNodes the default quota of nodes for each owner
 * @param maxBytes the default quota of an owner's values, in bytes
 * @param maxTransactions the maximum number of transactions that an owner has open in one process
 * @param maxWatches the maximum number of watches that an owner has in one process
 * @param logBytes the size of the log of commits at which a checkpoint is planned; commits wait
 *     when it is three times as long
 * @param windowBytes the size of the record of what recent commits wrote
 * @param pageBytes the size of a page of nodes
 * @param retention how long a state can be read after a later checkpoint has replaced it
 */
public record TreeSettings(
    int maxValueBytes,
    int maxChanges,
    int maxTransactionBytes,
    int maxRemoved,
    long maxNodes,
    long maxBytes,
    int maxTransactions,
    int maxWatches,
    int logBytes,
    int windowBytes,
    int pageBytes,
    Duration retention) {

  /** The settings of a tree that is created without others. */
  public static final TreeSettings DEFAULT =
      new TreeSettings(
          64 << 10,
          1_000,
          128 << 10,
          100_000,
          100_000,
          64L << 20,
          1_000,
          1_000,
          8 << 10,
          6 << 10,
          2 << 10,
          Duration.ofSeconds(30));

  /** Checks that each is above zero, and that a transaction fits into a call. */
  public TreeSettings {
    if (Math.min(Math.min(maxValueBytes, maxChanges), Math.min(maxRemoved, maxTransactions)) < 1
        || Math.min(Math.min(logBytes, windowBytes), Math.min(pageBytes, maxWatches)) < 1
        || Math.min(maxNodes, maxBytes) < 1
        || retention.toMillis() < 1) {
      throw new IllegalArgumentException("limits and sizes of a tree must be above zero");
    }
    if (pageBytes < 96 || pageBytes > 64 << 10 || Math.max(logBytes, windowBytes) > 128 << 10) {
      throw new IllegalArgumentException(
          "pages must have 96 B to 64 KiB, the log and the window at most 128 KiB");
    }
    if (maxTransactionBytes < 1 || maxTransactionBytes > 200 << 10) {
      throw new IllegalArgumentException(
          "maxTransactionBytes must be in [1, 204800]; got " + maxTransactionBytes);
    }
  }

  /** A copy with these quotas of each owner. */
  public TreeSettings quotas(long nodes, long bytes) {
    return new TreeSettings(
        maxValueBytes,
        maxChanges,
        maxTransactionBytes,
        maxRemoved,
        nodes,
        bytes,
        maxTransactions,
        maxWatches,
        logBytes,
        windowBytes,
        pageBytes,
        retention);
  }

  /** A copy with these numbers of open transactions and of watches, for each owner in a process. */
  public TreeSettings open(int transactions, int watches) {
    return new TreeSettings(
        maxValueBytes,
        maxChanges,
        maxTransactionBytes,
        maxRemoved,
        maxNodes,
        maxBytes,
        transactions,
        watches,
        logBytes,
        windowBytes,
        pageBytes,
        retention);
  }

  /** A copy with these sizes of log, window and page. */
  public TreeSettings sizes(int log, int window, int page) {
    return new TreeSettings(
        maxValueBytes,
        maxChanges,
        maxTransactionBytes,
        maxRemoved,
        maxNodes,
        maxBytes,
        maxTransactions,
        maxWatches,
        log,
        window,
        page,
        retention);
  }

  /** A copy with this retention of replaced states. */
  public TreeSettings retention(Duration time) {
    return new TreeSettings(
        maxValueBytes,
        maxChanges,
        maxTransactionBytes,
        maxRemoved,
        maxNodes,
        maxBytes,
        maxTransactions,
        maxWatches,
        logBytes,
        windowBytes,
        pageBytes,
        time);
  }
}
