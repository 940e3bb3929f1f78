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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A barrier that opens when all parties have arrived, again and again, as {@link
 * java.util.concurrent.CyclicBarrier}. A party that leaves early, because its time is up or its
 * thread is interrupted, breaks the barrier for all parties, until it is reset. A party whose
 * process dies while it waits counts as arrived. If a party dies before it arrives, the time limits
 * of the others end their wait. Thread-safe.
 */
public final class SharedBarrier implements AutoCloseable {

  private final ObjectLink<BarrierState> link;
  private final int parties;

  SharedBarrier(ObjectLink<BarrierState> link, int parties) {
    this.link = link;
    this.parties = parties;
  }

  /** The number of parties. */
  public int parties() {
    return parties;
  }

  /** The number of parties that wait. Costs one read. */
  public int waiting() {
    return BlockingWait.toItsEnd(link.call(BarrierState::waiting));
  }

  /** Whether every arriving party gets a {@link BrokenBarrierException}. Costs one read. */
  public boolean isBroken() {
    return BlockingWait.toItsEnd(link.call(BarrierState::isBroken));
  }

  /**
   * Breaks the barrier for parties that wait now, and repairs it for parties that arrive later.
   * Costs one call.
   */
  public void reset() {
    BlockingWait.toItsEnd(resetAsync());
  }

  /** As {@link #reset}, without waiting. */
  public CompletionStage<?> resetAsync() {
    return link.run(s -> s.reset());
  }

  /**
   * Waits for the other parties. Costs one call, and a read whenever the barrier changes.
   *
   * @return the number of parties that were still missing on arrival: zero for the last one
   * @throws BrokenBarrierException if another party left, or the barrier is or was reset or broken
   * @throws TimeoutException if the time is up; the barrier is then broken
   */
  public int arrive(Duration atMost)
      throws InterruptedException, BrokenBarrierException, TimeoutException {
    CompletableFuture<Integer> arrived = new ArrivalWait(link, atMost).begin();
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

  /** As {@link #arrive(Duration)}, with a time in the form of {@code java.util.concurrent}. */
  public int arrive(long time, TimeUnit unit)
      throws InterruptedException, BrokenBarrierException, TimeoutException {
    return arrive(AsyncWait.duration(time, unit));
  }

  /**
   * As {@link #arrive(Duration)}, without a blocked thread. Cancelling the future breaks the
   * barrier.
   */
  public CompletionStage<Integer> arriveAsync(Duration atMost) {
    return new ArrivalWait(link, atMost).begin();
  }

  @Override
  public void close() {
    link.close();
  }

  private static final class ArrivalWait extends AsyncWait<BarrierState, Integer> {

    private final ObjectLink<BarrierState> barrier;
    private final UUID request = UUID.randomUUID();
    private boolean arrived;
    private volatile boolean over;

    ArrivalWait(ObjectLink<BarrierState> barrier, Duration atMost) {
      super(barrier, atMost);
      this.barrier = barrier;
    }

    @Override
    CompletionStage<Optional<Integer>> readCondition() {
      return (arrived ? barrier.call(s -> s.look(request)) : barrier.call(s -> s.arrive(request)))
          .thenCompose(this::handleArrival);
    }

    private CompletionStage<Optional<Integer>> handleArrival(BarrierState.Arrival arrival) {
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
    boolean isReadWorthwhile(BarrierState reported) {
      return reported.look(request).fate() != BarrierState.Fate.WAITS;
    }

    @Override
    CompletionStage<Integer> handleTimeout() {
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
    void withdraw() {
      if (!over) {
        barrier.call(s -> s.leave(request)).exceptionally(e -> null);
      }
    }

    @Override
    void discardResult(Integer value) {}
  }
}
