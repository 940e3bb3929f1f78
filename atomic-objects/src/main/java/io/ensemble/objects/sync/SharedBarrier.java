package io.ensemble.objects.sync;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.sync.link.ObjectLink;
import io.ensemble.objects.sync.state.BarrierState;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * Lets so many parties go on when all have arrived, again and again. As {@link
 * java.util.concurrent.CyclicBarrier}: one that leaves without the others, because its time is up
 * or it is interrupted, breaks it for all, until somebody resets it. A party whose process dies
 * while it waits has arrived; the others' time limits are for the party that dies before.
 * Thread-safe.
 */
public final class SharedBarrier implements AutoCloseable {

  private final ObjectLink<BarrierState> link;
  private final int parties;

  SharedBarrier(ObjectLink<BarrierState> link, int parties) {
    this.link = link;
    this.parties = parties;
  }

  /** How many it takes. */
  public int parties() {
    return parties;
  }

  /** How many wait. One read. */
  public int waiting() {
    return BlockingWait.toItsEnd(link.call(BarrierState::waiting));
  }

  /** Whether all who arrive are told that it is broken. One read. */
  public boolean isBroken() {
    return BlockingWait.toItsEnd(link.call(BarrierState::isBroken));
  }

  /** Breaks it for who waits now, and mends it for who comes then. One call. */
  public void reset() {
    BlockingWait.toItsEnd(resetAsync());
  }

  /** As {@link #reset}, without waiting. */
  public CompletionStage<?> resetAsync() {
    return link.run(s -> s.reset());
  }

  /**
   * Waits for the others. One call, and a read whenever the barrier changes.
   *
   * @return how many were still missing on arrival: zero for the last
   * @throws BrokenBarrierException if another one left, or it is or was reset or broken
   * @throws TimeoutException if the time is up; the barrier is broken then
   */
  public int arrive(Duration atMost)
      throws InterruptedException, BrokenBarrierException, TimeoutException {
    CompletableFuture<Integer> arrived = new Arriving(link, atMost).begin();
    try {
      return BlockingWait.of(arrived);
    } catch (InterruptedException e) {
      arrived.cancel(false);
      throw e;
    } catch (CompletionException e) {
      if (e.getCause() instanceof BrokenBarrierException broken) {
        throw broken;
      }
      if (e.getCause() instanceof TimeoutException late) {
        throw late;
      }
      throw e;
    }
  }

  /** As {@link #arrive}, without a thread that waits. Cancelling the future breaks the barrier. */
  public CompletionStage<Integer> arriveAsync(Duration atMost) {
    return new Arriving(link, atMost).begin();
  }

  @Override
  public void close() {
    link.close();
  }

  private static final class Arriving extends AsyncWait<BarrierState, Integer> {

    private final ObjectLink<BarrierState> barrier;
    private final UUID request = UUID.randomUUID();
    private boolean arrived;
    private volatile boolean over;

    Arriving(ObjectLink<BarrierState> barrier, Duration atMost) {
      super(barrier, atMost);
      this.barrier = barrier;
    }

    @Override
    CompletionStage<Optional<Integer>> look() {
      return (arrived ? barrier.call(s -> s.look(request)) : barrier.call(s -> s.arrive(request)))
          .thenCompose(this::heard);
    }

    private CompletionStage<Optional<Integer>> heard(BarrierState.Arrival arrival) {
      arrived = true;
      over = arrival.fate() != BarrierState.Fate.WAITS;
      return switch (arrival.fate()) {
        case WAITS -> CompletableFuture.completedFuture(Optional.empty());
        case PASSED -> CompletableFuture.completedFuture(Optional.of(arrival.index()));
        case BROKEN, UNKNOWN -> CompletableFuture.failedFuture(broken());
      };
    }

    private BrokenBarrierException broken() {
      return new BrokenBarrierException("the barrier is broken; object=" + barrier);
    }

    @Override
    boolean mayBeThere(BarrierState told) {
      return told.look(request).fate() != BarrierState.Fate.WAITS;
    }

    @Override
    CompletionStage<Integer> timeUp() {
      return barrier
          .call(s -> s.leave(request))
          .thenCompose(
              left -> {
                over = true;
                return left.fate() == BarrierState.Fate.PASSED
                    ? CompletableFuture.completedFuture(left.index())
                    : CompletableFuture.failedFuture(
                        new TimeoutException("not all parties arrived in time; object=" + barrier));
              });
    }

    @Override
    void abandoned() {
      if (!over) {
        barrier.call(s -> s.leave(request)).exceptionally(e -> null);
      }
    }

    @Override
    void undelivered(Integer value) {}
  }
}
