package io.ensemble.testkit.linearizability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.SequentialModel;
import io.ensemble.testkit.history.specification.CounterModel;
import io.ensemble.testkit.history.specification.MapModel;
import io.ensemble.testkit.history.specification.QueueModel;
import io.ensemble.testkit.history.specification.ZnodeModel;
import io.ensemble.testkit.history.versioned.VersionedModel;
import java.util.List;

/**
 * Simple sequential models of a counter, a queue, a map, a versioned key and a znode, over their
 * whole content as JSON.
 */
enum NaiveObject {
  COUNTER(CounterModel.INSTANCE),
  QUEUE(QueueModel.INSTANCE),
  MAP(MapModel.INSTANCE),
  VERSIONED(VersionedModel.INSTANCE),
  ZNODE(ZnodeModel.INSTANCE);

  /** The result of an operation and the content after it. */
  record Done(JsonNode out, JsonNode after) {}

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final JsonNode NOTHING = NullNode.instance;

  private final SequentialModel model;

  NaiveObject(SequentialModel model) {
    this.model = model;
  }

  SequentialModel model() {
    return model;
  }

  JsonNode atFirst() {
    return switch (this) {
      case COUNTER -> JSON.numberNode(0L);
      case QUEUE -> JSON.arrayNode();
      case MAP -> JSON.objectNode();
      case VERSIONED -> NaiveVersions.atFirst();
      case ZNODE -> NOTHING;
    };
  }

  Done apply(HistoryOperation operation, JsonNode content) {
    return switch (this) {
      case COUNTER -> count(operation, content.longValue());
      case QUEUE -> queue(operation, (ArrayNode) content.deepCopy());
      case MAP -> map(operation, (ObjectNode) content.deepCopy());
      case VERSIONED -> NaiveVersions.apply(operation, content);
      case ZNODE -> znode(operation, content);
    };
  }

  /** All outcomes that an operation may have. */
  List<Done> all(HistoryOperation operation, JsonNode content) {
    return this == VERSIONED
        ? NaiveVersions.all(operation, content)
        : List.of(apply(operation, content));
  }

  private static Done count(HistoryOperation operation, long value) {
    JsonNode in = operation.in();
    long amount = in.isIntegralNumber() ? in.longValue() : 1;
    return switch (operation.op()) {
      case "get" -> new Done(JSON.numberNode(value), JSON.numberNode(value));
      case "inc", "add" ->
          new Done(JSON.numberNode(value + amount), JSON.numberNode(value + amount));
      case "get_and_add" -> new Done(JSON.numberNode(value), JSON.numberNode(value + amount));
      case "cas" -> {
        boolean equal = in.get(0).longValue() == value;
        yield new Done(
            JSON.booleanNode(equal), JSON.numberNode(equal ? in.get(1).longValue() : value));
      }
      default -> throw new AssertionError(operation.op());
    };
  }

  private static Done queue(HistoryOperation operation, ArrayNode content) {
    return switch (operation.op()) {
      case "size" -> new Done(JSON.numberNode((long) content.size()), content);
      case "enqueue" -> new Done(NOTHING, content.add(operation.in()));
      case "dequeue" ->
          content.isEmpty() ? new Done(NOTHING, content) : new Done(content.remove(0), content);
      default -> throw new AssertionError(operation.op());
    };
  }

  private static Done map(HistoryOperation operation, ObjectNode content) {
    String k = operation.entry();
    JsonNode in = operation.in();
    JsonNode old = k == null || content.get(k) == null ? NOTHING : content.get(k);
    return switch (operation.op()) {
      case "size" -> new Done(JSON.numberNode((long) content.size()), content);
      case "clear" -> new Done(NOTHING, JSON.objectNode());
      case "put_all" -> new Done(NOTHING, content.setAll((ObjectNode) in));
      case "snapshot" -> new Done(content.deepCopy(), content);
      case "read" -> new Done(old, content);
      case "contains" -> new Done(JSON.booleanNode(!old.isNull()), content);
      case "write" -> new Done(NOTHING, set(content, k, in));
      case "swap" -> new Done(old, set(content, k, in));
      case "delete" -> new Done(NOTHING, set(content, k, NOTHING));
      case "get_and_remove" -> new Done(old, set(content, k, NOTHING));
      case "put_if_absent" -> when(content, k, in, old.isNull());
      case "replace" -> when(content, k, in, !old.isNull());
      case "cas" -> when(content, k, in.get(1), old.equals(in.get(0)));
      case "remove_if" -> when(content, k, NOTHING, old.equals(in));
      default -> throw new AssertionError(operation.op());
    };
  }

  /** The content is {@code [version,data]}, or null. */
  private static Done znode(HistoryOperation operation, JsonNode content) {
    boolean there = !content.isNull();
    JsonNode in = operation.in();
    long version = there ? content.get(0).longValue() : -1;
    return switch (operation.op()) {
      case "get_data" -> new Done(content, content);
      case "exists" -> new Done(there ? JSON.numberNode(version) : NOTHING, content);
      case "create" ->
          new Done(JSON.booleanNode(!there), there ? content : JSON.arrayNode().add(0L).add(in));
      case "set_data" ->
          refused(in.get(1), there, version)
              ? refusal(there, content)
              : new Done(
                  JSON.numberNode(version + 1), JSON.arrayNode().add(version + 1).add(in.get(0)));
      case "delete_node" ->
          refused(in, there, version)
              ? refusal(there, content)
              : new Done(JSON.textNode("deleted"), NOTHING);
      default -> throw new AssertionError(operation.op());
    };
  }

  private static boolean refused(JsonNode wanted, boolean there, long version) {
    return !there || (!wanted.isNull() && wanted.longValue() != version);
  }

  private static Done refusal(boolean there, JsonNode content) {
    return new Done(JSON.textNode(there ? "bad_version" : "no_node"), content);
  }

  private static Done when(ObjectNode content, String k, JsonNode value, boolean holds) {
    return new Done(JSON.booleanNode(holds), holds ? set(content, k, value) : content);
  }

  private static ObjectNode set(ObjectNode content, String k, JsonNode value) {
    if (value.isNull()) {
      content.remove(k);
      return content;
    }
    content.set(k, value);
    return content;
  }
}
