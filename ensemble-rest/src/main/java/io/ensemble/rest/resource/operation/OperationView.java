package io.ensemble.rest.resource.operation;

import io.ensemble.CacheDefinition;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.repartition.Repartition;
import io.ensemble.rest.json.StrictJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The progress of changes in the form of responses. */
public final class OperationView {

  private OperationView() {}

  public static Map<String, Object> of(StoredDefinition stored) {
    ConfigurationChange change = stored.change().orElseThrow();
    OperationId id = OperationId.of(stored);
    Map<String, Object> document = head(id, state(change.step()));
    document.put("step", toLowerCase(change.step()));
    if (change.step() != ChangePhase.CLOSING) {
      document.put("from", toPlacement(stored.definition()));
    }
    document.put("to", toPlacement(change.to()));
    document.put("copied", change.beat().copied());
    if (change.beat().of() > 0) {
      document.put("of", change.beat().of());
    }
    document.put("keysPerSecond", change.rate());
    document.put("turn", change.turn());
    document.put(
        "left",
        change.remains().stream().map(store -> store.site() + " " + store.store()).toList());
    return document;
  }

  public static Map<String, Object> of(StoredDistribution stored) {
    Repartition growth = stored.growth().orElseThrow();
    Map<String, Object> document = head(OperationId.of(stored), "running");
    document.put("step", toLowerCase(growth.step()));
    document.put("from", Map.of("caches", stored.definition().parts()));
    document.put("to", Map.of("caches", growth.to().parts()));
    document.put("copied", growth.beat().copied());
    document.put("done", List.copyOf(growth.moved()));
    document.put("turn", growth.turn());
    return document;
  }

  /**
   * A change that has ended.
   *
   * @param currentNumber the present number of the cache
   * @param definition the present definition
   */
  static Map<String, Object> ofEnded(OperationId id, long currentNumber, Object definition) {
    if (currentNumber < id.number()) {
      return cancelled(id);
    }
    if (currentNumber == id.number()) {
      return head(id, id.isLeadingTo(definition) ? "done" : "cancelled");
    }
    // Later changes have followed: the catalog no longer has the result of this one.
    return head(id, "over");
  }

  static Map<String, Object> cancelled(OperationId id) {
    return head(id, "cancelled");
  }

  private static Map<String, Object> head(OperationId id, String state) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", id.text());
    document.put("kind", toLowerCase(id.kind()));
    document.put("cache", id.name());
    document.put("number", id.number());
    document.put("state", state);
    return document;
  }

  private static String state(ChangePhase changePhase) {
    return switch (changePhase) {
      case CLOSING -> "done";
      case ABORTING -> "cancelled";
      default -> "running";
    };
  }

  private static Map<String, Object> toPlacement(CacheDefinition cache) {
    return StrictJson.object(
        "consistency", cache.mode().name(),
        "sites", cache.siteNames(),
        "acknowledgement", toLowerCase(cache.acknowledgement()));
  }

  private static String toLowerCase(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
