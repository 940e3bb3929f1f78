package io.ensemble.testkit.linearizability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A simple sequential model of a versioned key, over its whole content. */
final class NaiveVersions {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int FARTHEST = 16;

  private final TreeMap<Long, JsonNode> versions = new TreeMap<>();
  private long floor;
  private long horizon;
  private long top;

  /** Whether a compaction has removed a version. */
  private boolean hasRemoved;

  private NaiveVersions(JsonNode content) {
    content.get("versions").forEach(pair -> versions.put(pair.get(0).longValue(), pair.get(1)));
    floor = content.get("floor").longValue();
    horizon = content.get("horizon").longValue();
    top = content.get("top").longValue();
    hasRemoved = content.get("removed").booleanValue();
  }

  static JsonNode atFirst() {
    ObjectNode content = JSON.objectNode();
    content.putArray("versions");
    return content.put("floor", 0L).put("horizon", 0L).put("top", 0L).put("removed", false);
  }

  private JsonNode content() {
    ObjectNode content = JSON.objectNode();
    ArrayNode all = content.putArray("versions");
    versions.entrySet().forEach(entry -> all.add(pair(entry)));
    return content
        .put("floor", floor)
        .put("horizon", horizon)
        .put("top", top)
        .put("removed", hasRemoved);
  }

  private static JsonNode pair(Map.@Nullable Entry<Long, JsonNode> entry) {
    return entry == null
        ? NullNode.instance
        : JSON.arrayNode().add(entry.getKey()).add(entry.getValue());
  }

  /**
   * All outcomes that an operation may have. An addition may take any higher version. A read below
   * a compaction that removed nothing may say so or not.
   */
  static List<NaiveObject.Done> all(HistoryOperation operation, JsonNode content) {
    if (operation.op().equals("get_version") || operation.op().equals("as_of")) {
      return allOfRead(operation, content);
    }
    if (!operation.op().equals("add_version")) {
      return List.of(apply(operation, content));
    }
    List<NaiveObject.Done> all = new ArrayList<>();
    long top = content.get("top").longValue();
    boolean known = operation.out().isIntegralNumber();
    long first = known ? operation.out().longValue() : top + 1;
    for (long version = first; version <= (known ? first : top + FARTHEST); version++) {
      if (version > top) {
        NaiveVersions key = new NaiveVersions(content);
        key.added(version, operation.in());
        all.add(new NaiveObject.Done(JSON.numberNode(version), key.content()));
      }
    }
    return all;
  }

  private static List<NaiveObject.Done> allOfRead(HistoryOperation operation, JsonNode content) {
    NaiveObject.Done compacted = apply(operation, content);
    NaiveVersions key = new NaiveVersions(content);
    if (operation.in().longValue() >= key.horizon || key.hasRemoved) {
      return List.of(compacted);
    }
    key.horizon = 0;
    JsonNode out = key.apply(operation.op(), operation.in());
    return List.of(compacted, new NaiveObject.Done(JsonValues.canonical(out), compacted.after()));
  }

  static NaiveObject.Done apply(HistoryOperation operation, JsonNode content) {
    NaiveVersions key = new NaiveVersions(content);
    JsonNode out = key.apply(operation.op(), operation.in());
    return new NaiveObject.Done(JsonValues.canonical(out), key.content());
  }

  private JsonNode apply(String op, JsonNode in) {
    return switch (op) {
      case "add_version" -> {
        added(top + 1, in);
        yield JSON.numberNode(top);
      }
      case "put_version" -> JSON.textNode(put(in.get(0).longValue(), in.get(1)));
      case "latest" -> pair(versions.lastEntry());
      case "get_version" -> get(in.longValue());
      case "range" -> range(in.get(0).longValue(), in.get(1).longValue());
      case "predecessor" -> pair(versions.lowerEntry(in.longValue()));
      case "successor" -> pair(versions.higherEntry(in.longValue()));
      case "versions" -> versions(in);
      case "as_of" -> asOf(in.longValue());
      case "compact" -> compact(in.longValue());
      default -> throw new AssertionError(op);
    };
  }

  private void added(long version, JsonNode value) {
    versions.put(version, value);
    top = Math.max(top, version);
  }

  private String put(long version, JsonNode value) {
    if (version <= 0) {
      return "not_above";
    }
    if (version <= floor) {
      return "below_cut";
    }
    if (version < horizon) {
      return "compacted";
    }
    if (versions.containsKey(version)) {
      return "exists";
    }
    added(version, value);
    return "added";
  }

  private JsonNode get(long version) {
    if (versions.containsKey(version)) {
      return pair(versions.floorEntry(version));
    }
    return JSON.textNode(version < horizon ? "compacted" : "unknown");
  }

  private JsonNode range(long from, long to) {
    ArrayNode all = JSON.arrayNode();
    versions.subMap(from, true, to, true).entrySet().forEach(entry -> all.add(pair(entry)));
    return all;
  }

  private JsonNode versions(JsonNode in) {
    TreeMap<Long, JsonNode> wanted = new TreeMap<>(versions);
    if (!in.get(0).isNull()) {
      wanted = new TreeMap<>(wanted.tailMap(in.get(0).longValue(), true));
    }
    if (!in.get(1).isNull()) {
      wanted = new TreeMap<>(wanted.headMap(in.get(1).longValue(), true));
    }
    ArrayNode all = JSON.arrayNode();
    (in.get(3).booleanValue() ? wanted.descendingKeySet() : wanted.navigableKeySet())
        .stream().limit(in.get(2).intValue()).forEach(all::add);
    return all;
  }

  private JsonNode asOf(long version) {
    floor = Math.max(floor, version);
    top = Math.max(top, version);
    return version < horizon ? JSON.textNode("compacted") : pair(versions.floorEntry(version));
  }

  private JsonNode compact(long version) {
    Long visible = versions.floorKey(version);
    if (visible != null) {
      horizon = Math.max(horizon, visible);
      hasRemoved |= !versions.headMap(visible).isEmpty();
      versions.headMap(visible).clear();
    }
    return NullNode.instance;
  }
}
