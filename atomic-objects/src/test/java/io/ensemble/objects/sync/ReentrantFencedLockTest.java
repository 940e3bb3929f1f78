package io.ensemble.objects.sync;

import static io.ensemble.objects.sync.InMemoryProcesses.soon;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract of {@code java.util.concurrent.locks.Lock}, among threads and processes. */
@Execution(ExecutionMode.CONCURRENT)
class ReentrantFencedLockTest {

  private final InMemoryProcesses processes = new InMemoryProcesses();
  private final Synchronizers one = processes.one().synchronizers();
  private final Synchronizers two = processes.one().synchronizers();
  private final ReentrantFencedLock here = one.lock("lock").asLock();
  private final ReentrantFencedLock there = two.lock("lock").asLock();

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void aThreadAcquiresItSeveralTimes() {
    here.lock();
    long token = here.token();
    assertThat(here.tryLock()).isTrue();
    here.lock();
    assertThat(here.holdCount()).isEqualTo(3);
    assertThat(here.token()).isEqualTo(token);
    here.unlock();
    here.unlock();
    assertThat(there.tryLock()).isFalse();

    here.unlock();

    assertThat(here.holdCount()).isZero();
    assertThat(there.tryLock()).isTrue();
    assertThat(there.token()).isGreaterThan(token);
  }

  @Test
  void itExcludesThreadsOfAllProcesses() {
    long[] counter = {0};
    List<CompletableFuture<Void>> workers = new ArrayList<>();
    for (ReentrantFencedLock lock : List.of(here, here, there, there)) {
      workers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 10; i++) {
                  lock.lock();
                  try {
                    long before = counter[0];
                    Thread.yield();
                    counter[0] = before + 1;
                  } finally {
                    lock.unlock();
                  }
                }
              },
              TestThreads.ONE_EACH));
    }
    processes.passUntil(CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)));

    workers.forEach(CompletableFuture::join);
    assertThat(counter[0]).isEqualTo(40);
  }

  @Test
  void onlyItsThreadReleasesIt() throws Exception {
    assertThatThrownBy(here::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(here::token).isInstanceOf(IllegalMonitorStateException.class);
    here.lock();

    CompletableFuture<Boolean> other =
        CompletableFuture.supplyAsync(
            () -> {
              assertThatThrownBy(here::unlock).isInstanceOf(IllegalMonitorStateException.class);
              return here.tryLock();
            },
            TestThreads.ONE_EACH);

    assertThat(soon(other)).isFalse();
    here.unlock();
  }

  @Test
  void aWaitEndsAtItsTime() throws Exception {
    here.lock();

    CompletableFuture<Boolean> late =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return there.tryLock(2, SECONDS);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            },
            TestThreads.ONE_EACH);

    assertThat(processes.passUntil(late)).isFalse();
    assertThat(there.holdCount()).isZero();
    here.unlock();
    assertThat(there.tryLock(2, SECONDS)).isTrue();
  }

  @Test
  void anInterruptEndsAnInterruptibleWait() throws Exception {
    here.lock();
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread waiting =
        new Thread(
            () -> {
              try {
                there.lockInterruptibly();
              } catch (InterruptedException e) {
                interrupted.set(true);
              }
            });
    waiting.setDaemon(true);
    waiting.start();
    await()
        .pollInterval(5, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> waiting.getState() == Thread.State.WAITING);

    waiting.interrupt();
    waiting.join(60_000);

    assertThat(interrupted).isTrue();
    here.unlock();
    processes.settle(); // The interrupted request leaves the queue after the wait has ended.
    assertThat(here.tryLock()).isTrue();
  }

  @Test
  void aRevokedLockIsReportedAndCanBeAcquiredAgain() throws Exception {
    here.lock();
    here.lock();
    long token = here.token();
    long fence = soon(two.namedLock("lock").revokeAsync(token)).orElseThrow();

    assertThat(fence).isGreaterThan(token);
    assertThat(soon(two.namedLock("lock").revokeAsync(token))).isEmpty();
    here.unlock();
    assertThatThrownBy(here::unlock).isInstanceOf(LeaseLostException.class);
    assertThat(here.holdCount()).isZero();
    assertThat(here.tryLock()).isTrue();
    assertThat(here.token()).isGreaterThanOrEqualTo(fence);
  }

  @Test
  void aLostLockIsNotEnteredAgain() {
    here.lock();
    processes.store.down(true);
    processes.clock.leap(Duration.ofSeconds(10));

    assertThatThrownBy(here::lock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(here::token).isInstanceOf(LeaseLostException.class);
    assertThat(here.holdCount()).isEqualTo(1);
    assertThatThrownBy(here::unlock).isInstanceOf(LeaseLostException.class);

    processes.store.down(false);
    assertThat(here.holdCount()).isZero();
  }

  @Test
  void itHasNoConditions() {
    assertThatThrownBy(here::newCondition).isInstanceOf(UnsupportedOperationException.class);
  }
}
