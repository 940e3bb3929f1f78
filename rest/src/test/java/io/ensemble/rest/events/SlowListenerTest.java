package io.ensemble.rest.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.Outflow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What waits for a client that takes nothing is bounded, and the client ends. */
class SlowListenerTest {

  private static final EventBounds TIGHT =
      new EventBounds(1, 100, 10, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ZERO);

  private final List<String> sent = new ArrayList<>();
  private final List<CompletableFuture<Void>> pending = new ArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger cut = new AtomicInteger();
  private final AtomicInteger gone = new AtomicInteger();
  private final Listener listener =
      new Listener(Who.ANYBODY, EnumSet.allOf(Section.class), TIGHT, gone::incrementAndGet);

  private final Outflow.Way slow =
      new Outflow.Way() {
        @Override
        public CompletionStage<Void> send(byte[] bytes) {
          sent.add(new String(bytes, StandardCharsets.UTF_8));
          CompletableFuture<Void> one = new CompletableFuture<>();
          pending.add(one);
          return one;
        }

        @Override
        public void end() {
          ended.incrementAndGet();
        }

        @Override
        public void cut() {
          cut.incrementAndGet();
        }
      };

  private void tell(int bytes) {
    listener.tell("x".repeat(bytes).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void whoIsTooSlowHearsThatLastAndNothingOfWhatWaited() {
    listener.first("state".repeat(100).getBytes(StandardCharsets.UTF_8));
    listener.begin(slow);
    tell(60);
    tell(40);
    tell(1);
    tell(1);

    pending.get(0).complete(null);
    pending.get(1).complete(null);

    assertThat(sent).hasSize(2);
    assertThat(sent.get(1)).contains("event: end").contains("too-slow").doesNotContain("xx");
    assertThat(ended).hasValue(1);
    assertThat(gone).hasValue(1);
  }

  @Test
  void atTheBoundAllOfItComesWithOneSend() {
    listener.begin(slow);
    tell(1);
    tell(60);
    tell(40);

    pending.get(0).complete(null);

    assertThat(sent.get(1)).isEqualTo("x".repeat(100));
    assertThat(gone).hasValue(0);
  }

  @Test
  void whoTakesNothingAtAllIsCutOff() {
    listener.begin(slow);
    tell(1);

    listener.beat(System.nanoTime() + 1_000_000, 0);

    assertThat(cut).hasValue(1);
    assertThat(gone).hasValue(1);
  }

  @Test
  void whatWasSentWaitsNoMore() {
    listener.begin(slow);
    for (int i = 0; i < 5; i++) {
      tell(100);
      pending.get(i).complete(null);
    }

    assertThat(sent).hasSize(5).allMatch("x".repeat(100)::equals);
    assertThat(gone).hasValue(0);
  }

  @Test
  void whoIsGoneGivesTheirPlaceBackOnce() {
    listener.begin(slow);
    tell(1);

    pending.get(0).completeExceptionally(new IOException("gone"));
    tell(1);
    listener.end("closing");

    assertThat(gone).hasValue(1);
    assertThat(sent).hasSize(1);
  }

  /** Also where nobody can say whether they may: their keys cannot be had, or their policy. */
  @Test
  void whoMayNotOrPerhapsNotListenHearsThatLast() {
    for (CompletionStage<Boolean> answer :
        List.of(
            CompletableFuture.completedFuture(false),
            CompletableFuture.<Boolean>failedFuture(new IllegalStateException("unknown")))) {
      sent.clear();
      Listener one =
          new Listener(new Who("one", () -> answer), EnumSet.allOf(Section.class), TIGHT, () -> {});
      one.begin(slow);

      one.beat(System.nanoTime() + TIGHT.beat().toNanos() + 1_000_000_000L, 0);
      pending.get(0).complete(null); // The beat.

      assertThat(sent).last().asString().contains("event: end").contains("unauthorized");
      pending.clear();
    }
  }
}
