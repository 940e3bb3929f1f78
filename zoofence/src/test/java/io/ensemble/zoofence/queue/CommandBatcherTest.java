package io.ensemble.zoofence.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.zoofence.queue.CommandBatcher.Batch;
import io.ensemble.zoofence.queue.CommandBatcher.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CommandBatcherTest {
  private static final int FREE = 2;
  private static final int GROWTH = 8;

  private final CommandBatcher batcher = new CommandBatcher(FREE, GROWTH);
  private long nextNumber;

  private void add(int count) {
    for (int i = 0; i < count; i++) {
      add("/z" + nextNumber, 1);
    }
  }

  private void add(String path, long bytes) {
    batcher.add(new CommandBatcher.Entry(nextNumber++, path, bytes));
  }

  private Batch next() {
    return Objects.requireNonNull(batcher.next());
  }

  private static List<Long> numbers(Batch batch) {
    return batch.entries().stream().map(CommandBatcher.Entry::number).toList();
  }

  /** Everything that may be sent now. */
  private List<List<Long>> sendAll() {
    var sent = new ArrayList<List<Long>>();
    for (Batch batch = batcher.next(); batch != null; batch = batcher.next()) {
      sent.add(numbers(batch));
    }
    return sent;
  }

  @Test
  void commandsThatWaitShareATransaction() {
    add(3);

    Batch batch = next();

    assertThat(numbers(batch)).containsExactly(0L, 1L, 2L);
    assertThat(batch.previous()).isEmpty();
    assertThat(batcher.recordResponse(batch, CommandBatcher.NONE)).isEqualTo(Decision.EXECUTED);
    assertThat(batcher.next()).isNull();
  }

  @Test
  void commandsWaitWhileEnoughIsInFlightAndTheirBatchCanGrow() {
    add(1);
    Batch first = next();
    add(1);
    next();
    add(2);
    assertThat(batcher.next()).isNull();
    add(CommandBatcher.MAX_COMMANDS - 2);

    assertThat(numbers(next())).as("a full batch").hasSize(CommandBatcher.MAX_COMMANDS);

    add(1);
    assertThat(batcher.next()).isNull();
    batcher.recordResponse(first, CommandBatcher.NONE);
    assertThat(batcher.next()).as("three in flight, one answered").isNull();
  }

  @Test
  void aResponseSendsWhatWaits() {
    add(1);
    Batch first = next();
    add(1);
    next();
    add(2);
    assertThat(batcher.next()).isNull();

    batcher.recordResponse(first, CommandBatcher.NONE);

    assertThat(numbers(next())).containsExactly(2L, 3L);
  }

  @Test
  void changesOfOneZnodeAreInDifferentTransactionsAndDoNotWait() {
    for (int i = 0; i < 6; i++) {
      add("/same", 1);
    }

    assertThat(sendAll())
        .as("the last one may get company")
        .containsExactly(List.of(0L), List.of(1L), List.of(2L), List.of(3L), List.of(4L));
  }

  @Test
  void aBatchHasABound() {
    add("/large", CommandBatcher.MAX_BYTES + 1);
    add("/half", CommandBatcher.MAX_BYTES / 2 + 1);
    add("/other", CommandBatcher.MAX_BYTES / 2 + 1);

    assertThat(numbers(next())).containsExactly(0L);
    assertThat(numbers(next())).containsExactly(1L);
  }

  @Test
  void whatFollowsABatchOfSeveralIsConditionalOnIt() {
    add(2);
    next();
    add(1);
    assertThat(next().previous()).isEqualTo(OptionalLong.of(1));
    add(CommandBatcher.MAX_COMMANDS);
    assertThat(next().previous())
        .as("the refusal of a single command is final")
        .isEqualTo(OptionalLong.of(1));
    add(CommandBatcher.MAX_COMMANDS);
    assertThat(next().previous()).isEqualTo(OptionalLong.of(2 + CommandBatcher.MAX_COMMANDS));
  }

  @Test
  void whatFollowsASingleCommandIsNotConditional() {
    add(1);
    next();
    add(2);

    assertThat(next().previous()).isEmpty();
  }

  @Test
  void afterARefusalAllInFlightIsSentAgainInOrder() {
    add(3);
    Batch first = next();
    add(2);
    Batch second = next();

    assertThat(batcher.recordResponse(first, 1)).isEqualTo(Decision.REPEATED);
    List<List<Long>> sent = sendAll();
    assertThat(batcher.recordResponse(second, CommandBatcher.CONDITION))
        .isEqualTo(Decision.REPEATED);

    assertThat(sent)
        .as("one by one, as after any refusal")
        .containsExactly(List.of(0L), List.of(1L), List.of(2L), List.of(3L), List.of(4L));
    assertThat(batcher.next()).isNull();
  }

  @Test
  void theRefusalOfASingleCommandIsFinal() {
    add(2);
    Batch both = next();
    batcher.recordResponse(both, 0);
    Batch refused = next();
    Batch other = next();

    assertThat(batcher.recordResponse(refused, 0)).isEqualTo(Decision.REFUSED);
    assertThat(batcher.recordResponse(other, CommandBatcher.NONE)).isEqualTo(Decision.EXECUTED);
    assertThat(other.previous()).isEmpty();
    assertThat(batcher.next()).isNull();
  }

  @Test
  void batchesGrowAgainWhenNothingIsRefused() {
    add(2);
    batcher.recordResponse(next(), 0);
    batcher.recordResponse(next(), 0);
    batcher.recordResponse(next(), CommandBatcher.NONE);
    for (int i = 1; i < GROWTH; i++) {
      add(1);
      batcher.recordResponse(next(), CommandBatcher.NONE);
    }

    add(4);

    assertThat(sendAll()).containsExactly(List.of(10L - 1, 10L), List.of(11L, 12L));
  }

  @Test
  void theRefusedCommandStaysAloneEvenIfOthersShareTransactions() {
    var eager = new CommandBatcher(FREE, 0 + 1);
    for (long number = 0; number < 3; number++) {
      eager.add(new CommandBatcher.Entry(number, "/z" + number, 1));
    }
    eager.recordResponse(Objects.requireNonNull(eager.next()), 2);
    Batch first = Objects.requireNonNull(eager.next());
    eager.recordResponse(first, CommandBatcher.NONE);
    eager.add(new CommandBatcher.Entry(3, "/z3", 1));

    assertThat(numbers(first)).containsExactly(0L);
    assertThat(numbers(Objects.requireNonNull(eager.next()))).containsExactly(1L);
    assertThat(numbers(Objects.requireNonNull(eager.next()))).containsExactly(2L);
  }

  @Test
  void anEffectBehindAFailedBatchIsReported() {
    add(2);
    Batch first = next();
    add(1);
    Batch second = next();
    batcher.recordResponse(first, 0);

    assertThatIllegalStateException()
        .isThrownBy(() -> batcher.recordResponse(second, CommandBatcher.NONE));
  }

  @Test
  void nothingRemainsAfterTheLossOfTheConnection() {
    add(2);
    next();
    add(3);

    batcher.clear();

    assertThat(batcher.next()).isNull();
    add(1);
    assertThat(next().previous()).isEmpty();
  }

  @Test
  void commandsThatConcernTheSameAreInDifferentBatches() {
    var batcher = new CommandBatcher(1, 1);
    batcher.add(new CommandBatcher.Entry(0, "/first", 1));
    CommandBatcher.Batch first = Objects.requireNonNull(batcher.next());
    batcher.add(new CommandBatcher.Entry(1, Set.of("/locks/a", "/locks/"), 1));
    batcher.add(new CommandBatcher.Entry(2, Set.of("/other/a", "/other/"), 1));
    batcher.add(new CommandBatcher.Entry(3, Set.of("/locks/b", "/locks/"), 1));
    batcher.recordResponse(first, CommandBatcher.NONE);

    assertThat(Objects.requireNonNull(batcher.next()).entries())
        .extracting(CommandBatcher.Entry::number)
        .containsExactly(1L, 2L);
  }
}
