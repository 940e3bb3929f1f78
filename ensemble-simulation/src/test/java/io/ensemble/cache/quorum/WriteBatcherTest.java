package io.ensemble.cache.quorum;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Writes that wait for the same key form a batch; each gets one answer by its deadline. */
class WriteBatcherTest {

  private static final Bytes KEY = Bytes.of("k".getBytes(UTF_8));
  private static final Bytes OTHER = Bytes.of("o".getBytes(UTF_8));
  private static final long A_MILLISECOND = 1_000_000;

  private final SimScheduler scheduler = SimScheduler.ofSeed(1);
  private final PerKeyQueue perKeyQueue = new PerKeyQueue(scheduler);
  private final WriteBatcher<Named> batcher =
      new WriteBatcher<>(perKeyQueue, scheduler, this::perform);

  /** The names of the writers of each batch, in the order in which the batches began. */
  private final List<String> begun = new ArrayList<>();

  private final Deque<CompletableFuture<Consumer<Named>>> underWay = new ArrayDeque<>();
  private final List<Deadline> deadlines = new ArrayList<>();

  private final class Named implements WriteBatcher.Writer {
    private final String name;
    private final Deadline deadline;
    private final List<String> told = new ArrayList<>();
    private boolean canWithdraw;

    Named(String name, long millis) {
      this.name = name;
      deadline = new Deadline(scheduler.nanos() + millis * A_MILLISECOND);
    }

    @Override
    public Deadline deadline() {
      return deadline;
    }

    @Override
    public boolean withdraw() {
      return canWithdraw;
    }

    @Override
    public void refused(String why) {
      told.add("refused: " + why);
    }

    @Override
    public void unknown(String why) {
      told.add("unknown: " + why);
    }

    @Override
    public void failed(Throwable why) {
      told.add("failed: " + why.getMessage());
    }
  }

  private CompletionStage<Consumer<Named>> perform(
      Bytes key, List<Named> writers, Deadline deadline) {
    begun.add(String.join(" ", writers.stream().map(writer -> writer.name).toList()));
    deadlines.add(deadline);
    CompletableFuture<Consumer<Named>> end = new CompletableFuture<>();
    underWay.add(end);
    return end.thenApply(
        done ->
            writer -> {
              done.accept(writer);
              writer.told.add("done of " + writers.size());
            });
  }

  private Named add(Bytes key, String name, long millis) {
    Named writer = new Named(name, millis);
    batcher.add(key, writer);
    return writer;
  }

  private Named add(String name) {
    return add(KEY, name, 1_000);
  }

  private void endFirst() {
    underWay.remove().complete(writer -> {});
    pass(1);
  }

  private void pass(long millis) {
    scheduler.run(Duration.ofMillis(millis), 10_000_000);
  }

  @Test
  void thoseWhoWaitForTheSameKeyArePerformedTogether() {
    Named first = add("a");
    Named second = add("b");
    Named third = add("c");
    Named other = add(OTHER, "o", 1_000);
    assertThat(begun).containsExactly("a", "o");
    assertThat(batcher.size()).isEqualTo(1);

    endFirst();
    Named fourth = add("d");
    assertThat(begun).containsExactly("a", "o", "b c");
    endFirst();
    endFirst();

    assertThat(begun).containsExactly("a", "o", "b c", "d");
    assertThat(first.told).containsExactly("done of 1");
    assertThat(other.told).containsExactly("done of 1");
    assertThat(second.told).containsExactly("done of 2");
    assertThat(third.told).containsExactly("done of 2");
    endFirst();
    pass(5_000);
    assertThat(fourth.told).containsExactly("done of 1");
    assertThat(batcher.size()).isZero();
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void whoseDeadlinePassesBeforeTheirBatchIsNotInIt() {
    Named first = add(KEY, "a", 5_000);
    Named hasty = add(KEY, "b", 100);
    Named patient = add(KEY, "c", 5_000);
    pass(99);
    assertThat(hasty.told).isEmpty();

    pass(2);

    assertThat(hasty.told)
        .hasSize(1)
        .allMatch(told -> told.startsWith("refused: the write waited"));
    endFirst();
    endFirst();
    assertThat(begun).containsExactly("a", "c");
    assertThat(hasty.told).hasSize(1);
    assertThat(first.told).containsExactly("done of 1");
    assertThat(patient.told).containsExactly("done of 1");
  }

  @Test
  void aBatchWhoseWritersAllTimedOutIsNotPerformed() {
    add(KEY, "a", 5_000);
    add(KEY, "b", 100);
    pass(200);
    endFirst();

    Named next = add(KEY, "c", 5_000);

    assertThat(begun).containsExactly("a", "c");
    endFirst();
    assertThat(next.told).containsExactly("done of 1");
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void whoseDeadlinePassesWhileTheirBatchIsUnderWayAreToldSoAndTheOthersAreNot() {
    add(KEY, "a", 5_000);
    Named hasty = add(KEY, "b", 100);
    Named patient = add(KEY, "c", 5_000);
    endFirst();
    assertThat(begun).containsExactly("a", "b c");
    assertThat(deadlines.get(1).atNanos()).isEqualTo(patient.deadline.atNanos());

    pass(200);

    assertThat(hasty.told).hasSize(1).allMatch(told -> told.startsWith("unknown: "));
    assertThat(patient.told).isEmpty();
    endFirst();
    assertThat(patient.told).containsExactly("done of 2");
  }

  @Test
  void whoseDeadlinePassesBeforeTheirBatchComesToThemAreRefused() {
    add(KEY, "a", 5_000);
    Named hasty = add(KEY, "b", 100);
    add(KEY, "c", 5_000);
    endFirst();
    hasty.canWithdraw = true;

    pass(200);

    assertThat(begun).containsExactly("a", "b c");
    assertThat(hasty.told)
        .hasSize(1)
        .allMatch(told -> told.startsWith("refused: the write waited"));
  }

  @Test
  void whoseDeadlineHasPassedWhenTheirBatchBeginsAreNotInIt() {
    add(KEY, "a", 5_000);
    Named late = add(KEY, "b", 0);
    underWay.remove().complete(writer -> {});
    pass(1);

    assertThat(begun).containsExactly("a");
    assertThat(late.told).hasSize(1).allMatch(told -> told.startsWith("refused: the write waited"));
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void aWriterOfABatchMayWaitForAnotherOneWhenItIsTold() {
    add(KEY, "a", 5_000);
    Named one = add(KEY, "b", 5_000);
    Named other = add(KEY, "c", 5_000);
    endFirst();
    List<String> tasks = new ArrayList<>();
    underWay.remove().complete(writer -> tasks.add(writer.name + " in " + scheduler.steps()));
    pass(1);

    assertThat(one.told).containsExactly("done of 2");
    assertThat(other.told).containsExactly("done of 2");
    assertThat(tasks).hasSize(2);
    assertThat(tasks.get(0).split(" in ")[1]).isNotEqualTo(tasks.get(1).split(" in ")[1]);
  }

  @Test
  void whatGoesWrongAsAWriterIsToldIsToldToItAlone() {
    add(KEY, "a", 5_000);
    Named one = add(KEY, "b", 5_000);
    Named other = add(KEY, "c", 5_000);
    endFirst();
    underWay
        .remove()
        .complete(
            writer -> {
              if (writer == one) {
                throw new IllegalStateException("no");
              }
            });
    pass(1);

    assertThat(one.told).containsExactly("failed: no");
    assertThat(other.told).containsExactly("done of 2");
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void oneMoreThanTheLimitIsRefusedAndOneThatTimedOutMakesRoom() {
    add(KEY, "a", 5_000);
    Named hasty = add(KEY, "w", 100);
    for (int i = 1; i < WriteBatcher.LIMIT; i++) {
      add(KEY, "w", 5_000);
    }

    assertThat(add(KEY, "x", 5_000).told)
        .hasSize(1)
        .allMatch(told -> told.startsWith("refused: 1024 writers"));
    pass(200);
    assertThat(hasty.told).hasSize(1);
    Named late = add(KEY, "y", 5_000);
    assertThat(late.told).isEmpty();

    endFirst();
    endFirst();
    assertThat(late.told).containsExactly("done of 1024");
    assertThat(batcher.size()).isZero();
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void whatGoesWrongIsToldToAllOfTheBatchAndTheNextBegins() {
    Named first = add("a");
    Named second = add("b");
    Named third = add("c");
    underWay.remove().completeExceptionally(new IllegalStateException("no"));
    pass(1);
    underWay.remove().completeExceptionally(new IllegalStateException("neither"));
    pass(1);

    assertThat(first.told).containsExactly("failed: no");
    assertThat(second.told).containsExactly("failed: neither");
    assertThat(third.told).containsExactly("failed: neither");
    assertThat(perKeyQueue.size()).isZero();
  }

  @Test
  void closingRefusesWhoeverWaits() {
    Named running = add("a");
    Named waiting = add("b");
    Named also = add("c");

    perKeyQueue.close();
    pass(1);

    assertThat(waiting.told).hasSize(1).allMatch(told -> told.startsWith("refused: "));
    assertThat(also.told).hasSize(1).allMatch(told -> told.startsWith("refused: "));
    assertThat(running.told).isEmpty();
    endFirst();
    assertThat(running.told).containsExactly("done of 1");
    assertThat(add("d").told).hasSize(1).allMatch(told -> told.contains("closed"));
    pass(5_000);
    assertThat(waiting.told).hasSize(1);
  }
}
