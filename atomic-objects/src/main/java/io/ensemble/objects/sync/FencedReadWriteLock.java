package io.ensemble.objects.sync;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lock that many can hold to read, or one to write. Those who wait are served in the order in
 * which they asked, so that readers who come after a writer wait for it. A grant to read becomes
 * none to write. As a {@link FencedLock} otherwise. Thread-safe.
 */
public final class FencedReadWriteLock implements AutoCloseable {

  /** So many permits are there, of which a reader takes one. */
  static final int ALL = 1_000_000;

  private final PermitClient permitClient;

  FencedReadWriteLock(PermitClient permitClient) {
    this.permitClient = permitClient;
  }

  /** To read, together with others who do. As {@link FencedLock#acquire}. */
  public Optional<Grant> acquireToRead(Duration atMost) throws InterruptedException {
    return permitClient.claimed(1, "", atMost);
  }

  /** To write, alone. As {@link FencedLock#acquire}. */
  public Optional<Grant> acquireToWrite(Duration atMost) throws InterruptedException {
    return permitClient.claimed(ALL, "", atMost);
  }

  /** To read, if nobody writes or waits. */
  public Optional<Grant> tryAcquireToRead() throws InterruptedException {
    return acquireToRead(Duration.ZERO);
  }

  /** To write, if nobody reads, writes or waits. */
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

  /** Gives back what was granted through this handle, ends its waits, and closes it. */
  @Override
  public void close() {
    permitClient.close();
  }
}
