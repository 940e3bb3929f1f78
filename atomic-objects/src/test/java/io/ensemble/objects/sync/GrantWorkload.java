package io.ensemble.objects.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/** Clients that acquire grants, and record when they certainly held them. */
final class GrantWorkload extends SynchronizerWorkload {

  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final int PERMITS = 3;

  /** How a client asks for a grant. */
  interface Asking {
    Optional<Grant> ask() throws InterruptedException;
  }

  private record Held(String who, long token, int permits, long from, long to) {}

  private final int capacity;
  private final List<Held> all = Collections.synchronizedList(new ArrayList<>());
  private final Map<Long, String> leaders = Collections.synchronizedMap(new HashMap<>());

  private GrantWorkload(String name, int capacity) {
    super(name);
    this.capacity = capacity;
  }

  /** In each process, two clients that wait for the lock, and one that does not. */
  static GrantWorkload lock(List<Synchronizers> processes, String run) {
    GrantWorkload play = new GrantWorkload("lock", 1);
    FencingGuard fence = new FencingGuard();
    for (Synchronizers process : processes) {
      FencedLock lock = process.lock("lock" + run);
      play.holder("first", 1, fence::admits, () -> lock.acquire(WAIT));
      play.holder("second", 1, fence::admits, () -> lock.acquire(WAIT));
      play.holder("third", 1, fence::admits, lock::tryAcquire);
    }
    return play;
  }

  /** A reader and a writer in each process. */
  static GrantWorkload readWriteLock(List<Synchronizers> processes, String run) {
    GrantWorkload play = new GrantWorkload("read-write lock", FencedReadWriteLock.ALL);
    FencingGuard fence = new FencingGuard();
    for (Synchronizers process : processes) {
      FencedReadWriteLock lock = process.readWriteLock("read-write lock" + run);
      play.holder("reader", 1, fence::admitsShared, () -> lock.acquireToRead(WAIT));
      play.holder(
          "writer", FencedReadWriteLock.ALL, fence::admits, () -> lock.acquireToWrite(WAIT));
    }
    return play;
  }

  /** In each process, a client for one permit and a client for two. */
  static GrantWorkload semaphore(List<Synchronizers> processes, String run) {
    GrantWorkload play = new GrantWorkload("semaphore", PERMITS);
    for (Synchronizers process : processes) {
      FencedSemaphore semaphore = process.semaphore("semaphore" + run, PERMITS);
      play.holder("one", 1, token -> true, () -> semaphore.acquire(WAIT));
      play.holder("two", 2, token -> true, () -> semaphore.acquire(2, WAIT));
    }
    return play;
  }

  /** A candidate and an observer in each process. */
  static GrantWorkload election(List<Synchronizers> processes, String run) {
    GrantWorkload play = new GrantWorkload("election", 1);
    FencingGuard fence = new FencingGuard();
    for (Synchronizers process : processes) {
      LeaderElection election = process.election("election" + run);
      String announced = "candidate " + processes.indexOf(process);
      play.holder(announced, 1, fence::admits, () -> election.lead(announced, WAIT));
      play.observer(election);
    }
    return play;
  }

  private void holder(String who, int permits, LongPredicate admits, Asking asking) {
    client(
        () -> {
          Optional<Grant> granted = asking.ask();
          if (granted.isPresent()) {
            try (Grant grant = granted.get()) {
              hold(who, permits, admits, grant);
            }
          }
          return true;
        });
  }

  private void hold(String who, int permits, LongPredicate admits, Grant grant)
      throws InterruptedException {
    long from = System.nanoTime();
    long token = grant.token();
    if (!admits.test(token) && grant.isHeld()) {
      throw new AssertionError("a holder is kept out: " + grant);
    }
    pause();
    long to = System.nanoTime();
    all.add(new Held(who, token, permits, from, grant.isHeld() ? to : from));
  }

  private void observer(LeaderElection election) {
    long[] last = {0};
    client(
        () -> {
          Optional<LeaderElection.Leader> leader = election.leader();
          if (leader.isPresent()) {
            long token = leader.get().token();
            assertThat(token).isGreaterThanOrEqualTo(last[0]);
            last[0] = token;
            leaders.put(token, leader.get().announced());
          }
          pause();
          return leader.isPresent();
        });
  }

  @Override
  void judge(Synchronizers afterwards) {
    List<Held> inOrder = new ArrayList<>(all);
    inOrder.sort(Comparator.comparingLong(Held::from));
    assertThat(inOrder).as(name()).isNotEmpty();
    for (int i = 0; i < inOrder.size(); i++) {
      Held later = inOrder.get(i);
      int held = later.permits;
      for (Held earlier : inOrder.subList(0, i)) {
        held += earlier.to >= later.from ? earlier.permits : 0;
        if (earlier.permits + later.permits > capacity) {
          assertThat(later.token).as("%s after %s", later, earlier).isGreaterThan(earlier.token);
        }
      }
      assertThat(held).as("%s, held when %s began", name(), later).isLessThanOrEqualTo(capacity);
    }
    for (Held one : inOrder) {
      assertThat(leaders.getOrDefault(one.token, one.who)).isEqualTo(one.who);
    }
  }
}
