package io.ensemble.objects.sync;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A lock for many readers or one writer. Waiting requests are served in the order in which they
 * asked, so readers that ask after a writer wait for it. A read grant cannot become a write grant.
 * Otherwise as {@link FencedLock}. Thread-safe.
 */
public final class FencedReadWriteLock implements AutoCloseable {

  /** The number of permits, of which a reader takes one and a writer all. */
  static final int ALL = 1_000_000;

  private final PermitClient permitClient;
  private final ReentrantFencedReadWriteLock reentrant;

  FencedReadWriteLock(PermitClient permitClient) {
    this.permitClient = permitClient;
    this.reentrant = new ReentrantFencedReadWriteLock(permitClient);
  }

  /** Acquires the lock for reading, shared with other readers. As {@link FencedLock#acquire}. */
  public Optional<Grant> acquireToRead(Duration atMost) throws InterruptedException {
    return permitClient.claimed(1, "", atMost);
  }

  /** Acquires the lock for writing, exclusively. As {@link FencedLock#acquire}. */
  public Optional<Grant> acquireToWrite(Duration atMost) throws InterruptedException {
    return permitClient.claimed(ALL, "", atMost);
  }

  /** As the other method, with a time in the form of {@code java.util.concurrent}. */
  public Optional<Grant> acquireToRead(long time, TimeUnit unit) throws InterruptedException {
    return acquireToRead(AsyncWait.duration(time, unit));
  }

  /** As the other method, with a time in the form of {@code java.util.concurrent}. */
  public Optional<Grant> acquireToWrite(long time, TimeUnit unit) throws InterruptedException {
    return acquireToWrite(AsyncWait.duration(time, unit));
  }

  /** Acquires the lock for reading, if no writer holds it and no request waits. */
  public Optional<Grant> tryAcquireToRead() throws InterruptedException {
    return acquireToRead(Duration.ZERO);
  }

  /** Acquires the lock for writing, if it is free and no request waits. */
  public Optional<Grant> tryAcquireToWrite() throws InterruptedException {
    return acquireToWrite(Duration.ZERO);
  }

  /** As {@link FencedLock#acquireAsync}. */
  public CompletionStage<Optional<Grant>> acquireToReadAsync(Duration atMost) {
    return permitClient.claim(1, "", atMost);
  }

  /** As {@link FencedLock#acquireAsync}. */
  public CompletionStage<Optional<Grant>> acquireToWriteAsync(Duration atMost) {
    return permitClient.claim(ALL, "", atMost);
  }

  /**
   * This lock as a {@code java.util.concurrent.locks.ReadWriteLock} with reentrant locks, which
   * belong to threads. The same for each call. Grants of the other methods of this handle do not
   * belong to it.
   */
  public ReentrantFencedReadWriteLock asReadWriteLock() {
    return reentrant;
  }

  /** Releases the grants of this handle, ends its waits, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }
}
