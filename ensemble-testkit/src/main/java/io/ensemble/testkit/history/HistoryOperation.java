package io.ensemble.testkit.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One operation of one client, as that client saw it. Immutable.
 *
 * @param client the client; it has one operation at a time
 * @param key the object of the operation
 * @param op the name of the operation, such as {@code read} or {@code cas}
 * @param entry the entry of the object, for objects that have entries (a map); otherwise null
 * @param in the argument; a JSON null means absent
 * @param out the result; a JSON null means absent. Meaningless unless the outcome is {@link
 *     HistoryOutcome#OK}
 * @param callNanos the time of the call, on the history's one monotonic clock
 * @param returnNanos the time of the return, on the same clock; null if unknown, which is not
 *     allowed for an operation that is {@link HistoryOutcome#OK}
 * @param outcome how the operation ended
 */
public record HistoryOperation(
    long client,
    String key,
    String op,
    @Nullable String entry,
    JsonNode in,
    JsonNode out,
    long callNanos,
    @Nullable Long returnNanos,
    HistoryOutcome outcome) {

  /**
   * Checks the fields and normalizes {@code in} and {@code out}, so that {@code equals} is JSON
   * equality (5 and 5.0 are equal).
   *
   * @throws IllegalArgumentException if the operation returned before it was called, completed at
   *     an unknown time, or has no name
   */
  public HistoryOperation {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(op, "op");
    Objects.requireNonNull(outcome, "outcome");
    in = JsonValues.canonical(in);
    out = JsonValues.canonical(out);
    if (op.isEmpty()) {
      throw new IllegalArgumentException("expected the name of an operation in op, got \"\"");
    }
    if (returnNanos == null && outcome == HistoryOutcome.OK) {
      throw new IllegalArgumentException(
          "expected return_ns of an operation that completed (ok is true), got null");
    }
    if (returnNanos != null && returnNanos < callNanos) {
      throw new IllegalArgumentException(
          "expected return_ns at or after call_ns " + callNanos + ", got " + returnNanos);
    }
  }

  /** The same operation as an unfinished one: its client has not learnt its outcome. */
  public HistoryOperation pending() {
    return new HistoryOperation(
        client, key, op, entry, in, NullNode.instance, callNanos, null, HistoryOutcome.UNKNOWN);
  }

  /** The time by which the operation had certainly returned: never, unless it completed. */
  public long lastNanos() {
    return outcome == HistoryOutcome.OK && returnNanos != null ? returnNanos : Long.MAX_VALUE;
  }

  /** The operation in one line, without its client and times: {@code cas([1,2]) = true}. */
  public String describe() {
    String argument = in.isNull() ? "" : in.toString();
    String name = entry == null ? op : op + "[" + entry + "]";
    String result =
        switch (outcome) {
          case OK -> " = " + out;
          case REFUSED -> " refused";
          case UNKNOWN -> " = ?";
        };
    return name + "(" + argument + ")" + result;
  }
}
