package io.ensemble.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryRecorderTest {
  private final AtomicLong clock = new AtomicLong();

  @TempDir Path directory;

  private HistoryRecorder inMemory() {
    return HistoryRecorder.inMemory(clock::incrementAndGet, 100);
  }

  @Test
  void operationIsRecordedWithItsTimesAndResult() {
    HistoryRecorder recorder = inMemory();
    long client = recorder.newClient();

    long next = recorder.begin(client, "k", "cas", Arrays.asList(null, 5L)).ok(true);

    assertThat(next).isEqualTo(client);
    HistoryOperation only = recorder.history().operations().get(0);
    assertThat(only.describe()).isEqualTo("cas([null,5]) = true");
    assertThat(only.callNanos()).isEqualTo(1);
    assertThat(only.returnNanos()).isEqualTo(2L);
  }

  @Test
  void refusedOperationHasAReturnTimeAndKeepsItsClient() {
    HistoryRecorder recorder = inMemory();
    long client = recorder.newClient();

    long next = recorder.begin(client, "k", "write", 5).failed();

    assertThat(next).isEqualTo(client);
    HistoryOperation only = recorder.history().operations().get(0);
    assertThat(only.outcome()).isEqualTo(HistoryOutcome.REFUSED);
    assertThat(only.returnNanos()).isEqualTo(2L);
  }

  @Test
  void clientGetsANewNumberAfterAnUnknownOutcome() {
    HistoryRecorder recorder = inMemory();
    long client = recorder.newClient();
    long other = recorder.newClient();

    long next = recorder.begin(client, "k", "write", 5).unknown();

    assertThat(next).isNotIn(client, other);
    assertThatThrownBy(() -> recorder.begin(client, "k", "read", null))
        .isInstanceOf(IllegalStateException.class);
    recorder.begin(next, "k", "read", null).ok(5);
    assertThat(recorder.history().operations().get(0).returnNanos()).isNull();
  }

  @Test
  void secondOperationOfABusyClientIsRefused() {
    HistoryRecorder recorder = inMemory();
    long client = recorder.newClient();
    recorder.begin(client, "k", "read", null);

    assertThatThrownBy(() -> recorder.begin(client, "k", "read", null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has an operation under way");
  }

  @Test
  void operationEndsOnce() {
    HistoryRecorder recorder = inMemory();
    Pending pending = recorder.begin(recorder.newClient(), "k", "write", 1);
    pending.unknown();

    assertThatThrownBy(() -> pending.ok(null)).isInstanceOf(IllegalStateException.class);
    assertThat(recorder.history().operations()).hasSize(1);
  }

  @Test
  void numberThatItDidNotGiveIsRefused() {
    assertThatThrownBy(() -> inMemory().begin(7, "k", "read", null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("got 7");
  }

  @Test
  void fullRecorderRefusesTheNextOperation() {
    HistoryRecorder recorder = HistoryRecorder.inMemory(clock::incrementAndGet, 2);
    long client = recorder.newClient();
    recorder.begin(client, "k", "write", 1).ok(null);
    recorder.begin(client, "k", "write", 2).ok(null);

    assertThatThrownBy(() -> recorder.begin(client, "k", "write", 3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("full: 2");
  }

  @Test
  void operationsUnderWayAreUnknownInTheHistoryAndInTheFile() throws IOException {
    Path file = directory.resolve("run.jsonl");
    HistoryRecorder recorder = HistoryRecorder.toFile(clock::incrementAndGet, 1_000, file);
    long client = recorder.newClient();
    recorder.begin(client, "k", "write", 1).ok(null);
    Pending open = recorder.begin(client, "k", "write", 2);
    recorder.close();
    recorder.close();

    List<HistoryOperation> operations = HistoryReader.read(file).operations();

    assertThat(operations).extracting(HistoryOperation::client).containsExactly(1_000L, 1_000L);
    assertThat(operations.get(1).outcome()).isEqualTo(HistoryOutcome.UNKNOWN);
    assertThatThrownBy(() -> open.ok(null)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> recorder.begin(client, "k", "read", null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void manyThreadsOnAnAtomicReferenceRecordALinearizableHistory() throws Exception {
    Path file = directory.resolve("threads.jsonl");
    AtomicReference<@Nullable Integer> register = new AtomicReference<>();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (HistoryRecorder recorder = HistoryRecorder.toFile(System::nanoTime, 0, file)) {
      List<Callable<@Nullable Void>> clients =
          IntStream.range(0, 4)
              .<Callable<@Nullable Void>>mapToObj(n -> () -> work(recorder, register, n))
              .toList();
      for (Future<@Nullable Void> client : threads.invokeAll(clients)) {
        client.get();
      }
    } finally {
      threads.shutdownNow();
    }

    OperationHistory history = HistoryReader.read(file);

    assertThat(history.operations()).hasSize(4 * 3 * 500);
    LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, Options.registers());
    assertThat(verdict.isLinearizable()).as(verdict.explain()).isTrue();
  }

  private static @Nullable Void work(
      HistoryRecorder recorder, AtomicReference<@Nullable Integer> register, int number) {
    long client = recorder.newClient();
    for (int i = 0; i < 500; i++) {
      Integer value = number * 1_000_000 + i * 2;
      Pending swap = recorder.begin(client, "k", "swap", value);
      swap.ok(register.getAndSet(value));
      Pending read = recorder.begin(client, "k", "read", null);
      Integer seen = register.get();
      read.ok(seen);
      Integer next = value + 1;
      Pending cas = recorder.begin(client, "k", "cas", Arrays.asList(seen, next));
      cas.ok(register.compareAndSet(seen, next));
    }
    return null;
  }
}
