package io.ensemble.cache.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.cache.Payload;
import io.ensemble.listen.ListenOutput;
import io.ensemble.listen.ListenProgress;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The buffer of a stream stays within its bounds, and one gap counts what it dropped. */
class ChangeBufferTest {

  private static final int EVENTS = 4;

  private final ThreadScheduler scheduler = new ThreadScheduler(1);

  @AfterEach
  void close() {
    scheduler.close();
  }

  private ChangeBuffer buffer(long bytes) {
    ListenLimits limits =
        new ListenLimits(
            10,
            10,
            EVENTS,
            bytes,
            10,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofMillis(200));
    return new ChangeBuffer(scheduler, limits, new ListenProgress(1, 1, 10, null));
  }

  private static ListenOutput<Bytes, Payload> output(int number) {
    ChangeStamp stamp = new ChangeStamp(1, new Stamp(1_000 + number, new WriterId(0, 1)));
    Payload value = new Payload(Bytes.of(new byte[10]), 0);
    Bytes key = Bytes.of((byte) number);
    return new ListenOutput.Shown<>(
        new Change<>(Kind.CREATED, key, value, stamp), number, () -> {});
  }

  private static Optional<ChangeEvent<Bytes, Payload>> now(ChangeBuffer buffer) {
    return buffer.next(Duration.ZERO).toCompletableFuture().join();
  }

  private static List<ChangeEvent<Bytes, Payload>> all(ChangeBuffer buffer) {
    List<ChangeEvent<Bytes, Payload>> events = new ArrayList<>();
    for (var event = now(buffer); event.isPresent(); event = now(buffer)) {
      events.add(event.get());
    }
    return events;
  }

  @Test
  void aGapCountsTheEventsThatDidNotFit() {
    ChangeBuffer buffer = buffer(1 << 20);
    for (int i = 0; i < EVENTS + 3; i++) {
      buffer.add(List.of(output(i), new ListenOutput.Covered<>(1, i)));
    }

    assertThat(buffer.size()).isLessThanOrEqualTo(EVENTS);
    List<ChangeEvent<Bytes, Payload>> events = all(buffer);
    Gap<Bytes, Payload> gap = (Gap<Bytes, Payload>) events.get(events.size() - 1);
    assertThat(gap.reason()).isEqualTo(GapReason.OVERFLOW);
    assertThat(gap.missed().orElseThrow() + events.size() - 1).isEqualTo(EVENTS + 3);
    assertThat(gap.before().stamp().micros()).isEqualTo(1_000 + EVENTS + 2);
    assertThat(buffer.position().watermark()).isEqualTo(EVENTS + 2);
  }

  @Test
  void largeValuesFillTheBufferToo() {
    ChangeBuffer buffer = buffer(15);
    for (int i = 0; i < EVENTS; i++) {
      buffer.add(List.of(output(i)));
    }

    assertThat(buffer.size()).isEqualTo(2);
  }

  @Test
  void aWaitingReaderGetsTheNextEventOrTheEnd() throws Exception {
    ChangeBuffer buffer = buffer(1 << 20);
    CompletionStage<Optional<ChangeEvent<Bytes, Payload>>> first =
        buffer.next(Duration.ofSeconds(20));
    assertThatThrownBy(() -> buffer.next(Duration.ofSeconds(1)))
        .isInstanceOf(IllegalStateException.class);
    buffer.add(List.of(output(1)));
    assertThat(first.toCompletableFuture().get(20, TimeUnit.SECONDS)).isPresent();

    assertThat(buffer.next(Duration.ofMillis(1)).toCompletableFuture().get(20, TimeUnit.SECONDS))
        .isEmpty();

    CompletableFuture<Optional<ChangeEvent<Bytes, Payload>>> last =
        buffer.next(Duration.ofSeconds(20)).toCompletableFuture();
    buffer.fail(new IllegalStateException("closed"));
    assertThatThrownBy(() -> last.get(20, TimeUnit.SECONDS)).hasMessageContaining("closed");
  }

  @Test
  void thePositionDoesNotGoBackBehindAMarkThatCameWhileTheBufferWasFull() {
    ChangeBuffer buffer = buffer(1 << 20);
    for (int i = 0; i < EVENTS; i++) {
      buffer.add(List.of(output(i)));
    }
    buffer.add(List.of(new ListenOutput.Covered<>(1, 10)));
    now(buffer);
    buffer.add(List.of(new ListenOutput.Covered<>(1, 20)));

    assertThat(all(buffer)).hasSize(EVENTS - 1);
    assertThat(buffer.position().watermark()).isEqualTo(20);
  }

  @Test
  void marksWithoutEventsTakeOnePlace() {
    ChangeBuffer buffer = buffer(1 << 20);
    for (int i = 0; i < 3 * EVENTS; i++) {
      buffer.add(List.of(new ListenOutput.Covered<>(1, i)));
    }

    assertThat(buffer.size()).isEqualTo(1);
    assertThat(now(buffer)).isEmpty();
    assertThat(buffer.position().watermark()).isEqualTo(3 * EVENTS - 1);
  }

  @Test
  void anEventGoesToTheNextReaderIfTheOneBeforeHasLeft() {
    ChangeBuffer buffer = buffer(1 << 20);
    CompletionStage<Optional<ChangeEvent<Bytes, Payload>>> left =
        buffer.next(Duration.ofSeconds(60));

    assertThat(buffer.withdraw(left)).isTrue();
    buffer.add(List.of(output(1)));

    assertThat(buffer.position().shown()).isEmpty();
    assertThat(now(buffer)).isPresent();
    assertThat(buffer.position().shown()).hasSize(1);
    assertThat(left.toCompletableFuture()).isNotDone();
    assertThat(buffer.withdraw(left)).as("again").isFalse();
  }

  @Test
  void aReaderThatHasReceivedAnEventCannotLeaveItBehind() throws Exception {
    ChangeBuffer buffer = buffer(1 << 20);
    CompletionStage<Optional<ChangeEvent<Bytes, Payload>>> call =
        buffer.next(Duration.ofSeconds(60));
    buffer.add(List.of(output(1)));

    assertThat(buffer.withdraw(call)).isFalse();
    assertThat(call.toCompletableFuture().get(20, TimeUnit.SECONDS)).isPresent();
  }
}
