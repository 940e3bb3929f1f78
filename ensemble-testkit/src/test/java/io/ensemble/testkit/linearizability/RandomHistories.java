package io.ensemble.testkit.linearizability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.JsonValues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Histories of real atomic registers: each operation takes effect at one instant between its call
 * and its return, after random delays. Unknown ones take effect late or never.
 */
public final class RandomHistories {
  private static final List<String> OPS =
      List.of(
          "read",
          "read",
          "write",
          "swap",
          "put_if_absent",
          "replace",
          "cas",
          "cas",
          "delete",
          "get_and_remove",
          "remove_if",
          "contains");

  /**
   * What to generate.
   *
   * @param values how many values there are; 0 for every value its own
   * @param unknownPercent of operations
   */
  public record Shape(int clients, int keys, int operations, int values, int unknownPercent) {}

  private record Effect(long at, int operation) {}

  private final Random random;
  private final Shape shape;
  private final @Nullable JsonNode[] values;
  private final int[] written;

  private RandomHistories(long seed, Shape shape) {
    this.random = new Random(seed);
    this.shape = shape;
    this.values = new JsonNode[shape.keys()];
    this.written = new int[shape.keys()];
    Arrays.fill(values, NullNode.instance);
  }

  /** A linearizable history. */
  public static List<HistoryOperation> linearizable(long seed, Shape shape) {
    return new RandomHistories(seed, shape).generate();
  }

  private List<HistoryOperation> generate() {
    long[] free = new long[shape.clients()];
    long[] number = new long[shape.clients()];
    Arrays.setAll(number, i -> i);
    long nextNumber = shape.clients();
    List<HistoryOperation> plan = new ArrayList<>();
    List<Long> effects = new ArrayList<>();
    for (int i = 0; i < shape.operations(); i++) {
      int client = random.nextInt(shape.clients());
      long call = free[client] + random.nextInt(4);
      long effect = call + delay();
      long end = effect + delay();
      boolean unknown = random.nextInt(100) < shape.unknownPercent();
      plan.add(planned(number[client], call, end, unknown));
      effects.add(unknown ? lateOrNever(call, effect) : effect);
      free[client] = end + 1;
      if (unknown) {
        number[client] = nextNumber++;
      }
    }
    return takeEffect(plan, effects);
  }

  private long delay() {
    return random.nextInt(20) == 0 ? random.nextInt(60) : random.nextInt(6);
  }

  private long lateOrNever(long call, long effect) {
    return switch (random.nextInt(3)) {
      case 0 -> Long.MAX_VALUE;
      case 1 -> call + random.nextInt(200);
      default -> effect;
    };
  }

  private HistoryOperation planned(long client, long call, long end, boolean unknown) {
    int key = random.nextInt(shape.keys());
    String op = OPS.get(random.nextInt(OPS.size()));
    JsonNode in = NullNode.instance;
    switch (op) {
      case "write", "swap", "put_if_absent", "replace" -> in = newValue(key);
      case "cas" -> {
        Object expected = random.nextInt(4) == 0 ? null : oldValue(key);
        Object replacing = random.nextInt(6) == 0 ? null : newValue(key);
        in = JsonValues.of(Arrays.asList(expected, replacing));
      }
      case "remove_if" -> in = oldValue(key);
      default -> {}
    }
    return new HistoryOperation(
        client,
        "k" + key,
        op,
        null,
        in,
        NullNode.instance,
        call,
        unknown ? null : (Long) end,
        unknown ? HistoryOutcome.UNKNOWN : HistoryOutcome.OK);
  }

  private JsonNode newValue(int key) {
    int value = shape.values() == 0 ? ++written[key] : random.nextInt(shape.values());
    return JsonValues.of(value);
  }

  private JsonNode oldValue(int key) {
    if (shape.values() != 0) {
      return JsonValues.of(random.nextInt(shape.values()));
    }
    return JsonValues.of(Math.max(1, written[key] - random.nextInt(4)));
  }

  private List<HistoryOperation> takeEffect(List<HistoryOperation> plan, List<Long> effects) {
    PriorityQueue<Effect> queue =
        new PriorityQueue<>(Comparator.comparingLong(Effect::at).thenComparing(Effect::operation));
    for (int i = 0; i < plan.size(); i++) {
      queue.add(new Effect(effects.get(i), i));
    }
    List<HistoryOperation> done = new ArrayList<>(plan);
    for (Effect next = queue.poll(); next != null; next = queue.poll()) {
      if (next.at() != Long.MAX_VALUE) {
        HistoryOperation operation = plan.get(next.operation());
        JsonNode out = apply(operation);
        if (operation.outcome() == HistoryOutcome.OK) {
          done.set(next.operation(), with(operation, out, operation.returnNanos()));
        }
      }
    }
    return done;
  }

  private JsonNode apply(HistoryOperation operation) {
    int key = Integer.parseInt(operation.key().substring(1));
    JsonNode old = values[key];
    JsonNode in = operation.in();
    JsonNode nothing = NullNode.instance;
    boolean present = old != null && !old.isNull();
    switch (operation.op()) {
      case "read":
        return JsonValues.of(old);
      case "contains":
        return JsonValues.of(present);
      case "write":
        values[key] = in;
        return nothing;
      case "delete":
        values[key] = nothing;
        return nothing;
      case "swap":
        values[key] = in;
        return JsonValues.of(old);
      case "get_and_remove":
        values[key] = nothing;
        return JsonValues.of(old);
      case "put_if_absent":
        return JsonValues.of(set(key, in, !present));
      case "replace":
        return JsonValues.of(set(key, in, present));
      case "cas":
        return JsonValues.of(set(key, in.get(1), in.get(0).equals(old)));
      case "remove_if":
        return JsonValues.of(set(key, nothing, in.equals(old)));
      default:
        throw new AssertionError(operation.op());
    }
  }

  private boolean set(int key, JsonNode value, boolean holds) {
    if (holds) {
      values[key] = value;
    }
    return holds;
  }

  /** Changes the history in one respect of one completed operation. */
  static List<HistoryOperation> mutated(List<HistoryOperation> history, Random random) {
    List<HistoryOperation> changed = new ArrayList<>(history);
    List<Integer> completed = new ArrayList<>();
    for (int i = 0; i < history.size(); i++) {
      if (history.get(i).outcome() == HistoryOutcome.OK) {
        completed.add(i);
      }
    }
    if (completed.isEmpty()) {
      return changed;
    }
    int at = completed.get(random.nextInt(completed.size()));
    HistoryOperation operation = history.get(at);
    HistoryOperation other = history.get(completed.get(random.nextInt(completed.size())));
    long call = operation.callNanos();
    long end = operation.lastNanos();
    changed.set(
        at,
        switch (operation.op()) {
          case "read", "swap", "get_and_remove" -> with(operation, someValue(other), end);
          case "put_if_absent", "replace", "cas", "remove_if", "contains" ->
              with(operation, JsonValues.of(!operation.out().booleanValue()), end);
          default -> with(operation, operation.out(), call);
        });
    return changed;
  }

  private static JsonNode someValue(HistoryOperation operation) {
    JsonNode in = operation.in();
    return in.isArray() ? in.get(1) : in;
  }

  static HistoryOperation with(
      HistoryOperation operation, JsonNode out, @Nullable Long returnNanos) {
    return new HistoryOperation(
        operation.client(),
        operation.key(),
        operation.op(),
        null,
        operation.in(),
        out,
        operation.callNanos(),
        returnNanos,
        operation.outcome());
  }
}
