package io.ensemble.testkit.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One operation of one client, as that client saw it. Immutable.
 *
 * @param client who did it; one client has one operation at a time
 * @param key the object that it is about
 * @param op its name, such as {@code read} or {@code cas}
 * @param entry the entry of the object, for objects that have entries (a map); otherwise null
 * @param in its argument; a JSON null means absent
 * @param out its result; a JSON null means absent. Means nothing unless the outcome is {@link
 *     Outcome#OK}
 * @param callNanos when it was called, on the history's one monotonic clock
 * @param returnNanos when it returned, on the same clock; null when that is not known, which an
 *     operation that is {@link HistoryOutcome#OK} may not be
 * @param outcome how it ended
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
   * Checks the fields and brings {@code in} and {@code out} into one form, in which {@code equals}
   * is JSON equality (5 and 5.0 are equal).
   *
   * @throws IllegalArgumentException if it returned before it was called, or completed at a time
   *     unknown, or has no name
   */
  public HistoryOperation {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(op, "op");
    Objects.requireNonNull(outcome, "outcome");
    in = JsonValues.canonical(in);
    out = JsonValues.canonical(out);
    if (op.isEmpty()) {
      throw new IllegalArgumentException("wanted the name of an operation in op, got \"\"");
    }
    if (returnNanos == null && outcome == HistoryOutcome.OK) {
      throw new IllegalArgumentException(
          "wanted return_ns of an operation that completed (ok is true), got null");
    }
    if (returnNanos != null && returnNanos < callNanos) {
      throw new IllegalArgumentException(
          "wanted return_ns at or after call_ns " + callNanos + ", got " + returnNanos);
    }
  }

  /** The same operation, had its client not yet learnt how it ended. */
  public HistoryOperation pending() {
    return new HistoryOperation(
        client, key, op, entry, in, NullNode.instance, callNanos, null, HistoryOutcome.UNKNOWN);
  }

  /** When it had certainly returned: never, unless it completed. */
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
