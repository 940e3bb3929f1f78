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
    Map<String, Object> shown = head(id, state(change.step()));
    shown.put("step", lower(change.step()));
    if (change.step() != ChangePhase.CLOSING) {
      shown.put("from", placed(stored.definition()));
    }
    shown.put("to", placed(change.to()));
    shown.put("copied", change.beat().copied());
    if (change.beat().of() > 0) {
      shown.put("of", change.beat().of());
    }
    shown.put("keysPerSecond", change.rate());
    shown.put("turn", change.turn());
    shown.put(
        "left", change.remains().stream().map(one -> one.site() + " " + one.store()).toList());
    return shown;
  }

  public static Map<String, Object> of(StoredDistribution stored) {
    Repartition growth = stored.growth().orElseThrow();
    Map<String, Object> shown = head(OperationId.of(stored), "running");
    shown.put("step", lower(growth.step()));
    shown.put("from", Map.of("caches", stored.definition().parts()));
    shown.put("to", Map.of("caches", growth.to().parts()));
    shown.put("copied", growth.beat().copied());
    shown.put("done", List.copyOf(growth.moved()));
    shown.put("turn", growth.turn());
    return shown;
  }

  /**
   * A change that has ended.
   *
   * @param present the present number of the cache
   * @param definition the present definition
   */
  static Map<String, Object> over(OperationId id, long present, Object definition) {
    if (present < id.number()) {
      return cancelled(id);
    }
    if (present == id.number()) {
      return head(id, id.leadsTo(definition) ? "done" : "cancelled");
    }
    // Later changes have followed: the catalog no longer has the result of this one.
    return head(id, "over");
  }

  static Map<String, Object> cancelled(OperationId id) {
    return head(id, "cancelled");
  }

  private static Map<String, Object> head(OperationId id, String state) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", id.text());
    shown.put("kind", lower(id.kind()));
    shown.put("cache", id.name());
    shown.put("number", id.number());
    shown.put("state", state);
    return shown;
  }

  private static String state(ChangePhase changePhase) {
    return switch (changePhase) {
      case CLOSING -> "done";
      case ABORTING -> "cancelled";
      default -> "running";
    };
  }

  private static Map<String, Object> placed(CacheDefinition cache) {
    return StrictJson.object(
        "consistency", cache.mode().name(),
        "sites", cache.siteNames(),
        "acknowledgement", lower(cache.acknowledgement()));
  }

  private static String lower(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
