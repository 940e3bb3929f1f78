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
import io.ensemble.objects.sync.permit.PermitHolder;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.permit.WaitQueueFullException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class FencedLockTest {

  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration LEASE = Duration.ofSeconds(10);

  private final InMemoryProcesses processes = new InMemoryProcesses();
  private final Process a = processes.one();
  private final Process b = processes.one();
  private final Process c = processes.one();

  @AfterEach
  void close() {
    processes.close();
  }

  private static FencedLock lock(Process process) {
    return process.synchronizers().lock("lock");
  }

  @Test
  void oneHasItAndOthersDoNot() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();

    assertThat(lock(b).tryAcquire()).isEmpty();
    assertThat(lock(a).tryAcquire()).isEmpty();
    assertThat(grant.release()).isTrue();
    assertThat(lock(b).tryAcquire()).isPresent();
  }

  @Test
  void itProtectsWhatIsNotAtomicAndTokensGrow() throws Exception {
    processes.store.faults(3);
    long[] counter = {0};
    FencingGuard fence = new FencingGuard();
    List<Long> tokens = new ArrayList<>();
    List<CompletableFuture<?>> workers = new ArrayList<>();

    for (Process process : List.of(a, b, c)) {
      FencedLock lock = lock(process);
      workers.add(
          CompletableFuture.runAsync(
              () -> count(lock, counter, fence, tokens), TestThreads.ONE_EACH));
    }
    processes.passUntil(CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)));
    processes.store.faults(0);

    workers.forEach(CompletableFuture::join);
    assertThat(counter[0]).isEqualTo(60);
    assertThat(tokens).hasSize(60).isSorted().doesNotHaveDuplicates();
  }

  private static void count(
      FencedLock lock, long[] counter, FencingGuard fence, List<Long> tokens) {
    for (int done = 0; done < 20; ) {
      try (Grant grant = lock.acquire(LONG).orElseThrow()) {
        if (fence.admits(grant.token())) {
          long before = counter[0];
          Thread.yield();
          counter[0] = before + 1;
          tokens.add(grant.token());
          done++;
        }
      } catch (AtomicObjectException | LeaseLostException e) {
        // Try again.
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void aHolderThatDiesIsReplacedAfterItsLeaseAndNotBefore() throws Exception {
    Grant first = lock(a).tryAcquire().orElseThrow();
    long died = processes.clock.now();
    a.die();
    CompletionStage<Long> replaced =
        lock(b).acquireAsync(LONG).thenApply(g -> processes.clock.now());

    processes.pass(LEASE);
    assertThat(replaced.toCompletableFuture()).isNotDone();
    long at = processes.passUntil(replaced);

    assertThat(Duration.ofNanos(at - died))
        .isBetween(LEASE.multipliedBy(11).dividedBy(10), LEASE.multipliedBy(2));
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void whoNeverWaitsReplacesADeadHolderToo() throws Exception {
    assertThat(lock(a).tryAcquire()).isPresent();
    a.die();
    FencedLock trying = lock(b);

    assertThat(trying.tryAcquire()).isEmpty();
    processes.pass(Duration.ofMillis(10_900));
    assertThat(trying.tryAcquire()).isEmpty();
    processes.pass(Duration.ofMillis(200));

    assertThat(trying.tryAcquire()).isPresent();
  }

  @Test
  void aHolderThatLivesKeepsItByRenewing() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();
    CompletionStage<Optional<Grant>> waiting = lock(b).acquireAsync(LONG);

    processes.pass(LEASE.multipliedBy(5));

    assertThat(grant.isHeld()).isTrue();
    assertThat(waiting.toCompletableFuture()).isNotDone();
    assertThat(grant.release()).isTrue();
    assertThat(soon(waiting).orElseThrow().token()).isGreaterThan(0);
  }

  @Test
  void aHolderThatIsCutOffLosesItAndIsTold() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();
    AtomicInteger told = new AtomicInteger();
    CompletableFuture<Void> first = new CompletableFuture<>();
    grant.onLost(told::incrementAndGet);
    grant.onLost(() -> first.complete(null));
    processes.store.down(true);

    processes.clock.leap(LEASE.dividedBy(2));
    assertThat(grant.isHeld()).isTrue();
    processes.clock.leap(LEASE.dividedBy(2));
    soon(first);
    processes.settle();
    assertThat(grant.isHeld()).isFalse();
    assertThatThrownBy(grant::token)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("its lease ended");
    assertThatThrownBy(grant::checkHeld).isInstanceOf(IllegalStateException.class);
    assertThat(grant.release()).isFalse();
    assertThat(told).hasValue(1);
    processes.store.down(false);
  }

  @Test
  void aLostLockIsToldOnceAndReleasedForNobodyElse() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();
    AtomicInteger told = new AtomicInteger();
    CompletableFuture<Void> lost = new CompletableFuture<>();
    grant.onLost(told::incrementAndGet);
    grant.onLost(() -> lost.complete(null));
    CompletionStage<Optional<Grant>> next = lock(b).acquireAsync(LONG);
    PermitState state = state(c);
    processes.pass(Duration.ofSeconds(1));

    PermitHolder holder = state.holders().get(0); // c expires the lease, as if a had not renewed it
    assertThat(state.expire(holder.request(), holder.token(), holder.renewals())).isTrue();
    Grant second = soon(next).orElseThrow();
    processes.passUntil(lost);
    processes.settle();

    assertThat(grant.isHeld()).isFalse();
    assertThat(grant.release()).isFalse();
    assertThat(second.isHeld()).isTrue();
    assertThat(second.token()).isGreaterThan(holder.token());
    assertThat(told).hasValue(1);
    CompletableFuture<Void> late = new CompletableFuture<>();
    grant.onLost(() -> late.complete(null));
    soon(late);
    assertThat(lock(c).tryAcquire()).isEmpty();
  }

  @Test
  void whoAsksFirstGetsItFirst() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();
    PermitState state = state(c);
    List<CompletionStage<Optional<Grant>>> line = new ArrayList<>();
    for (Process process : List.of(b, c, b, a)) {
      line.add(lock(process).acquireAsync(LONG));
      int length = line.size();
      await()
          .pollInterval(5, MILLISECONDS)
          .atMost(60, SECONDS)
          .until(() -> state.waiting() == length);
    }

    for (CompletionStage<Optional<Grant>> next : line) {
      assertThat(line.stream().filter(s -> s.toCompletableFuture().isDone()).count())
          .isEqualTo(line.indexOf(next));
      grant.release();
      grant = soon(next).orElseThrow();
    }
  }

  @Test
  void anEndedWaitLeavesNothingBehind() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();
    PermitState state = state(c);

    CompletionStage<Optional<Grant>> late = lock(b).acquireAsync(Duration.ofSeconds(2));
    assertThat(processes.passUntil(late)).isEmpty();
    assertThat(state.waiting()).isZero();

    CompletableFuture<Optional<Grant>> cancelled = lock(b).acquireAsync(LONG).toCompletableFuture();
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> state.waiting() == 1);
    cancelled.cancel(false);
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> state.waiting() == 0);

    FencedLock closing = lock(b);
    CompletableFuture<Optional<Grant>> closed = closing.acquireAsync(LONG).toCompletableFuture();
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> state.waiting() == 1);
    closing.close();
    assertThat(state.waiting()).isZero();
    assertThat(closed).isCancelled();

    Thread waiting = interrupted(lock(b), state);
    waiting.join(60_000);
    assertThat(waiting.isAlive()).isFalse();
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> state.waiting() == 0);
    assertThat(grant.release()).isTrue();
    assertThat(state.available()).isEqualTo(1);
    processes.pass(Duration.ofSeconds(3));
    assertThat(processes.clock.alarms()).isZero();
  }

  private static Thread interrupted(FencedLock lock, PermitState state) {
    Thread waiting =
        new Thread(
            () -> {
              try {
                lock.acquire(LONG);
              } catch (InterruptedException e) {
                return;
              }
              throw new AssertionError("not interrupted");
            });
    waiting.setDaemon(true);
    waiting.start();
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> state.waiting() == 1);
    waiting.interrupt();
    return waiting;
  }

  @Test
  void closingAHandleGivesBackWhatItWasGranted() throws Exception {
    FencedLock lock = lock(a);
    Grant grant = lock.tryAcquire().orElseThrow();

    lock.close();

    assertThat(grant.isHeld()).isFalse();
    assertThat(lock(b).tryAcquire()).isPresent();
  }

  @Test
  void closingTheFactoryEndsWaits() throws Exception {
    assertThat(lock(a).tryAcquire()).isPresent();
    PermitState state = state(a);
    CompletionStage<Optional<Grant>> waiting = lock(b).acquireAsync(LONG);
    await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> state.waiting() == 1);

    b.factory().close();

    assertThatThrownBy(() -> soon(waiting)).isInstanceOf(ExecutionException.class);
  }

  @Test
  void tokensGrowOverTheLivesOfTheName() throws Exception {
    Grant before = lock(a).tryAcquire().orElseThrow();
    long token = before.token();

    c.factory().dispose("lock");
    Grant after = lock(b).tryAcquire().orElseThrow();

    assertThat(after.token()).isGreaterThan(token);
    CompletableFuture<Void> lost = new CompletableFuture<>();
    before.onLost(() -> lost.complete(null));
    processes.passUntil(lost);
    assertThat(before.isHeld()).isFalse();
    assertThat(after.isHeld()).isTrue();
  }

  @Tag("nightly")
  @Test
  void aFullQueueOfLiveRequestsRefusesAFurtherOne() throws Exception {
    assertThat(lock(a).tryAcquire()).isPresent();
    PermitState state = fillQueue();

    CompletableFuture<Optional<Grant>> beyond = lock(b).acquireAsync(LONG).toCompletableFuture();
    for (int i = 0; i < 20 && !beyond.isDone(); i++) {
      processes.pass(LEASE.dividedBy(2));
      for (int j = 0; j < PermitState.MOST_WAITING; j++) {
        state.stay(new UUID(1, j));
      }
    }

    assertThat(beyond)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .withRootCauseInstanceOf(WaitQueueFullException.class);
    assertThat(state.waiting()).isEqualTo(PermitState.MOST_WAITING);
  }

  @Test
  void aTimedLockIsNotAcquiredIfTheQueueIsFull() throws Exception {
    assertThat(lock(a).tryAcquire()).isPresent();
    fillQueue();
    FencedLock full = lock(b);

    CompletionStage<Optional<Grant>> late = full.acquireAsync(Duration.ofMillis(1));
    assertThatThrownBy(() -> processes.passUntil(late))
        .hasRootCauseInstanceOf(WaitQueueFullException.class);
    CompletableFuture<Boolean> locked =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return full.asLock().tryLock(1, MILLISECONDS);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            },
            TestThreads.ONE_EACH);
    assertThat(processes.passUntil(locked)).isFalse();
    assertThat(full.asLock().holdCount()).isZero();
  }

  @Test
  void aFullQueueOfDeadRequestsRefusesNobody() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();
    PermitState state = fillQueue();

    CompletionStage<Optional<Grant>> beyond = lock(b).acquireAsync(LONG);
    processes.pass(LEASE.multipliedBy(4));
    assertThat(state.waiting()).isEqualTo(1);
    grant.release();

    assertThat(soon(beyond)).isPresent();
  }

  @Test
  void deadRequestsInAQueueLeaveItTogether() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();
    FencedLock ofDead = lock(b);
    PermitState state = state(c);
    for (int i = 1; i <= 6; i++) {
      ofDead.acquireAsync(LONG);
      awaitWaiting(state, i);
    }
    CompletionStage<Optional<Grant>> behind = lock(c).acquireAsync(LONG);
    awaitWaiting(state, 7);
    b.die();

    processes.pass(LEASE.multipliedBy(3));
    assertThat(state.waiting()).isEqualTo(1);
    grant.release();

    assertThat(soon(behind)).isPresent();
  }

  @Test
  void aRequestOfOneWaitingProcessCostsNoRounds() throws Exception {
    assertThat(lock(a).tryAcquire()).isPresent();
    lock(b).acquireAsync(LONG);
    PermitState state = state(c);
    awaitWaiting(state, 1);

    processes.pass(LEASE.multipliedBy(4));

    assertThat(state.look(new UUID(0, 0)).round().number()).isZero();
  }

  private PermitState fillQueue() {
    PermitState state = state(c);
    for (int i = 0; i < PermitState.MOST_WAITING; i++) {
      state.ask(new UUID(1, i), 1, LEASE.toMillis(), true, "");
    }
    return state;
  }

  private static void awaitWaiting(PermitState state, int number) {
    await()
        .pollInterval(5, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> state.waiting() == number);
  }

  @Test
  void whatHoldsNothingCostsNoAlarm() throws Exception {
    Grant grant = lock(a).tryAcquire().orElseThrow();
    assertThat(processes.clock.alarms()).isEqualTo(2);

    grant.close();

    assertThat(processes.clock.alarms()).isZero();
  }

  private static PermitState state(Process process) {
    return ((FactoryLink<PermitState>) process.synchronizers().claims("lock", "lock", 1).link())
        .proxy();
  }
}
