package io.ensemble.objects.sync;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.store.ObjectStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guarantees of synchronizers on real caches, whose servers die meanwhile. */
abstract class SynchronizersContract {

  static final int ROUNDS = 4;
  static final int MANY_ROUNDS = 10;

  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final int ROUNDS_AHEAD = 25;
  private static final int WAITS = 100;

  private static final AtomicInteger RUNS = new AtomicInteger();

  private final List<AtomicObjectFactory> factories = new ArrayList<>();

  /** One store for each of two processes. */
  abstract List<ObjectStore> stores();

  @BeforeEach
  void open() {
    stores().forEach(store -> factories.add(AtomicObjectFactory.on(store)));
  }

  @AfterEach
  void close() {
    factories.forEach(AtomicObjectFactory::close);
  }

  /** Runs all workloads concurrently: some rounds, and after each of {@code harms} some more. */
  final void playAmong(int rounds, Runnable... harms) throws InterruptedException {
    List<Synchronizers> processes = factories.stream().map(Synchronizers::on).toList();
    RUNS.incrementAndGet();
    String run = run();
    List<SynchronizerWorkload> plays = new ArrayList<>(SharedValueWorkload.all(processes, run));
    plays.add(GrantWorkload.lock(processes, run));
    plays.add(GrantWorkload.readWriteLock(processes, run));
    plays.add(GrantWorkload.semaphore(processes, run));
    plays.add(GrantWorkload.election(processes, run));
    plays.add(BarrierWorkload.barrier(processes, run));
    plays.add(BarrierWorkload.latches(processes, run));
    plays.add(QueueWorkload.of(processes, run));
    plays.forEach(SynchronizerWorkload::start);

    awaitRounds(plays, rounds);
    for (Runnable harm : harms) {
      plays.forEach(
          synchronizerWorkload ->
              synchronizerWorkload.allow(Integer.MAX_VALUE)); // The fault comes during calls.
      harm.run();
      awaitRounds(plays, rounds);
    }
    for (SynchronizerWorkload synchronizerWorkload : plays) {
      synchronizerWorkload.end();
    }

    System.out.println(plays);
    try (AtomicObjectFactory afterwards = AtomicObjectFactory.on(stores().get(1))) {
      plays.forEach(
          synchronizerWorkload -> synchronizerWorkload.judge(Synchronizers.on(afterwards)));
    }
  }

  /** The suffix of the objects' names in the current run. */
  static String run() {
    return " " + RUNS.get();
  }

  /** Clients that are ahead of others wait, and leave the processors to them. */
  private static void awaitRounds(List<SynchronizerWorkload> plays, int more) {
    int[] wanted =
        plays.stream()
            .mapToInt(synchronizerWorkload -> synchronizerWorkload.rounds() + more)
            .toArray();
    for (int i = 0; i < wanted.length; i++) {
      plays.get(i).allow(wanted[i] + ROUNDS_AHEAD);
    }
    await("rounds of every client")
        .pollInterval(10, MILLISECONDS)
        .atMost(120, SECONDS)
        .untilAsserted(
            () ->
                assertThat(IntStream.range(0, wanted.length))
                    .allMatch(i -> plays.get(i).rounds() >= wanted[i], "rounds of " + plays));
  }

  @Test
  void whatAnAbandonedProcessHeldIsLostAndTheNextHasALargerToken() throws Exception {
    UnresponsiveStore store = new UnresponsiveStore(stores().get(0));
    AtomicObjectFactory doomed = AtomicObjectFactory.on(store);
    Synchronizers there = Synchronizers.on(doomed).lease(LEASE);
    Synchronizers here = Synchronizers.on(factories.get(1));
    List<Grant> first =
        List.of(
            there.lock("held").tryAcquire().orElseThrow(),
            there.readWriteLock("written").tryAcquireToWrite().orElseThrow(),
            there.semaphore("permits", 2).tryAcquire(2).orElseThrow(),
            there.election("led").lead("there", Duration.ZERO).orElseThrow());
    List<Long> tokens = first.stream().map(Grant::token).toList();
    List<CompletableFuture<Void>> lost = new ArrayList<>();
    for (Grant grant : first) {
      CompletableFuture<Void> told = new CompletableFuture<>();
      lost.add(told);
      grant.onLost(() -> told.complete(null));
    }

    List<CompletionStage<Optional<Grant>>> next =
        List.of(
            here.lock("held").acquireAsync(LONG),
            here.readWriteLock("written").acquireToReadAsync(LONG),
            here.semaphore("permits", 2).acquireAsync(1, LONG),
            here.election("led").leadAsync("here", LONG));
    store.die(0);

    for (int i = 0; i < next.size(); i++) {
      Grant before = first.get(i);
      CompletionStage<Boolean> both =
          next.get(i).thenApply(granted -> granted.orElseThrow().isHeld() && before.isHeld());
      assertThat(soon(both)).isFalse();
      assertThat(soon(next.get(i)).orElseThrow().token()).isGreaterThan(tokens.get(i));
      soon(lost.get(i));
      assertThat(before.release()).isFalse();
    }
    assertThat(here.election("led").leader().orElseThrow().announced()).isEqualTo("here");
    Thread.currentThread().interrupt(); // so that closing does not wait for a store that is silent
    doomed.close();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void whatAProcessHeldThatWasClosedComesBackWhenItsLeaseIsOver() throws Exception {
    AtomicObjectFactory closed = AtomicObjectFactory.on(stores().get(0));
    Grant first = Synchronizers.on(closed).lease(LEASE).lock("closed").tryAcquire().orElseThrow();
    long token = first.token();

    closed.close();
    Grant next =
        soon(Synchronizers.on(factories.get(1)).lock("closed").acquireAsync(LONG)).orElseThrow();

    assertThat(next.token()).isGreaterThan(token);
    assertThat(first.isHeld()).isFalse();
    assertThat(next.isHeld()).isTrue();
  }

  /** The threads inside a blocking call of this module. */
  private static Set<Thread> threadsThatWait() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(
            thread ->
                Arrays.stream(thread.getValue())
                    .anyMatch(frame -> frame.getClassName().equals(BlockingWait.class.getName())))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  @Test
  void waitsHoldNoThread() throws Exception {
    Synchronizers here = Synchronizers.on(factories.get(0));
    Synchronizers there = Synchronizers.on(factories.get(1));
    Grant grant = here.lock("waited for").tryAcquire().orElseThrow();
    SharedLatch latch = here.latch("waited for also", 1);
    SharedQueue<Integer> queue = here.queue("waited for too", Integer.class);
    FencedLock lock = there.lock("waited for");
    SharedLatch sameLatch = there.latch("waited for also", 1);
    SharedQueue<Integer> sameQueue = there.queue("waited for too", Integer.class);
    SharedCounter counter = there.counter("not waited for");
    int threads = Thread.getAllStackTraces().size();
    Set<Thread> waitedBefore = threadsThatWait(); // Tests that ran before may have left some.

    List<CompletionStage<Boolean>> opened = new ArrayList<>();
    List<CompletionStage<Optional<Integer>>> taken = new ArrayList<>();
    List<CompletionStage<Optional<Grant>>> granted = new ArrayList<>();
    for (int i = 0; i < WAITS; i++) {
      opened.add(sameLatch.awaitZeroAsync(LONG));
      if (i % 10 == 0) {
        taken.add(sameQueue.takeAsync(LONG));
        granted.add(lock.acquireAsync(LONG));
      }
    }
    for (int i = 1; i <= 10; i++) {
      assertThat(counter.incrementAndGet()).isEqualTo(i);
    }

    assertThat(waitedBefore).containsAll(threadsThatWait());
    assertThat(Thread.getAllStackTraces().size() - threads).isLessThan(WAITS / 2);
    latch.countDown();
    for (CompletionStage<Boolean> each : opened) {
      assertThat(soon(each)).isTrue();
    }
    Set<Integer> out = new HashSet<>();
    for (int i = 0; i < taken.size(); i++) {
      queue.enqueue(i);
    }
    for (CompletionStage<Optional<Integer>> each : taken) {
      assertThat(out.add(soon(each).orElseThrow())).isTrue();
    }
    for (CompletionStage<Optional<Grant>> each : granted) {
      grant.release();
      grant = soon(each).orElseThrow();
    }
  }

  private static <T> T soon(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
