package io.ensemble.cache.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.QueuedWrite.BatchResult;
import io.ensemble.cache.quorum.QueuedWrite.CallerDecision;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A batch applies its writes in turn, and each caller gets the outcome of its own write. */
class QueuedWriteTest {

  private static final Stamp STAMP = new Stamp(7, new WriterId(0, 1));
  private static final List<String> SITES = List.of("lyon", "oslo", "rome");

  private static QueuedWrite<Long> write(Update<Payload, CallerDecision<Long>> update) {
    return new QueuedWrite<>(update, new Deadline(1), why -> SiteResponses.notAsked(SITES, why));
  }

  /** Adds one and returns the former value. */
  private static Decision<Payload, CallerDecision<Long>> increment(Payload current) {
    Long found = HistoryPayloads.number(current);
    long next = found == null ? 1 : found + 1;
    return Decision.write(HistoryPayloads.payload(next), new CallerDecision<>(found, true));
  }

  private static WriteOutcome<Long> outcome(QueuedWrite<Long> write) {
    return write.answer().toCompletableFuture().join();
  }

  private static void tell(List<QueuedWrite<?>> writes, Decision<Payload, BatchResult> decision) {
    WriteOutcome<BatchResult> applied =
        new WriteOutcome.Applied<>(decision.result(), STAMP, decision.writes());
    writes.forEach(write -> write.complete(applied));
  }

  @Test
  void eachFindsWhatTheOneBeforeLeft() {
    QueuedWrite<Long> one = write(QueuedWriteTest::increment);
    QueuedWrite<Long> keeping =
        write(now -> Decision.keep(new CallerDecision<>(HistoryPayloads.number(now), false)));
    QueuedWrite<Long> two = write(QueuedWriteTest::increment);
    List<QueuedWrite<?>> writes = List.of(one, keeping, two);

    Decision<Payload, BatchResult> decision =
        QueuedWrite.inTurn(writes).decide(HistoryPayloads.payload(5));
    tell(writes, decision);

    assertThat(decision.writes()).isTrue();
    assertThat(HistoryPayloads.number(decision.value())).isEqualTo(7);
    assertThat(outcome(one)).isEqualTo(new WriteOutcome.Applied<>(5L, STAMP, true));
    assertThat(outcome(keeping)).isEqualTo(new WriteOutcome.Applied<>(6L, STAMP, false));
    assertThat(outcome(two)).isEqualTo(new WriteOutcome.Applied<>(6L, STAMP, true));
  }

  @Test
  void whatOneThrowsIsItsAnswerAndChangesNothing() {
    QueuedWrite<Long> one = write(QueuedWriteTest::increment);
    QueuedWrite<Long> thrower =
        write(
            now -> {
              throw new IllegalStateException("no");
            });
    QueuedWrite<Long> two = write(QueuedWriteTest::increment);
    List<QueuedWrite<?>> writes = List.of(one, thrower, two);

    Decision<Payload, BatchResult> decision =
        QueuedWrite.inTurn(writes).decide(HistoryPayloads.payload(5));
    tell(writes, decision);

    assertThat(HistoryPayloads.number(decision.value())).isEqualTo(7);
    assertThat(outcome(two)).isEqualTo(new WriteOutcome.Applied<>(6L, STAMP, true));
    CompletableFuture<?> thrown = thrower.answer().toCompletableFuture();
    assertThatThrownBy(thrown::join)
        .isInstanceOf(CompletionException.class)
        .hasRootCauseMessage("no");
  }

  @Test
  void theLastAttemptIsTold() {
    QueuedWrite<Long> one = write(QueuedWriteTest::increment);
    List<QueuedWrite<?>> writes = List.of(one);
    Update<Payload, BatchResult> batch = QueuedWrite.inTurn(writes);

    batch.decide(HistoryPayloads.payload(5));
    Decision<Payload, BatchResult> second = batch.decide(HistoryPayloads.payload(8));
    tell(writes, second);

    assertThat(outcome(one)).isEqualTo(new WriteOutcome.Applied<>(8L, STAMP, true));
  }

  @Test
  void whatIsWithdrawnBeforeTheFirstAttemptIsInNone() {
    QueuedWrite<Long> one = write(QueuedWriteTest::increment);
    QueuedWrite<Long> withdrawn = write(QueuedWriteTest::increment);
    List<QueuedWrite<?>> writes = List.of(one, withdrawn);
    assertThat(withdrawn.withdraw()).isTrue();
    withdrawn.refused("too late");

    Decision<Payload, BatchResult> decision =
        QueuedWrite.inTurn(writes).decide(HistoryPayloads.payload(5));
    tell(writes, decision);

    assertThat(HistoryPayloads.number(decision.value())).isEqualTo(6);
    QuorumFailure why = SiteResponses.notAsked(SITES, "too late");
    assertThat(outcome(withdrawn)).isEqualTo(new WriteOutcome.Refused<>(why));
    assertThat(one.withdraw()).isFalse();
  }

  @Test
  void whatTookPartInAnAttemptStaysInTheNext() {
    QueuedWrite<Long> one = write(QueuedWriteTest::increment);
    List<QueuedWrite<?>> writes = List.of(one);
    Update<Payload, BatchResult> batch = QueuedWrite.inTurn(writes);
    batch.decide(HistoryPayloads.payload(5));

    assertThat(one.withdraw()).isFalse();

    assertThat(HistoryPayloads.number(batch.decide(HistoryPayloads.payload(8)).value()))
        .isEqualTo(9);
  }
}
