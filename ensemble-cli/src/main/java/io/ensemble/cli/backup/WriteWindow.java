package io.ensemble.cli.backup;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;

/** Writes in flight, bounded in number and in bytes. For one thread at a time. */
final class WriteWindow {

  /** The most writes in flight. */
  static final int MOST_WRITES = 64;

  /** The most bytes in flight, unless one write alone has more. */
  static final long MOST_BYTES = 16 << 20;

  private record PendingWrite(CompletionStage<?> stage, long bytes) {}

  private final Deque<PendingWrite> pending = new ArrayDeque<>();
  private long bytes;

  /**
   * Waits until there is room for a write of that size, which the caller then begins. Throws the
   * failure of an earlier write.
   */
  void awaitRoom(long size) {
    while (!pending.isEmpty() && (pending.size() >= MOST_WRITES || bytes + size > MOST_BYTES)) {
      awaitOldest();
    }
  }

  /** Adds a write that has begun. */
  void add(CompletionStage<?> stage, long size) {
    pending.add(new PendingWrite(stage, size));
    bytes += size;
  }

  /** The number of writes in flight. */
  int size() {
    return pending.size();
  }

  /** Waits for all writes; throws the first failure. */
  void awaitAll() {
    while (!pending.isEmpty()) {
      awaitOldest();
    }
  }

  private void awaitOldest() {
    PendingWrite oldest = pending.remove();
    bytes -= oldest.bytes();
    RepeatedCall.await(oldest.stage());
  }
}
