package io.ensemble.testkit.history.specification;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.SequentialModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A znode. Its states are numbered in the order in which they appeared. */
final class ZnodeMachine implements SequentialModel.Machine {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /**
   * Data that no read returned; no operation distinguishes two such data. It differs from all other
   * data.
   */
  private static final JsonNode UNSEEN = NODES.missingNode();

  /** A znode that exists; null takes its place if there is none. */
  private record ZnodeState(JsonNode data, long version) {}

  /**
   * An operation without its name.
   *
   * @param data the data that it writes; null for none
   * @param expected the version that it expects; null for any
   * @param out its result; null when unknown
   */
  private record ZnodeStep(
      ZnodeOp op, @Nullable JsonNode data, @Nullable Long expected, @Nullable JsonNode out) {

    static ZnodeStep of(HistoryOperation operation, Set<JsonNode> seen) {
      ZnodeOp op = ZnodeOp.of(operation);
      JsonNode in = operation.in();
      JsonNode out = operation.outcome() == HistoryOutcome.OK ? operation.out() : null;
      return switch (op) {
        case CREATE -> new ZnodeStep(op, withUnseenData(in, seen), null, out);
        case SET_DATA -> new ZnodeStep(op, withUnseenData(in.get(0), seen), whole(in.get(1)), out);
        case DELETE_NODE -> new ZnodeStep(op, null, whole(in), out);
        case GET_DATA, EXISTS -> new ZnodeStep(op, null, null, out);
      };
    }

    private static JsonNode withUnseenData(JsonNode data, Set<JsonNode> seen) {
      return seen.contains(data) ? data : UNSEEN;
    }

    private static @Nullable Long whole(JsonNode json) {
      return json.isNull() ? null : json.longValue();
    }

    private boolean hasResult(JsonNode with) {
      return out == null || out.equals(with);
    }

    boolean changed() {
      return switch (op) {
        case CREATE -> out == null || out.booleanValue();
        case SET_DATA -> out == null || !out.isTextual();
        case DELETE_NODE -> out == null || out.textValue().equals(ZnodeModel.DELETED);
        case GET_DATA, EXISTS -> false;
      };
    }
  }

  private final List<ZnodeStep> steps;
  private final List<@Nullable ZnodeState> nodes = new ArrayList<>();
  private final Map<ZnodeState, Integer> numbers = new HashMap<>();
  private final int[] sameness;
  private final int samenesses;

  ZnodeMachine(List<HistoryOperation> operations) {
    Set<JsonNode> seen = seen(operations);
    steps = operations.stream().map(operation -> ZnodeStep.of(operation, seen)).toList();
    nodes.add(null);
    Map<ZnodeStep, Integer> kinds = new HashMap<>();
    sameness = new int[steps.size()];
    for (int i = 0; i < sameness.length; i++) {
      if (operations.get(i).outcome() == HistoryOutcome.UNKNOWN) {
        sameness[i] = kinds.computeIfAbsent(steps.get(i), kind -> kinds.size());
      }
    }
    samenesses = kinds.size();
  }

  private static Set<JsonNode> seen(List<HistoryOperation> operations) {
    return operations.stream()
        .filter(one -> one.outcome() == HistoryOutcome.OK && one.out().isArray())
        .filter(one -> ZnodeOp.of(one) == ZnodeOp.GET_DATA)
        .map(one -> one.out().get(1))
        .collect(Collectors.toSet());
  }

  @Override
  public int initial() {
    return 0;
  }

  private int number(ZnodeState node) {
    return numbers.computeIfAbsent(
        node,
        fresh -> {
          nodes.add(fresh);
          return nodes.size() - 1;
        });
  }

  @Override
  public int step(int state, int operation) {
    ZnodeStep step = steps.get(operation);
    ZnodeState node = nodes.get(state);
    return switch (step.op()) {
      case CREATE -> created(state, node, step);
      case SET_DATA -> set(state, node, step);
      case DELETE_NODE -> deleted(state, node, step);
      case GET_DATA -> stateIf(state, step, seen(node));
      case EXISTS ->
          stateIf(state, step, node == null ? NODES.nullNode() : NODES.numberNode(node.version()));
    };
  }

  private static JsonNode seen(@Nullable ZnodeState node) {
    return node == null
        ? NODES.nullNode()
        : NODES.arrayNode(2).add(node.version()).add(node.data());
  }

  private static int stateIf(int state, ZnodeStep step, JsonNode out) {
    return step.hasResult(out) ? state : IMPOSSIBLE;
  }

  private int created(int state, @Nullable ZnodeState node, ZnodeStep step) {
    boolean fits = step.hasResult(NODES.booleanNode(node == null));
    if (!fits) {
      return IMPOSSIBLE;
    }
    return node == null && step.data() != null ? number(new ZnodeState(step.data(), 0)) : state;
  }

  private int set(int state, @Nullable ZnodeState node, ZnodeStep step) {
    String errorCode = refusal(node, step);
    if (errorCode != null || node == null || step.data() == null) {
      return stateIf(state, step, NODES.textNode(String.valueOf(errorCode)));
    }
    long version = node.version() + 1;
    return step.hasResult(NODES.numberNode(version))
        ? number(new ZnodeState(step.data(), version))
        : IMPOSSIBLE;
  }

  private static int deleted(int state, @Nullable ZnodeState node, ZnodeStep step) {
    String errorCode = refusal(node, step);
    if (errorCode != null) {
      return stateIf(state, step, NODES.textNode(errorCode));
    }
    return step.hasResult(NODES.textNode(ZnodeModel.DELETED)) ? 0 : IMPOSSIBLE;
  }

  private static @Nullable String refusal(@Nullable ZnodeState node, ZnodeStep step) {
    if (node == null) {
      return ZnodeModel.NO_NODE;
    }
    Long expected = step.expected();
    return expected == null || expected == node.version() ? null : ZnodeModel.BAD_VERSION;
  }

  @Override
  public boolean changesNothing(int operation) {
    return !steps.get(operation).changed();
  }

  @Override
  public int sameness(int operation) {
    return sameness[operation];
  }

  @Override
  public int samenesses() {
    return samenesses;
  }

  @Override
  public String describe(int state) {
    ZnodeState node = nodes.get(state);
    if (node == null) {
      return "no znode";
    }
    return (node.data().isMissingNode() ? "unseen data" : node.data())
        + " of version "
        + node.version();
  }
}
