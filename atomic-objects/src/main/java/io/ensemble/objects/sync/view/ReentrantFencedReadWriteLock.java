package io.ensemble.objects.sync.view;

import io.ensemble.objects.sync.FencedReadWriteLock;
import io.ensemble.objects.sync.ReentrantFencedLock;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A {@link FencedReadWriteLock} as a {@link ReadWriteLock} whose locks belong to threads and are
 * reentrant. A thread that has one of the two locks cannot acquire the other, in either direction:
 * it would wait for itself. Its attempts to wait throw {@link IllegalStateException}, and {@code
 * tryLock()} returns false. Thread-safe.
 */
public final class ReentrantFencedReadWriteLock implements ReadWriteLock {

  private final FencedReadWriteLock.ReadLock readLock;
  private final ReentrantFencedLock writeLock;

  /** A view with these two locks; see {@link FencedReadWriteLock#asReadWriteLock}. */
  public ReentrantFencedReadWriteLock(
      FencedReadWriteLock.ReadLock readLock, ReentrantFencedLock writeLock) {
    this.readLock = readLock;
    this.writeLock = writeLock;
  }

  @Override
  public FencedReadWriteLock.ReadLock readLock() {
    return readLock;
  }

  @Override
  public ReentrantFencedLock writeLock() {
    return writeLock;
  }
}
