package io.ensemble.objects.sync;

import static io.ensemble.objects.sync.InMemoryProcesses.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.sync.view.ReentrantFencedReadWriteLock;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract of {@code ReadWriteLock}, among threads and processes. */
@Execution(ExecutionMode.CONCURRENT)
class ReentrantFencedReadWriteLockTest {

  private final InMemoryProcesses processes = new InMemoryProcesses();
  private final Synchronizers one = processes.one().synchronizers();
  private final Synchronizers two = processes.one().synchronizers();
  private final ReentrantFencedReadWriteLock here = one.readWriteLock("lock").asReadWriteLock();
  private final ReentrantFencedReadWriteLock there = two.readWriteLock("lock").asReadWriteLock();

  @AfterEach
  void close() {
    processes.close();
  }

  private static <T> CompletableFuture<T> inThread(Callable<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.call();
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        },
        TestThreads.ONE_EACH);
  }

  @Test
  void threadsOfAllProcessesReadTogetherAndNoneWrites() throws Exception {
    here.readLock().lock();

    assertThat(soon(inThread(() -> here.readLock().tryLock()))).isTrue();
    assertThat(soon(inThread(() -> there.readLock().tryLock()))).isTrue();
    assertThat(soon(inThread(() -> there.writeLock().tryLock()))).isFalse();
    assertThat(soon(inThread(() -> here.writeLock().tryLock()))).isFalse();
  }

  @Test
  void aWriterIsAlone() throws Exception {
    there.writeLock().lock();
    long token = there.writeLock().token();

    assertThat(here.readLock().tryLock()).isFalse();
    assertThat(here.writeLock().tryLock()).isFalse();
    there.writeLock().unlock();

    assertThat(here.readLock().tryLock(2, SECONDS)).isTrue();
    assertThat(here.readLock().token()).isGreaterThan(token);
  }

  @Test
  void aThreadReadsSeveralTimes() throws Exception {
    here.readLock().lock();
    here.readLock().lockInterruptibly();
    assertThat(here.readLock().tryLock()).isTrue();
    assertThat(here.readLock().holdCount()).isEqualTo(3);
    here.readLock().unlock();
    here.readLock().unlock();
    assertThat(there.writeLock().tryLock()).isFalse();

    here.readLock().unlock();

    assertThat(here.readLock().holdCount()).isZero();
    assertThat(there.writeLock().tryLock()).isTrue();
    assertThatThrownBy(here.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(here.readLock()::token).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void anInterruptedThreadDoesNotReadAgain() {
    here.readLock().lock();

    Thread.currentThread().interrupt();
    assertThatThrownBy(here.readLock()::lockInterruptibly).isInstanceOf(InterruptedException.class);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> here.readLock().tryLock(1, SECONDS))
        .isInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).isFalse();
    assertThat(here.readLock().holdCount()).isOne();
  }

  @Test
  void aWaitForWritersEndsAtItsTime() throws Exception {
    here.writeLock().lock();

    CompletableFuture<Boolean> late = inThread(() -> there.readLock().tryLock(2, SECONDS));

    assertThat(processes.passUntil(late)).isFalse();
    here.writeLock().unlock();
    assertThat(there.readLock().tryLock()).isTrue();
  }

  @Test
  void aThreadDoesNotWaitForItself() throws Exception {
    here.readLock().lock();
    assertThatThrownBy(here.writeLock()::lock).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> here.writeLock().tryLock(1, SECONDS))
        .isInstanceOf(IllegalStateException.class);
    assertThat(here.writeLock().tryLock()).isFalse();
    here.readLock().unlock();

    here.writeLock().lock();
    assertThatThrownBy(here.readLock()::lock).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(here.readLock()::lockInterruptibly)
        .isInstanceOf(IllegalStateException.class);
    assertThat(here.readLock().tryLock()).isFalse();
    here.writeLock().unlock();

    assertThat(here.readLock().holdCount()).isZero();
    assertThat(there.writeLock().tryLock()).isTrue();
  }

  @Test
  void aLostReadLockIsReported() {
    here.readLock().lock();
    processes.store.down(true);
    processes.clock.leap(Duration.ofSeconds(10));

    assertThatThrownBy(here.readLock()::lock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(here.readLock()::unlock).isInstanceOf(LeaseLostException.class);

    processes.store.down(false);
    assertThat(here.readLock().holdCount()).isZero();
  }

  @Test
  void aViewIsAReadWriteLockAndTheSameEachTime() {
    FencedReadWriteLock lock = one.readWriteLock("other");

    ReadWriteLock view = lock.asReadWriteLock();

    assertThat(view).isSameAs(lock.asReadWriteLock());
    assertThatThrownBy(view.readLock()::newCondition)
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
