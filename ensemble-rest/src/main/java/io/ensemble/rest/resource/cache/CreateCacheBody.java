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
    List<String> inapplicable = isDistributed() ? OF_SITES : OF_PARTS;
    for (String field : inapplicable) {
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
    return buildChecked(
        "caches",
        () -> new DistributedDefinition(name, parts, spec, fields.flag("frontier").orElse(false)));
  }

  /** The partitioner, by name only: a class that a client names is never loaded. */
  static Optional<PartitionerSpec> partitioner(JsonFields fields) {
    return fields
        .object("partitioner", "name", "url", "parameters")
        .map(
            partitioner -> {
              if (partitioner.has("url")) {
                throw Problem.invalid(
                    partitioner.fullName("url"),
                    "no value, because 'name' selects the partitioner",
                    "a value");
              }
              String partitionerName =
                  partitioner.text("name").orElse(DistributedDefinition.DEFAULT.name());
              Map<String, String> parameters = partitioner.map("parameters").orElse(Map.of());
              return buildChecked(
                  "partitioner", () -> new PartitionerSpec(partitionerName, parameters));
            });
  }

  /** The sites if they are named; otherwise there is a {@link #placementPolicy}. */
  Optional<List<String>> sites() {
    Optional<List<String>> sites = fields.texts("sites", MOST_SITES);
    sites.ifPresent(
        names -> {
          OptionalInt replication = fields.integer("replication", 1, MOST_SITES);
          if (replication.isPresent() && replication.getAsInt() != names.size()) {
            throw Problem.invalid(
                "replication",
                "%d, the number of 'sites', or no value".formatted(names.size()),
                String.valueOf(replication.getAsInt()));
          }
          for (String option : WISHES) {
            if (fields.has(option)) {
              throw Problem.invalid(option, "no value together with 'sites'", "a value");
            }
          }
        });
    return sites;
  }

  PlacementPolicy placementPolicy() {
    int copies = fields.integer("replication", 1, MOST_SITES).orElse(1);
    PlacementPolicy.Builder policy = PlacementPolicy.copies(name, copies);
    // An exception after the addition of a setting is caused by that setting.
    buildChecked("ban", policy.ban(readArray("ban"))::build);
    buildChecked("prefer", policy.prefer(readArray("prefer"))::build);
    buildChecked("near", policy.near(readArray("near"))::build);
    fields.map("require").ifPresent(labels -> labels.forEach(policy::require));
    buildChecked("require", policy::build);
    fields.text("spreadBy").ifPresent(policy::spreadBy);
    return buildChecked("spreadBy", policy::build);
  }

  private String[] readArray(String field) {
    return readNames(field).toArray(String[]::new);
  }

  /** The names in a field of the placement policy, unchanged. */
  List<String> readNames(String field) {
    return fields.texts(field, MOST_SITES).orElse(List.of());
  }

  /** The problem for the first unknown site in the placement policy, with the name of its field. */
  RuntimeException toUnknownSiteProblem(UnknownSitesException failure, RestCaller caller) {
    for (String field : List.of("ban", "prefer")) {
      List<String> sites = readNames(field);
      for (int i = 0; i < sites.size(); i++) {
        if (failure.unknown().contains(sites.get(i))) {
          return RestContext.toUnknownSiteProblem(field, i, sites.get(i), failure.known(), caller);
        }
      }
    }
    return failure; // A chosen site has just been removed.
  }

  CacheDefinition.Builder definitionBuilder() {
    Mode mode = fields.choice("consistency", Mode.class).orElse(Mode.WEAK);
    CacheDefinition.Builder builder = CacheDefinition.of(name, mode);
    fields.choice("acknowledgement", Acknowledgement.class).ifPresent(builder::acknowledgement);
    NumericCacheFields numericFields = new NumericCacheFields(fields);
    numericFields.applyTo(builder);
    numericFields.window(CopyWindow.DEFAULT).ifPresent(builder::window);
    return builder;
  }

  /** Builds a definition; an exception of the builder becomes a problem of the field. */
  static CacheDefinition buildDefinition(Supplier<CacheDefinition> constructor) {
    try {
      return constructor.get();
    } catch (InvalidSettingException e) {
      throw toProblem(FIELDS_OF.getOrDefault(e.setting(), e.setting()), e);
    } catch (IllegalArgumentException e) {
      throw toProblem("sites", e); // A site's name; the cache's own name was checked before.
    }
  }

  /** Runs a constructor of the manager's types; its exception becomes a problem of the field. */
  public static <T> T buildChecked(String field, Supplier<T> constructor) {
    try {
      return constructor.get();
    } catch (IllegalArgumentException e) {
      throw toProblem(field, e);
    }
  }

  /** A problem of a field, with the message of the exception. */
  static ProblemException toProblem(String field, RuntimeException cause) {
    String reason = String.valueOf(cause.getMessage());
    return new ProblemException(
        Problem.bare(ProblemType.INVALID_FIELD, reason).with("field", field));
  }
}
