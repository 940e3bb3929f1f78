package io.ensemble.zoofence.queue.executor;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a queue's commands. A command is a sequential znode, and ZooKeeper's counter ends
 * after 2^31 of them. Before that, an empty queue's znode is replaced by another one, whose counter
 * begins at 0 again. The data of the znode is the <em>base</em> that the numbers of its commands
 * have in addition, so numbers never repeat. Used on the executor's thread and read on others.
 */
final class CommandNumbering {
  /** The sequence number from which on an empty queue is replaced. */
  static final int ROLL_AT = 1 << 30;

  /** The difference between the bases of two successive znodes: all numbers of the first. */
  private static final long STEP = 1L << 31;

  private final int rollAt;
  private volatile long base = -1;

  CommandNumbering(int rollAt) {
    this.rollAt = rollAt;
  }

  /**
   * Takes the data of the queue's znode.
   *
   * @return false if the znode was replaced since the last call: all numbers are different now
   */
  boolean readBase(byte @Nullable [] data) {
    String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
    long found = text.isEmpty() ? 0 : Long.parseLong(text);
    boolean isSame = base < 0 || base == found;
    base = found;
    return isSame;
  }

  /** The number of the command with this sequence number. */
  long toNumber(long sequence) {
    return Math.max(0, base) + sequence;
  }

  /** The sequence number in the name of a command's znode. */
  long toSequence(long number) {
    return number - Math.max(0, base);
  }

  /** Whether the znode of the queue has to be replaced after this command. */
  boolean isToRoll(long number) {
    return toSequence(number) >= rollAt;
  }

  /** The data of the next znode. */
  byte[] nextBase() {
    return Long.toString(Math.max(0, base) + STEP).getBytes(StandardCharsets.UTF_8);
  }
}
