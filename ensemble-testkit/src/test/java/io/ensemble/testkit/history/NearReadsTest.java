package io.ensemble.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NearReadsTest {

  private final List<HistoryOperation> operations = new ArrayList<>();

  private void add(
      long client, String op, @Nullable Object in, @Nullable Object out, long call, long end) {
    operations.add(
        new HistoryOperation(
            client,
            "k",
            op,
            null,
            JsonValues.of(in),
            JsonValues.of(out),
            call,
            end,
            HistoryOutcome.OK));
  }

  private void nearRead(long client, long age, @Nullable Object out, long call) {
    add(client, NearReads.OPERATION, age, out, call, call + 1);
  }

  private boolean isValid() {
    return LinearizabilityChecker.check(
            NearReads.asReads(new OperationHistory(operations)), Options.registers())
        .isLinearizable();
  }

  private Optional<HistoryOperation> stepsBack() {
    return NearReads.stepsBack(new OperationHistory(operations));
  }

  @Test
  void aValueMayBeAsOldAsAllowed() {
    add(1, "write", 1, null, 10, 20);
    add(1, "write", 2, null, 90, 100);
    nearRead(2, 50, 1, 150);
    assertThat(isValid()).isTrue();
  }

  @Test
  void anOlderValueIsAViolation() {
    add(1, "write", 1, null, 10, 20);
    add(1, "write", 2, null, 90, 100);
    nearRead(2, 49, 1, 150);
    assertThat(isValid()).isFalse();
  }

  @Test
  void aClientReadsItsOwnWrites() {
    add(1, "write", 1, null, 10, 20);
    add(1, "write", 2, null, 90, 100);
    nearRead(1, 1_000, 1, 150);
    assertThat(isValid()).isFalse();
  }

  @Test
  void aPlainReadIsNotMoved() {
    add(1, "write", 1, null, 10, 20);
    add(1, "write", 2, null, 90, 100);
    add(2, "read", null, 1, 150, 151);
    assertThat(isValid()).isFalse();
  }

  @Test
  void anUnwrittenValueIsAViolation() {
    add(1, "write", 1, null, 10, 20);
    nearRead(2, 1_000, 3, 150);
    assertThat(isValid()).isFalse();
  }

  @Test
  void aClientThatGoesBackIsAViolation() {
    add(1, "write", 1, null, 10, 20);
    add(1, "write", 2, null, 90, 100);
    nearRead(2, 1_000, 2, 150);
    nearRead(3, 1_000, 1, 160);
    assertThat(stepsBack()).isEmpty();
    nearRead(2, 1_000, 1, 170);
    assertThat(stepsBack()).contains(operations.get(operations.size() - 1));
  }

  @Test
  void anAbsentKeyBetweenHidesNothing() {
    add(1, "write", 1, null, 10, 20);
    add(1, "put_if_absent", 2, true, 90, 100);
    nearRead(2, 1_000, 2, 150);
    nearRead(2, 1_000, null, 160);
    nearRead(2, 1_000, 1, 170);
    assertThat(stepsBack()).isPresent();
  }

  @Test
  void concurrentWritesMayBeReadInAnyOrder() {
    add(1, "write", 1, null, 10, 100);
    add(4, "write", 2, null, 90, 110);
    nearRead(2, 1_000, 2, 150);
    nearRead(2, 1_000, 1, 170);
    assertThat(stepsBack()).isEmpty();
    assertThat(isValid()).isTrue();
  }
}
