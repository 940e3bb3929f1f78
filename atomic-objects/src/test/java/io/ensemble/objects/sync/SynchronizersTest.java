package io.ensemble.objects.sync;

import static io.ensemble.objects.sync.InMemoryProcesses.soon;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.sync.InMemoryProcesses.Process;
import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.state.BarrierState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Read-write lock, semaphore, latch, barrier and election. */
@Execution(ExecutionMode.CONCURRENT)
class SynchronizersTest {

  private static final Duration LONG = Duration.ofHours(1);

  private final InMemoryProcesses processes = new InMemoryProcesses();
  private final Process a = processes.one();
  private final Process b = processes.one();
  private final Process c = processes.one();

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void aCopyForExistingObjectsCreatesNone() {
    Synchronizers existing = b.synchronizers().lease(LONG).existing().with(String.class);
    assertThatThrownBy(() -> existing.counter("counter"))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);
    assertThatThrownBy(() -> existing.namedLock("lock"))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);
    assertThatThrownBy(() -> existing.counter("counter"))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);

    a.synchronizers().counter("counter").set(5);

    assertThat(existing.counter("counter").get()).isEqualTo(5);
    assertThatThrownBy(() -> existing.namedLock("counter"))
        .isInstanceOf(AtomicObjectException.OtherType.class);
  }

  @Test
  void manyReadOrOneWrites() throws Exception {
    FencedReadWriteLock here = a.synchronizers().readWriteLock("lock");
    FencedReadWriteLock there = b.synchronizers().readWriteLock("lock");

    Grant first = here.tryAcquireToRead().orElseThrow();
    Grant second = there.tryAcquireToRead().orElseThrow();
    assertThat(second.token()).isGreaterThan(first.token());
    assertThat(there.tryAcquireToWrite()).isEmpty();
    first.release();
    second.release();
    try (Grant writing = there.tryAcquireToWrite().orElseThrow()) {
      assertThat(here.tryAcquireToRead()).isEmpty();
      assertThat(here.tryAcquireToWrite()).isEmpty();
      assertThat(writing.token()).isGreaterThan(0);
    }
    assertThat(here.tryAcquireToRead()).isPresent();
  }

  @Test
  void readersWaitBehindAWriter() throws Exception {
    FencedReadWriteLock here = a.synchronizers().readWriteLock("lock");
    FencedReadWriteLock there = b.synchronizers().readWriteLock("lock");
    PermitState state = permits(c, "read-write lock", "lock", FencedReadWriteLock.ALL);
    Grant reading = here.tryAcquireToRead().orElseThrow();

    CompletionStage<Optional<Grant>> writer = there.acquireToWriteAsync(LONG);
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> state.waiting() == 1);
    List<CompletionStage<Optional<Grant>>> readers =
        List.of(here.acquireToReadAsync(LONG), there.acquireToReadAsync(LONG));
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> state.waiting() == 3);
    assertThat(here.tryAcquireToRead()).isEmpty();

    reading.release();
    Grant writing = soon(writer).orElseThrow();
    assertThat(readers).noneMatch(r -> r.toCompletableFuture().isDone());
    writing.release();
    for (CompletionStage<Optional<Grant>> reader : readers) {
      assertThat(soon(reader).orElseThrow().isHeld()).isTrue();
    }
  }

  @Test
  void aReaderThatDiesLetsTheWriterIn() throws Exception {
    assertThat(a.synchronizers().readWriteLock("lock").tryAcquireToRead()).isPresent();
    Grant living = b.synchronizers().readWriteLock("lock").tryAcquireToRead().orElseThrow();
    a.die();
    CompletionStage<Optional<Grant>> writer =
        c.synchronizers().readWriteLock("lock").acquireToWriteAsync(LONG);

    processes.pass(Duration.ofSeconds(20));
    assertThat(living.isHeld()).isTrue();
    assertThat(writer.toCompletableFuture()).isNotDone();
    living.release();

    assertThat(processes.passUntil(writer)).isPresent();
  }

  @Test
  void aSemaphoreHasSoManyPermits() throws Exception {
    FencedSemaphore here = a.synchronizers().semaphore("semaphore", 3);
    FencedSemaphore there = b.synchronizers().semaphore("semaphore", 3);

    Grant two = here.tryAcquire(2).orElseThrow();
    assertThat(there.tryAcquire(2)).isEmpty();
    Grant one = there.tryAcquire(1).orElseThrow();
    assertThat(here.available()).isZero();
    two.release();
    assertThat(there.acquire(2, Duration.ZERO)).isPresent();
    one.release();
    assertThat(there.available()).isEqualTo(1);
    assertThat(here.acquire(Duration.ofSeconds(1))).isPresent();
  }

  @Test
  void whatADeadHolderHeldComesBack() throws Exception {
    assertThat(a.synchronizers().semaphore("semaphore", 2).tryAcquire(2)).isPresent();
    a.die();

    Optional<Grant> one =
        processes.passUntil(b.synchronizers().semaphore("semaphore", 2).acquireAsync(1, LONG));

    assertThat(one).isPresent();
    assertThat(c.synchronizers().semaphore("semaphore", 2).available()).isEqualTo(1);
  }

  @Test
  void aLatchOpensWhenItIsCountedDown() throws Exception {
    SharedLatch latch = a.synchronizers().latch("latch", 3);
    SharedLatch other = b.synchronizers().latch("latch", 3);
    UUID work = UUID.randomUUID();
    CompletionStage<Boolean> late = other.awaitZeroAsync(Duration.ofSeconds(1));
    CompletionStage<Boolean> open = other.awaitZeroAsync(LONG);

    assertThat(latch.countDown()).isEqualTo(2);
    assertThat(latch.countDown(work)).isEqualTo(1);
    assertThat(other.countDown(work)).isEqualTo(1);
    assertThat(processes.passUntil(late)).isFalse();
    assertThat(open.toCompletableFuture()).isNotDone();
    assertThat(other.countDown()).isZero();

    assertThat(processes.passUntil(open)).isTrue();
    assertThat(latch.countDown()).isZero();
    assertThat(latch.awaitZero(Duration.ZERO)).isTrue();
    assertThat(latch.count()).isZero();
  }

  @Test
  void aBarrierLetsGenerationAfterGenerationPass() throws Exception {
    List<SharedBarrier> barriers =
        List.of(
            a.synchronizers().barrier("barrier", 3),
            b.synchronizers().barrier("barrier", 3),
            c.synchronizers().barrier("barrier", 3));
    for (int generation = 0; generation < 5; generation++) {
      List<CompletableFuture<Integer>> arrivals = new ArrayList<>();
      barriers.subList(0, 2).forEach(x -> arrivals.add(x.arriveAsync(LONG).toCompletableFuture()));
      await()
          .pollInterval(5, MILLISECONDS)
          .atMost(60, SECONDS)
          .until(() -> barriers.get(2).waiting() == 2);
      assertThat(arrivals).noneMatch(CompletableFuture::isDone);

      assertThat(barriers.get(2).arrive(LONG)).isZero();

      List<Integer> indices = new ArrayList<>();
      for (CompletableFuture<Integer> arrival : arrivals) {
        indices.add(processes.passUntil(arrival));
      }
      assertThat(indices).containsExactlyInAnyOrder(1, 2);
    }
  }

  @Test
  void whoLeavesABarrierBreaksItUntilItIsReset() throws Exception {
    SharedBarrier here = a.synchronizers().barrier("barrier", 3);
    SharedBarrier there = b.synchronizers().barrier("barrier", 3);
    CompletableFuture<Integer> waiting = here.arriveAsync(LONG).toCompletableFuture();
    CompletableFuture<Integer> late =
        there.arriveAsync(Duration.ofSeconds(1)).toCompletableFuture();

    processes.passUntil(late.handle((index, failure) -> index));
    processes.passUntil(waiting.handle((index, failure) -> index));
    assertThatThrownBy(late::join).hasCauseInstanceOf(TimeoutException.class);
    assertThatThrownBy(waiting::join).hasCauseInstanceOf(BrokenBarrierException.class);
    assertThat(there.isBroken()).isTrue();
    assertThatThrownBy(() -> there.arrive(LONG)).isInstanceOf(BrokenBarrierException.class);

    there.reset();
    assertThat(here.isBroken()).isFalse();
    CompletableFuture<Integer> cut = here.arriveAsync(LONG).toCompletableFuture();
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> there.waiting() == 1);
    there.reset();
    processes.passUntil(cut.handle((index, failure) -> index));
    assertThatThrownBy(cut::join).hasCauseInstanceOf(BrokenBarrierException.class);
    assertThatThrownBy(() -> there.arrive(0, SECONDS)).isInstanceOf(TimeoutException.class);
    assertThat(here.isBroken()).isTrue();
  }

  @Test
  void aCancelledPartyBreaksTheBarrier() throws Exception {
    SharedBarrier here = a.synchronizers().barrier("barrier", 3);
    SharedBarrier there = b.synchronizers().barrier("barrier", 3);
    CompletableFuture<Integer> waiting = here.arriveAsync(LONG).toCompletableFuture();
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> there.waiting() == 1);

    waiting.cancel(false);

    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(there::isBroken);
  }

  @Test
  void aBarrierRemembersWhoAskedBefore() {
    BarrierState state = new BarrierState(2);
    UUID first = new UUID(0, 1);
    UUID second = new UUID(0, 2);

    assertThat(state.arrive(first).fate()).isEqualTo(BarrierState.Fate.WAITS);
    assertThat(state.arrive(first).index()).isEqualTo(1);
    assertThat(state.arrive(second)).isEqualTo(passed(0));
    assertThat(state.arrive(first)).isEqualTo(passed(1));
    assertThat(state.arrive(second)).isEqualTo(passed(0));
    assertThat(state.leave(first)).isEqualTo(passed(1));
    assertThat(state.waiting()).isZero();
    assertThat(state.isBroken()).isFalse();
  }

  private static BarrierState.Arrival passed(int index) {
    return new BarrierState.Arrival(BarrierState.Fate.PASSED, index);
  }

  @Test
  void theNextCandidateSucceedsALeaderThatDies() throws Exception {
    LeaderElection here = a.synchronizers().election("election");
    LeaderElection there = b.synchronizers().election("election");
    LeaderElection observer = c.synchronizers().election("election");
    assertThat(observer.leader()).isEmpty();

    Grant first = here.lead("at a", LONG).orElseThrow();
    long token = first.token();
    CompletionStage<Optional<Grant>> second = there.leadAsync("at b", LONG);
    processes.pass(Duration.ofSeconds(30));
    assertThat(observer.leader()).contains(new LeaderElection.Leader("at a", token));
    assertThat(second.toCompletableFuture()).isNotDone();
    a.die();
    Grant successor = processes.passUntil(second).orElseThrow();

    assertThat(successor.token()).isGreaterThan(token);
    assertThat(first.isHeld()).isFalse();
    assertThat(observer.leader()).map(LeaderElection.Leader::announced).contains("at b");
    successor.release();
    assertThat(observer.leader()).isEmpty();
  }

  @Test
  void aFenceKeepsOldGrantsOut() {
    FencingGuard fence = new FencingGuard();

    assertThat(fence.admits(5)).isTrue();
    assertThat(fence.admits(5)).isTrue();
    assertThat(fence.admits(4)).isFalse();
    assertThat(fence.admitsShared(4)).isFalse();
    assertThat(fence.admitsShared(8)).isTrue();
    assertThat(fence.admitsShared(7)).isTrue();
    assertThat(fence.admits(6)).isFalse();
    assertThat(fence.admits(9)).isTrue();
    assertThat(fence.admitsShared(8)).isFalse();
  }

  private static PermitState permits(Process process, String kind, String name, int permits) {
    return ((FactoryLink<PermitState>) process.synchronizers().claims(name, kind, permits).link())
        .proxy();
  }
}
