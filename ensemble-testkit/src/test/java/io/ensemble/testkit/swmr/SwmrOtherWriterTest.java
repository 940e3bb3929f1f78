package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A process that may not write gets a typed refusal, immediately if possible. */
class SwmrOtherWriterTest {

  private static final Duration SHORT = Duration.ofMillis(100);

  private final SimFederation federation = SimFederation.builder().clients(0).seed(3).build();
  private final SwmrSimCache scene = new SwmrSimCache(federation);
  private final OpenSwmrCache writer = scene.open(federation.newClient());
  private final SimClient client = federation.newClient();
  private final OpenSwmrCache other = scene.open(client);

  SwmrOtherWriterTest() {
    assertThat(scene.get(write(writer, 1, Duration.ofSeconds(20))))
        .isInstanceOf(WriteOutcome.Applied.class);
  }

  private CompletableFuture<WriteOutcome<Void>> write(
      OpenSwmrCache by, long value, Duration within) {
    return by.write(
            HistoryPayloads.key("k"),
            HistoryPayloads.payload(value),
            Deadline.after(within, client.scheduler()))
        .toCompletableFuture();
  }

  private void assertRefused(Duration within) {
    assertThatThrownBy(() -> scene.get(write(other, 2, within)))
        .isInstanceOf(WriterPresentException.class);
  }

  /** The heartbeats of the writer are 0.67 s apart, a third of a lease, and the call is shorter. */
  @Test
  void aCallThatIsShorterThanABeatIsRefusedByTypeToo() {
    assertRefused(SHORT);
  }

  @Test
  void soAreThoseThatWaitForTheirTurn() {
    List<CompletableFuture<WriteOutcome<Void>>> calls =
        IntStream.range(0, 3).mapToObj(i -> write(other, 2, SHORT)).toList();
    federation.run(Duration.ofSeconds(1));

    assertThat(calls)
        .allSatisfy(
            call ->
                assertThat(call.handle((done, failure) -> CompletionCause.of(failure)))
                    .isCompletedWithValueMatching(why -> why instanceof WriterPresentException));
  }

  @Test
  void whoHasSeenTheWriterBeatIsRefusedAtOnce() {
    assertRefused(Duration.ofSeconds(20));

    long before = client.scheduler().nanos();
    for (int i = 0; i < 20; i++) {
      assertRefused(Duration.ofSeconds(20));
    }

    assertThat(Duration.ofNanos(client.scheduler().nanos() - before))
        .isLessThan(Duration.ofSeconds(1));
  }

  /** A refusal that is remembered does not apply once the record would admit the process. */
  @Test
  void whoHasSeenTheWriterBeatFollowsItAtOnceWhenItResigns() {
    assertRefused(Duration.ofSeconds(20));
    scene.get(writer.resign());

    assertThat(scene.get(write(other, 2, SHORT))).isInstanceOf(WriteOutcome.Applied.class);
  }

  /** One of the calls makes the process the writer while others have asked for the term. */
  @Test
  void noProcessIsInItsOwnWay() {
    for (long seed = 0; seed < 40; seed++) {
      SimFederation fresh = SimFederation.builder().clients(0).seed(seed).build();
      SwmrSimCache own = new SwmrSimCache(fresh);
      SimClient alone = fresh.newClient();
      OpenSwmrCache cache = own.open(alone);
      List<CompletableFuture<WriteOutcome<Void>>> calls =
          IntStream.range(0, 12)
              .mapToObj(
                  i -> {
                    Deadline deadline = Deadline.after(Duration.ofSeconds(20), alone.scheduler());
                    fresh.run(Duration.ofMillis(3));
                    return cache
                        .write(HistoryPayloads.key("k" + i), HistoryPayloads.payload(i), deadline)
                        .toCompletableFuture();
                  })
              .toList();

      assertThat(calls)
          .as("seed=%d", seed)
          .allSatisfy(call -> assertThat(own.get(call)).isInstanceOf(WriteOutcome.Applied.class));
    }
  }
}
