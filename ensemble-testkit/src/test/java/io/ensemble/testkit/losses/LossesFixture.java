package io.ensemble.testkit.losses;

import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.DoubtfulWrites;
import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.Operation;
import io.ensemble.testkit.history.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writes, reads and reports as a judge is told of them. Epoch 1 ends between 100 and 110. */
abstract class LossesFixture {
  static final String KEY = "k";

  final Losses losses = new Losses(2, 0);
  final List<Operation> operations = new ArrayList<>();
  long client;

  Stamp wrote(long value, long at) {
    return wrote(KEY, value, at);
  }

  Stamp wrote(String key, long value, long at) {
    Stamp stamp = new Stamp(value, new WriterId(1, 1));
    losses.applied(losses.begin(0, key, value, at), stamp, at + 1);
    add(key, "write", value, null, at, Outcome.OK);
    return stamp;
  }

  void read(Long value, long at) {
    read(KEY, value, at);
  }

  void read(String key, Long value, long at) {
    add(key, "read", null, value, at, Outcome.OK);
  }

  void add(String key, String op, Long in, Long out, long at, Outcome outcome) {
    operations.add(
        new Operation(
            client++,
            key,
            op,
            null,
            in == null ? NullNode.instance : LongNode.valueOf(in),
            out == null ? NullNode.instance : LongNode.valueOf(out),
            at,
            outcome == Outcome.OK ? at + 1 : null,
            outcome));
  }

  void tell(Fate fate, Stamp... stamps) {
    tell(1, fate, stamps);
  }

  void tell(long epoch, Fate fate, Stamp... stamps) {
    losses.report(
        0,
        new DoubtfulWrites<>(
            "c",
            epoch,
            fate,
            Arrays.stream(stamps).map(stamp -> new DoubtfulWrites.Write<>(KEY, stamp)).toList()),
        200);
  }

  boolean isAllowed() {
    History history = new History(operations);
    return losses.judge(history).isLinearizable();
  }
}
