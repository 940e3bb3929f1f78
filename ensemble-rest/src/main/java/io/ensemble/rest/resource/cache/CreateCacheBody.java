package io.ensemble.rest.resource.cache;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.DistributedDefinition;
import io.ensemble.InvalidSettingException;
import io.ensemble.Mode;
import io.ensemble.catalog.UnknownSitesException;
import io.ensemble.partition.PartitionerSpec;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.resource.context.RestContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * A cache as a request describes it: the fields and defaults of LEADS D2.6, appendix C, and further
 * ones.
 */
public final class CreateCacheBody {

  static final String[] FIELDS = {
    "name",
    "replication",
    "replicas",
    "shards",
    "consistency",
    "sites",
    "caches",
    "partitioner",
    "frontier",
    "acknowledgement",
    "deadlineMillis",
    "maxValueBytes",
    "tombstoneGraceMillis",
    "siblings",
    "window",
    "ban",
    "require",
    "spreadBy",
    "prefer",
    "near"
  };

  private static final List<String> OF_SITES =
      List.of(
          "replication",
          "replicas",
          "shards",
          "consistency",
          "sites",
          "acknowledgement",
          "deadlineMillis",
          "maxValueBytes",
          "tombstoneGraceMillis",
          "siblings",
          "window",
          "ban",
          "require",
          "spreadBy",
          "prefer",
          "near");
  private static final List<String> OF_PARTS = List.of("partitioner", "frontier");
  private static final List<String> WISHES =
      List.of("ban", "require", "spreadBy", "prefer", "near");
  private static final int MOST_SITES = 64;

  /** Settings with fields of another name. */
  private static final Map<String, String> FIELDS_OF =
      Map.of("deadline", "deadlineMillis", "tombstoneGrace", "tombstoneGraceMillis");

  private final JsonFields fields;
  private final String name;

  CreateCacheBody(JsonFields fields, String name) {
    this.fields = fields;
    this.name = name;
    List<String> foreign = isDistributed() ? OF_SITES : OF_PARTS;
    for (String field : foreign) {
      if (fields.has(field)) {
        throw Problem.invalid(
            field,
            isDistributed()
                ? "no value together with 'caches'"
                : "'caches' together with it, or no value",
            "a value");
      }
    }
  }

  boolean isDistributed() {
    return fields.has("caches");
  }

  /** The number of shards; empty for a cache without shards. */
  OptionalInt shards() {
    OptionalInt shards = fields.integer("shards", 1, DistributedDefinition.MOST_PARTS);
    if (shards.isPresent() && !fields.has("sites")) {
      throw Problem.invalid(
          "shards", "'sites' together with it", String.valueOf(shards.getAsInt()));
    }
    return shards;
  }

  DistributedDefinition distributed() {
    List<String> parts = fields.texts("caches", DistributedDefinition.MOST_PARTS).orElse(List.of());
    PartitionerSpec spec = partitioner(fields).orElse(DistributedDefinition.DEFAULT);
    return checked(
        "caches",
        () -> new DistributedDefinition(name, parts, spec, fields.flag("frontier").orElse(false)));
  }

  /** The partitioner, by name only: a class that a client names is never loaded. */
  static Optional<PartitionerSpec> partitioner(JsonFields fields) {
    return fields
        .object("partitioner", "name", "url", "parameters")
        .map(
            one -> {
              if (one.has("url")) {
                throw Problem.invalid(
                    one.full("url"), "no value, because 'name' selects the partitioner", "a value");
              }
              String kind = one.text("name").orElse(DistributedDefinition.DEFAULT.name());
              Map<String, String> parameters = one.map("parameters").orElse(Map.of());
              return checked("partitioner", () -> new PartitionerSpec(kind, parameters));
            });
  }

  /** The sites if they are named; otherwise there is a {@link #wish}. */
  Optional<List<String>> sites() {
    Optional<List<String>> sites = fields.texts("sites", MOST_SITES);
    sites.ifPresent(
        named -> {
          OptionalInt replication = fields.integer("replication", 1, MOST_SITES);
          if (replication.isPresent() && replication.getAsInt() != named.size()) {
            throw Problem.invalid(
                "replication",
                "%d, the number of 'sites', or no value".formatted(named.size()),
                String.valueOf(replication.getAsInt()));
          }
          for (String wish : WISHES) {
            if (fields.has(wish)) {
              throw Problem.invalid(wish, "no value together with 'sites'", "a value");
            }
          }
        });
    return sites;
  }

  PlacementPolicy wish() {
    int copies = fields.integer("replication", 1, MOST_SITES).orElse(1);
    PlacementPolicy.Builder wish = PlacementPolicy.copies(name, copies);
    // An exception after the addition of a setting is caused by that setting.
    checked("ban", wish.ban(array("ban"))::build);
    checked("prefer", wish.prefer(array("prefer"))::build);
    checked("near", wish.near(array("near"))::build);
    fields.map("require").ifPresent(all -> all.forEach(wish::require));
    checked("require", wish::build);
    fields.text("spreadBy").ifPresent(wish::spreadBy);
    return checked("spreadBy", wish::build);
  }

  private String[] array(String field) {
    return named(field).toArray(String[]::new);
  }

  /** The names in a field of the placement policy, unchanged. */
  List<String> named(String field) {
    return fields.texts(field, MOST_SITES).orElse(List.of());
  }

  /** The problem for the first unknown site in the placement policy, with the name of its field. */
  RuntimeException unknown(UnknownSitesException failure, RestCaller caller) {
    for (String field : List.of("ban", "prefer")) {
      List<String> sites = named(field);
      for (int i = 0; i < sites.size(); i++) {
        if (failure.unknown().contains(sites.get(i))) {
          return RestContext.unknownSite(field, i, sites.get(i), failure.known(), caller);
        }
      }
    }
    return failure; // A chosen site has just been removed.
  }

  CacheDefinition.Builder settings() {
    Mode mode = fields.choice("consistency", Mode.class).orElse(Mode.WEAK);
    CacheDefinition.Builder cache = CacheDefinition.of(name, mode);
    fields.choice("acknowledgement", Acknowledgement.class).ifPresent(cache::acknowledgement);
    NumericCacheFields amounts = new NumericCacheFields(fields);
    amounts.into(cache);
    amounts.window(CopyWindow.DEFAULT).ifPresent(cache::window);
    return cache;
  }

  /** Builds a definition; an exception of the builder becomes a problem of the field. */
  static CacheDefinition definition(Supplier<CacheDefinition> made) {
    try {
      return made.get();
    } catch (InvalidSettingException e) {
      throw refused(FIELDS_OF.getOrDefault(e.setting(), e.setting()), e);
    } catch (IllegalArgumentException e) {
      throw refused("sites", e); // A site's name; the cache's own name was checked before.
    }
  }

  /** Runs a constructor of the manager's types; its exception becomes a problem of the field. */
  public static <T> T checked(String field, Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw refused(field, e);
    }
  }

  /** A problem of a field, with the message of the exception. */
  static ProblemException refused(String field, RuntimeException why) {
    String reason = String.valueOf(why.getMessage());
    return new ProblemException(
        Problem.bare(ProblemType.INVALID_FIELD, reason).with("field", field));
  }
}
