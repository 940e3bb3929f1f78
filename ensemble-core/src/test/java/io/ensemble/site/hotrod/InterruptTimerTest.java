package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call that blocks too long is interrupted; no later call is, and other interrupts are kept. */
@Timeout(120)
class InterruptTimerTest {

  private final Timed scheduler = new Timed();

  /** The test decides when the time is over. */
  private static final class Timed implements Scheduler {
    private Runnable over = () -> {};
    private long delayNanos;
    private boolean cancelled;

    @Override
    public Timer after(long delay, Runnable task) {
      delayNanos = delay;
      over = task;
      return () -> cancelled = true;
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public long nanos() {
      return 0;
    }

    @Override
    public long epochMicros() {
      return 0;
    }
  }

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(Thread.interrupted()).as("interrupted still").isFalse();
    assertThat(scheduler.cancelled).isTrue();
    scheduler.over.run(); // A timer that could not be cancelled in time.
    assertThat(Thread.interrupted()).as("interrupted afterwards").isFalse();
  }

  private boolean strikes(Runnable blocking) {
    return InterruptTimer.strikes(blocking, Duration.ofSeconds(7), scheduler);
  }

  @Test
  void whatBlocksForTooLongIsInterrupted() {
    CountDownLatch never = new CountDownLatch(1);

    boolean struck =
        strikes(
            () -> {
              assertThat(scheduler.delayNanos).isEqualTo(7_000_000_000L);
              scheduler.over.run();
              try {
                assertThat(never.await(60, TimeUnit.SECONDS)).isTrue();
              } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
              }
            });

    assertThat(struck).isTrue();
  }

  @Test
  void whatReturnsAsItsTimeIsOverLeavesNoInterruptionBehind() {
    assertThat(strikes(() -> scheduler.over.run())).isTrue();
  }

  @Test
  void whatReturnsInTimeIsLeftAlone() {
    assertThat(strikes(() -> {})).isFalse();
  }

  @Test
  void whatFailsInTimeFailsAsItDoes() {
    assertThatThrownBy(
            () ->
                strikes(
                    () -> {
                      throw new IllegalStateException("its own");
                    }))
        .hasMessage("its own");
  }

  @Test
  void anInterruptionBySomebodyElseStays() {
    assertThat(strikes(() -> Thread.currentThread().interrupt())).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }
}
