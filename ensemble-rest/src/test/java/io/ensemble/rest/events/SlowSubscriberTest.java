package io.ensemble.rest.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.StreamingBody;
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

/** The events that wait for a client that reads nothing are bounded; the client is cut off. */
class SlowSubscriberTest {

  private static final EventBounds TIGHT =
      new EventBounds(1, 100, 10, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ZERO);

  private final List<String> sent = new ArrayList<>();
  private final List<CompletableFuture<Void>> pending = new ArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger cut = new AtomicInteger();
  private final AtomicInteger gone = new AtomicInteger();
  private final EventSubscription eventSubscription =
      new EventSubscription(
          StreamSubscriber.ANYBODY,
          EnumSet.allOf(SnapshotSection.class),
          TIGHT,
          gone::incrementAndGet);

  private final StreamingBody.Way slow =
      new StreamingBody.Way() {
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
    eventSubscription.enqueue("x".repeat(bytes).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void whoIsTooSlowHearsThatLastAndNothingOfWhatWaited() {
    eventSubscription.enqueueFirst("state".repeat(100).getBytes(StandardCharsets.UTF_8));
    eventSubscription.begin(slow);
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
    eventSubscription.begin(slow);
    tell(1);
    tell(60);
    tell(40);

    pending.get(0).complete(null);

    assertThat(sent.get(1)).isEqualTo("x".repeat(100));
    assertThat(gone).hasValue(0);
  }

  @Test
  void whoTakesNothingAtAllIsCutOff() {
    eventSubscription.begin(slow);
    tell(1);

    eventSubscription.checkProgress(System.nanoTime() + 1_000_000, 0);

    assertThat(cut).hasValue(1);
    assertThat(gone).hasValue(1);
  }

  @Test
  void whatWasSentWaitsNoMore() {
    eventSubscription.begin(slow);
    for (int i = 0; i < 5; i++) {
      tell(100);
      pending.get(i).complete(null);
    }

    assertThat(sent).hasSize(5).allMatch("x".repeat(100)::equals);
    assertThat(gone).hasValue(0);
  }

  @Test
  void whoIsGoneGivesTheirPlaceBackOnce() {
    eventSubscription.begin(slow);
    tell(1);

    pending.get(0).completeExceptionally(new IOException("gone"));
    tell(1);
    eventSubscription.end("closing");

    assertThat(gone).hasValue(1);
    assertThat(sent).hasSize(1);
  }

  /** Also if the authorization cannot be decided, because keys or the policy are missing. */
  @Test
  void whoMayNotOrPerhapsNotListenHearsThatLast() {
    for (CompletionStage<Boolean> answer :
        List.of(
            CompletableFuture.completedFuture(false),
            CompletableFuture.<Boolean>failedFuture(new IllegalStateException("unknown")))) {
      sent.clear();
      EventSubscription one =
          new EventSubscription(
              new StreamSubscriber("one", () -> answer),
              EnumSet.allOf(SnapshotSection.class),
              TIGHT,
              () -> {});
      one.begin(slow);

      one.checkProgress(System.nanoTime() + TIGHT.heartbeat().toNanos() + 1_000_000_000L, 0);
      pending.get(0).complete(null); // The beat.

      assertThat(sent).last().asString().contains("event: end").contains("unauthorized");
      pending.clear();
    }
  }
}
