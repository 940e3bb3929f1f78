package io.ensemble.registers.drive;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.registers.ContentionManager;
import io.ensemble.registers.RegisterObjectException;
import io.ensemble.registers.SharedCount;
import io.ensemble.registers.StateOperation;
import io.ensemble.registers.StateOperation.Effect;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.specification.CounterModel;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A counter of several processes, on registers whose order a seed decides. */
class ObjectQueueSimulationTest {

  private static final int OPERATIONS = 12;
  private static final int SEEDS = 300;

  static final StateOperation<Long, Long> GET = count -> new Effect<>(count, count);

  private static ObjectQueue<Long> queue(SimulatedRegisters registers, int process) {
    return new ObjectQueue<>(
        "counter",
        registers.of(process),
        SharedCount.CODEC,
        0L,
        200,
        Duration.ofHours(1),
        ContentionManager.none());
  }

  /** Makes operations one after the other, and records them. */
  private static final class Client {
    private final ObjectQueue<Long> queue;
    private final HistoryRecorder recorder;
    private final int operations;
    private long client;
    private int made;

    Client(ObjectQueue<Long> queue, HistoryRecorder recorder, int operations) {
      this.queue = queue;
      this.recorder = recorder;
      this.operations = operations;
      this.client = recorder.newClient();
    }

    void next() {
      if (made == operations) {
        return;
      }
      boolean isRead = made++ % 4 == 3;
      HistoryRecorder.Pending call =
          recorder.begin(client, "counter", isRead ? "get" : "inc", null);
      queue
          .add(isRead ? GET : SharedCount.INCREMENT)
          .whenComplete(
              (count, failure) -> {
                client = failure == null ? call.ok(count) : end(call, failure);
                next();
              });
    }

    private static long end(HistoryRecorder.Pending call, Throwable failure) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      if (cause instanceof RegisterObjectException.NotApplied) {
        return call.failed();
      }
      if (cause instanceof RegisterObjectException.Unknown) {
        return call.unknown();
      }
      throw new AssertionError(cause);
    }
  }

  /**
   * Runs processes until nothing is left to do.
   *
   * @param stops how many of the processes stop for good, at a random step
   */
  private static List<HistoryOperation> run(
      long seed, int processes, double unknownWrites, int stops) throws Exception {
    SimulatedRegisters registers = new SimulatedRegisters(seed, unknownWrites);
    HistoryRecorder recorder = HistoryRecorder.inMemory(registers::steps, 10_000);
    for (int i = 0; i < processes; i++) {
      new Client(queue(registers, i), recorder, OPERATIONS).next();
    }
    Random when = new Random(seed);
    for (int i = 0; i < stops; i++) {
      int steps = when.nextInt(400);
      while (steps-- > 0 && registers.step()) {}
      registers.stop(i);
    }
    while (registers.step()) {
      assertThat(registers.steps()).as("steps, seed %d", seed).isLessThan(2_000_000);
    }
    FailureArtifacts.requireLinearizable(
        recorder.history(),
        LinearizabilityChecker.Options.of(CounterModel.INSTANCE),
        ObjectQueueSimulationTest.class,
        "seed-" + seed);
    List<HistoryOperation> operations = recorder.history().operations();
    recorder.close();
    return operations;
  }

  @ParameterizedTest
  @CsvSource({"1, 0, 0", "2, 0, 0", "3, 0, 0", "3, 0.02, 0", "4, 0, 2", "4, 0.03, 1", "2, 0.05, 0"})
  void countsAreLinearizable(int processes, double unknownWrites, int stops) throws Exception {
    long ok = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      List<HistoryOperation> operations = run(seed, processes, unknownWrites, stops);
      ok += operations.stream().filter(o -> o.outcome() == HistoryOutcome.OK).count();
    }
    assertThat(ok).isGreaterThan((long) SEEDS * OPERATIONS * (processes - stops) / 2);
  }

  @Test
  void oneProcessGoesOnAfterUnknownWrites() throws Exception {
    List<HistoryOperation> operations = run(7, 1, 0.1, 0);

    assertThat(operations).hasSize(OPERATIONS);
    assertThat(operations.stream().filter(o -> o.outcome() == HistoryOutcome.OK)).isNotEmpty();
    assertThat(operations.stream().filter(o -> o.outcome() != HistoryOutcome.OK)).isNotEmpty();
  }

  /** Its entry is free then, and others reuse its index. */
  @Test
  void aProcessThatHasLeftTakesNoPart() throws Exception {
    SimulatedRegisters registers = new SimulatedRegisters(1, 0);
    ObjectQueue<Long> leaving = queue(registers, 0);
    CompletionStage<Long> before = leaving.add(SharedCount.INCREMENT);
    CompletionStage<Void> left = leaving.leave();
    CompletionStage<Long> after = leaving.add(SharedCount.INCREMENT);
    while (registers.step()) {}

    assertThat(before.toCompletableFuture()).isCompletedWithValue(1L);
    assertThat(left.toCompletableFuture()).isCompleted();
    assertThat(after.toCompletableFuture())
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(RegisterObjectException.NotApplied.class);
    CompletionStage<Long> other = queue(registers, 1).add(GET);
    while (registers.step()) {}
    assertThat(other.toCompletableFuture()).isCompletedWithValue(1L);
  }

  @Test
  void leavingWaitsForTheEntriesOfAbandonedOperations() {
    for (long seed = 1; seed <= 200; seed++) {
      SimulatedRegisters registers = new SimulatedRegisters(seed, 0);
      ObjectQueue<Long> queue = queue(registers, 0);
      registers.failOnce("/collision"); // Inside a consensus.
      CompletionStage<Long> failed = queue.add(SharedCount.INCREMENT);
      CompletionStage<Void> left = queue.leave();
      while (registers.step()) {
        if (left.toCompletableFuture().isDone()) {
          assertThat(registers.retired()).isEqualTo(1);
        }
      }

      assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
      assertThat(left.toCompletableFuture()).isCompleted();
      assertThat(registers.retired()).isEqualTo(1);
    }
  }

  /** Failures outside of a consensus need no further participant: this object has two. */
  @Test
  void functionsThatFailUseNoParticipantUp() {
    SimulatedRegisters registers = new SimulatedRegisters(1, 0);
    ObjectQueue<Long> queue =
        new ObjectQueue<>(
            "counter",
            registers.of(0),
            SharedCount.CODEC,
            0L,
            2,
            Duration.ofHours(1),
            ContentionManager.none());
    for (int i = 0; i < 10; i++) {
      CompletionStage<Long> failed =
          queue.add(
              count -> {
                throw new IllegalStateException("invalid");
              });
      CompletionStage<Long> counted = queue.add(SharedCount.INCREMENT);
      while (registers.step()) {}

      assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
      assertThat(counted.toCompletableFuture()).isCompletedWithValue(i + 1L);
    }
  }

  @Test
  void operationsThatTheCallerCancelsDoNotFillTheQueue() {
    SimulatedRegisters registers = new SimulatedRegisters(1, 0);
    ObjectQueue<Long> queue = queue(registers, 0);
    for (int i = 0; i < ObjectQueue.MOST_WAITING; i++) {
      queue.add(GET).toCompletableFuture().cancel(true);
    }
    assertThat(queue.add(GET).toCompletableFuture()).isCompletedExceptionally();
    while (registers.step()) {}

    CompletionStage<Long> next = queue.add(GET);
    while (registers.step()) {}
    assertThat(next.toCompletableFuture()).isCompletedWithValue(0L);
  }
}
