package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectException.CallUnknown;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.sync.link.ObjectLink;
import io.ensemble.objects.sync.state.LatchState;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A latch that opens, once and permanently, when it has been counted down to zero. Thread-safe. */
public final class SharedLatch implements AutoCloseable {

  /** The number of attempts for a count whose outcome is unknown. */
  private static final int ATTEMPTS = 3;

  private final ObjectLink<LatchState> link;

  SharedLatch(ObjectLink<LatchState> link) {
    this.link = link;
  }

  /** The number of counts that are missing. Costs one read. */
  public int count() {
    return BlockingWait.toItsEnd(countAsync());
  }

  /** As {@link #count}, without waiting. */
  public CompletionStage<Integer> countAsync() {
    return link.call(LatchState::count);
  }

  /**
   * Counts down by one, and returns the number of missing counts. Costs one call; never below zero.
   */
  public int countDown() {
    return countDown(UUID.randomUUID());
  }

  /**
   * As {@link #countDown()}, but only the first time for each {@code contribution}: safe to repeat,
   * also by another process that repeats the same work.
   */
  public int countDown(UUID contribution) {
    return BlockingWait.toItsEnd(countDownAsync(contribution));
  }

  /** As {@link #countDown(UUID)}, without waiting. */
  public CompletionStage<Integer> countDownAsync(UUID contribution) {
    return counted(contribution, ATTEMPTS);
  }

  private CompletionStage<Integer> counted(UUID contribution, int attempts) {
    return link.call(s -> s.countDown(contribution))
        .handle(
            (left, failure) -> {
              boolean again =
                  failure != null
                      && attempts > 1
                      && UnwrappedCause.of(failure) instanceof CallUnknown;
              return again
                  ? counted(contribution, attempts - 1)
                  : failure == null
                      ? CompletableFuture.completedFuture(left)
                      : CompletableFuture.<Integer>failedFuture(UnwrappedCause.of(failure));
            })
        .thenCompose(stage -> stage);
  }

  /** Waits until the latch is open. False if it is not open in time. */
  public boolean awaitZero(Duration atMost) throws InterruptedException {
    return BlockingWait.of(awaitZeroAsync(atMost));
  }

  /** As the other method, with a time in the form of {@code java.util.concurrent}. */
  public boolean awaitZero(long time, TimeUnit unit) throws InterruptedException {
    return awaitZero(AsyncWait.duration(time, unit));
  }

  /** As {@link #awaitZero(Duration)}, without a blocked thread. */
  public CompletionStage<Boolean> awaitZeroAsync(Duration atMost) {
    return new OpeningWait(link, atMost).begin();
  }

  @Override
  public void close() {
    link.close();
  }

  private static final class OpeningWait extends AsyncWait<LatchState, Boolean> {

    private final ObjectLink<LatchState> latch;

    OpeningWait(ObjectLink<LatchState> latch, Duration atMost) {
      super(latch, atMost);
      this.latch = latch;
    }

    @Override
    CompletionStage<Optional<Boolean>> readCondition() {
      return latch
          .call(LatchState::count)
          .thenApply(left -> left == 0 ? Optional.of(true) : Optional.empty());
    }

    @Override
    boolean isReadWorthwhile(LatchState reported) {
      return reported.count() == 0;
    }

    @Override
    CompletionStage<Boolean> handleTimeout() {
      return CompletableFuture.completedFuture(false);
    }

    @Override
    void withdraw() {}

    @Override
    void discardResult(Boolean value) {}
  }
}
