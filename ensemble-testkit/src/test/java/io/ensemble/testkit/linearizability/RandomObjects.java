package io.ensemble.testkit.linearizability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.JsonValues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Histories of real counters, queues, maps, versioned keys and znodes: each operation takes effect
 * at one instant between its call and its return, after random delays. Unknown ones take effect
 * late or never.
 */
final class RandomObjects {

  /**
   * What to generate.
   *
   * @param values how many values there are; 0 for every value its own
   * @param entries of a map; versions of a versioned key
   * @param wholePercent the percentage of a map's operations that are on the whole map; of a
   *     versioned key's operations that compact it
   * @param unknownPercent of operations
   */
  record Shape(
      NaiveObject kind,
      int clients,
      int keys,
      int operations,
      int values,
      int entries,
      int wholePercent,
      int unknownPercent) {}

  private record Effect(long at, int operation) {}

  private static final List<String> VERSIONED =
      List.of(
          "add_version",
          "add_version",
          "put_version",
          "put_version",
          "put_version",
          "put_version",
          "latest",
          "get_version",
          "range",
          "predecessor",
          "successor",
          "versions",
          "as_of");

  private final Random random;
  private final Shape shape;
  private final Map<String, JsonNode> contents = new HashMap<>();
  private int written;

  private RandomObjects(long seed, Shape shape) {
    this.random = new Random(seed);
    this.shape = shape;
  }

  static List<HistoryOperation> linearizable(long seed, Shape shape) {
    return new RandomObjects(seed, shape).generate();
  }

  private List<HistoryOperation> generate() {
    long[] free = new long[shape.clients()];
    long[] number = new long[shape.clients()];
    Arrays.setAll(number, i -> i);
    long nextNumber = shape.clients();
    List<HistoryOperation> plan = new ArrayList<>();
    PriorityQueue<Effect> effects =
        new PriorityQueue<>(Comparator.comparingLong(Effect::at).thenComparing(Effect::operation));
    for (int i = 0; i < shape.operations(); i++) {
      int client = random.nextInt(shape.clients());
      long call = free[client] + random.nextInt(4);
      long effect = call + delay();
      long end = effect + delay();
      boolean unknown = random.nextInt(100) < shape.unknownPercent();
      plan.add(planned(number[client], call, end, unknown));
      if (!unknown || random.nextBoolean()) {
        effects.add(new Effect(unknown ? call + random.nextInt(60) : effect, i));
      }
      free[client] = end + 1;
      if (unknown) {
        number[client] = nextNumber++;
      }
    }
    for (Effect next = effects.poll(); next != null; next = effects.poll()) {
      HistoryOperation planned = plan.get(next.operation());
      HistoryOperation operation =
          planned.op().equals("compact") ? compaction(planned, plan) : planned;
      plan.set(next.operation(), operation);
      JsonNode before = contents.getOrDefault(operation.key(), shape.kind().atFirst());
      NaiveObject.Done done = shape.kind().apply(operation, before);
      contents.put(operation.key(), done.after());
      if (operation.outcome() == HistoryOutcome.OK) {
        plan.set(next.operation(), with(operation, done.out(), operation.returnNanos()));
      }
    }
    return plan;
  }

  /** Compacts at a version that is present and was added by a completed operation. */
  private HistoryOperation compaction(HistoryOperation planned, List<HistoryOperation> plan) {
    List<JsonNode> there = new ArrayList<>();
    contents
        .getOrDefault(planned.key(), shape.kind().atFirst())
        .get("versions")
        .forEach(
            pair -> {
              if (plan.stream()
                  .filter(o -> o.outcome() == HistoryOutcome.OK && o.key().equals(planned.key()))
                  .anyMatch(o -> o.in().equals(pair.get(1)) || pair.get(1).equals(o.in().get(1)))) {
                there.add(pair.get(0));
              }
            });
    JsonNode at = there.isEmpty() ? JsonValues.of(0) : there.get(random.nextInt(there.size()));
    return new HistoryOperation(
        planned.client(),
        planned.key(),
        planned.op(),
        null,
        at,
        planned.out(),
        planned.callNanos(),
        planned.returnNanos(),
        planned.outcome());
  }

  private long delay() {
    return random.nextInt(20) == 0 ? random.nextInt(60) : random.nextInt(6);
  }

  private HistoryOperation planned(long client, long call, long end, boolean unknown) {
    String op;
    String entry = null;
    Object in = null;
    switch (shape.kind()) {
      case COUNTER -> {
        op = List.of("get", "inc", "add", "get_and_add", "cas").get(random.nextInt(5));
        switch (op) {
          case "add", "get_and_add" -> in = random.nextInt(4) - 1;
          case "cas" -> in = List.of(random.nextInt(4), random.nextInt(5));
          default -> {}
        }
      }
      case QUEUE -> {
        int choice = random.nextInt(16);
        op = choice == 0 ? "size" : choice < 8 ? "enqueue" : "dequeue";
        in = op.equals("enqueue") ? value() : null;
      }
      case VERSIONED -> {
        op =
            random.nextInt(100) < shape.wholePercent()
                ? "compact"
                : VERSIONED.get(random.nextInt(VERSIONED.size()));
        in = ofVersions(op);
      }
      case ZNODE -> {
        op =
            List.of("create", "set_data", "set_data", "delete_node", "get_data", "exists")
                .get(random.nextInt(6));
        Integer version = random.nextBoolean() ? null : (Integer) random.nextInt(3);
        switch (op) {
          case "create" -> in = value();
          case "set_data" -> in = Arrays.asList(value(), version);
          case "delete_node" -> in = version;
          default -> {}
        }
      }
      default -> {
        if (random.nextInt(100) < shape.wholePercent()) {
          op = List.of("size", "put_all", "snapshot", "clear").get(random.nextInt(4));
          in = op.equals("put_all") ? Map.of("e0", value(), "e1", value()) : null;
        } else {
          entry = entry();
          op =
              List.of("read", "write", "swap", "put_if_absent", "cas", "delete", "contains")
                  .get(random.nextInt(7));
          switch (op) {
            case "write", "swap", "put_if_absent" -> in = value();
            case "cas" -> in = List.of(Math.max(0, value() - 1 - random.nextInt(3)), value());
            default -> {}
          }
        }
      }
    }
    return new HistoryOperation(
        client,
        "k" + random.nextInt(shape.keys()),
        op,
        entry,
        JsonValues.of(in),
        NullNode.instance,
        call,
        unknown ? null : (Long) end,
        unknown ? HistoryOutcome.UNKNOWN : HistoryOutcome.OK);
  }

  private @Nullable Object ofVersions(String op) {
    long version = random.nextInt(shape.entries());
    return switch (op) {
      case "add_version" -> value();
      case "put_version" -> List.of(version, value());
      case "range" -> List.of(version, version + random.nextInt(6));
      case "versions" ->
          Arrays.asList(
              random.nextBoolean() ? version : null,
              random.nextBoolean() ? version + 3 : null,
              random.nextInt(4),
              random.nextBoolean());
      case "latest" -> null;
      case "as_of" -> random.nextInt(1 + (int) version); // Prefers a low version.
      default -> version;
    };
  }

  private String entry() {
    return "e" + random.nextInt(shape.entries());
  }

  private int value() {
    return shape.values() == 0 ? ++written : random.nextInt(shape.values());
  }

  /** Changes the result or the time of one completed operation. */
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
    JsonNode out = operation.out();
    if (out.isBoolean()) {
      changed.set(at, with(operation, JsonValues.of(!out.booleanValue()), operation.lastNanos()));
      return changed;
    }
    List<JsonNode> sameKind =
        completed.stream()
            .map(history::get)
            .filter(o -> o.op().equals(operation.op()))
            .map(HistoryOperation::out)
            .toList();
    JsonNode other = sameKind.get(random.nextInt(sameKind.size()));
    changed.set(
        at,
        other.equals(out)
            ? with(operation, out, operation.callNanos())
            : with(operation, other, operation.lastNanos()));
    return changed;
  }

  private static HistoryOperation with(HistoryOperation operation, JsonNode out, Long returnNanos) {
    return new HistoryOperation(
        operation.client(),
        operation.key(),
        operation.op(),
        operation.entry(),
        operation.in(),
        out,
        operation.callNanos(),
        returnNanos,
        operation.outcome());
  }
}
