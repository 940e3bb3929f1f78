package io.ensemble.testkit.losses;

import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Records writes, reads and reports for {@link FailoverLosses}. Epoch 1 ends between 100 and 110.
 */
abstract class FailoverLossesFixture {
  static final String KEY = "k";

  final FailoverLosses losses = new FailoverLosses(2, 0);
  final List<HistoryOperation> operations = new ArrayList<>();
  long client;

  Stamp wrote(long value, long at) {
    return wrote(KEY, value, at);
  }

  Stamp wrote(String key, long value, long at) {
    Stamp stamp = new Stamp(value, new WriterId(1, 1));
    losses.applied(losses.begin(0, key, value, at), stamp, at + 1);
    add(key, "write", value, null, at, HistoryOutcome.OK);
    return stamp;
  }

  void read(Long value, long at) {
    read(KEY, value, at);
  }

  void read(String key, Long value, long at) {
    add(key, "read", null, value, at, HistoryOutcome.OK);
  }

  void add(String key, String op, Long in, Long out, long at, HistoryOutcome outcome) {
    operations.add(
        new HistoryOperation(
            client++,
            key,
            op,
            null,
            in == null ? NullNode.instance : LongNode.valueOf(in),
            out == null ? NullNode.instance : LongNode.valueOf(out),
            at,
            outcome == HistoryOutcome.OK ? at + 1 : null,
            outcome));
  }

  void tell(Fate fate, Stamp... stamps) {
    tell(1, fate, stamps);
  }

  void tell(long epoch, Fate fate, Stamp... stamps) {
    losses.report(
        0,
        new InDoubtWrites<>(
            "c",
            epoch,
            fate,
            Arrays.stream(stamps).map(stamp -> new InDoubtWrites.Write<>(KEY, stamp)).toList()),
        200);
  }

  boolean isAllowed() {
    OperationHistory history = new OperationHistory(operations);
    return losses.judge(history).isLinearizable();
  }
}
