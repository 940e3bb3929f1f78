package io.ensemble.objects.sync;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A {@link FencedReadWriteLock} as a {@link ReadWriteLock} whose locks belong to threads and are
 * reentrant. A thread that has one of the two locks cannot acquire the other, in either direction:
 * it would wait for itself. Its attempts to wait throw {@link IllegalStateException}, and {@code
 * tryLock()} returns false. Thread-safe.
 */
public final class ReentrantFencedReadWriteLock implements ReadWriteLock {

  private final ReentrantFencedReadLock readLock;
  private final ReentrantFencedLock writeLock;

  ReentrantFencedReadWriteLock(PermitClient permitClient) {
    readLock = new ReentrantFencedReadLock(permitClient, this::requireNotWriting);
    writeLock =
        new ReentrantFencedLock(permitClient, FencedReadWriteLock.ALL, this::requireNotReading);
  }

  @Override
  public ReentrantFencedReadLock readLock() {
    return readLock;
  }

  @Override
  public ReentrantFencedLock writeLock() {
    return writeLock;
  }

  private void requireNotWriting() {
    if (writeLock.holdCount() > 0) {
      throw new IllegalStateException(
          "this thread has the write lock, and would wait for itself; release it first; lock="
              + readLock);
    }
  }

  private void requireNotReading() {
    if (readLock.holdCount() > 0) {
      throw new IllegalStateException(
          "this thread has the read lock, and would wait for itself; release it first; lock="
              + writeLock);
    }
  }
}
