package io.ensemble.spark;

import io.ensemble.collection.CollectionSlice;
import io.ensemble.spark.ChangeMicroBatchStream.FailOnGap;
import io.ensemble.versioning.BinaryCodec;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The options of a read or a write, as text, so that they can be sent to executors.
 *
 * @param values the options by lower-case name
 */
record SourceOptions(Map<String, String> values) {

  static final String KEY = "key";
  static final String VALUE = "value";
  static final String VERSIONS = "versions";
  static final String AT = "at";

  /** The version that the driver has chosen, for executors. */
  private static final String CUT = "cut";

  /** Options of every source and sink. */
  private static final Set<String> COMMON =
      Set.of(
          "catalog",
          "cache",
          "local-site",
          "setup",
          "key-type",
          "value-type",
          "mapping",
          "deadline-seconds");

  /** Further options of reads of entries. */
  static final Set<String> OF_ENTRIES = Set.of("partitions", VERSIONS, AT);

  /** Further options of writes, with the one that Spark hands over. */
  static final Set<String> OF_WRITES =
      Set.of("identity-column", "generation", "checkpointlocation");

  /** Further options of streams of changes. */
  static final Set<String> OF_CHANGES =
      Set.of("fail-on-gap", "batch-events", "buffer-events", "buffer-mebibytes");

  private static final Set<String> KNOWN =
      Stream.of(COMMON, OF_ENTRIES, OF_WRITES, OF_CHANGES, Set.of(CUT))
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  /**
   * @throws IllegalArgumentException if an option is missing, unknown or malformed
   */
  SourceOptions {
    Map<String, String> lower = new TreeMap<>();
    values.forEach((name, value) -> lower.put(name.toLowerCase(Locale.ROOT), value));
    values = lower;
    Set<String> unknown = new TreeSet<>(lower.keySet());
    unknown.removeAll(KNOWN);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "unknown options %s; accepted are %s".formatted(unknown, new TreeSet<>(KNOWN)));
    }
    if (!lower.containsKey("cache")) {
      throw new IllegalArgumentException("option 'cache' must name the cache");
    }
    if (!lower.containsKey("catalog") && !lower.containsKey("setup")) {
      throw new IllegalArgumentException(
          "option 'catalog' must be the address of the catalog, or 'setup' a class that sets it");
    }
  }

  /**
   * Refuses options that have no effect here.
   *
   * @param further accepted ones beside those of every source
   */
  @SafeVarargs
  final void refuseAllBut(Set<String>... further) {
    Set<String> accepted = new TreeSet<>();
    Arrays.stream(further).forEach(accepted::addAll);
    Set<String> others = new TreeSet<>(values.keySet());
    others.removeAll(COMMON);
    others.removeAll(accepted);
    if (!others.isEmpty()) {
      throw new IllegalArgumentException(
          "options %s have no effect here; accepted beside the common ones are %s"
              .formatted(others, accepted));
    }
  }

  String cache() {
    return Objects.requireNonNull(values.get("cache"), "checked above");
  }

  Optional<String> get(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** Whether the entries are those of a versioned cache. */
  boolean isVersioned() {
    return values.containsKey(VERSIONS);
  }

  /**
   * Checks the options of reads of entries.
   *
   * @throws IllegalArgumentException if they contradict each other
   */
  void checkEntries() {
    if (values.containsKey(AT) && !isVersioned()) {
      throw new IllegalArgumentException(
          "option 'at' requires 'versions', the name of a versioned cache that the cache holds");
    }
    if (isVersioned()) {
      keyType().codec();
      valueCodec();
    }
  }

  /** The version to read; empty for the driver, which chooses it. */
  Optional<String> cut() {
    return get(CUT);
  }

  /** The same with the version to read. */
  SourceOptions withCut(String cut) {
    Map<String, String> with = new TreeMap<>(values);
    with.put(CUT, cut);
    return new SourceOptions(with);
  }

  /** How values of a versioned cache are stored; a mapping is given bytes. */
  BinaryCodec<Object> valueCodec() {
    return (values.containsKey("mapping") ? ColumnType.BINARY : valueType()).codec();
  }

  private ColumnType valueType() {
    return ColumnType.of("value-type", values.getOrDefault("value-type", "string"));
  }

  /** The column of values that holds the identity of their write. */
  Optional<String> identityColumn() {
    return get("identity-column");
  }

  /**
   * The identities of a task; empty if values have none.
   *
   * @param query the id of the streaming query; empty for another job
   * @throws IllegalArgumentException if values have no such column of text, or a job that is no
   *     streaming query has no generation
   */
  Optional<WriteIdentity> identity(long batch, int partition, String query) {
    boolean hasGeneration = values.containsKey("generation");
    String column = identityColumn().orElse(null);
    if (column == null) {
      if (hasGeneration) {
        throw new IllegalArgumentException("option 'generation' requires 'identity-column'");
      }
      return Optional.empty();
    }
    if (query.isEmpty() && !hasGeneration) {
      throw new IllegalArgumentException(
          "option 'generation' must be a number that is higher for each further job");
    }
    @SuppressWarnings("unchecked") // The mapping is that of the cache's values.
    ValueMapping<Object> mapping = (ValueMapping<Object>) mapping();
    StructType columns = mapping.schema();
    List<String> names = List.of(columns.fieldNames());
    int index = names.indexOf(column);
    if (index < 0 || !columns.apply(index).dataType().equals(DataTypes.StringType)) {
      throw new IllegalArgumentException(
          "option 'identity-column' must name a column of text among %s; got '%s'"
              .formatted(names, column));
    }
    int generation = number("generation", 1, Integer.MAX_VALUE);
    return Optional.of(new WriteIdentity(mapping, index, generation, batch, partition, query));
  }

  ColumnType keyType() {
    return ColumnType.of("key-type", values.getOrDefault("key-type", "string"));
  }

  /** How many partitions a read has, about. */
  int partitions() {
    return number("partitions", 8, CollectionSlice.MOST_RANGES);
  }

  FailOnGap failOnGap() {
    return choice("fail-on-gap", FailOnGap.TRUE, FailOnGap.values());
  }

  /** How many changes a batch has, at most. */
  int batchEvents() {
    return number("batch-events", 10_000, 1_000_000);
  }

  /** How many changes may wait in the driver. */
  int bufferEvents() {
    return number("buffer-events", 100_000, 10_000_000);
  }

  /** How many bytes of keys and values may wait in the driver. */
  long bufferBytes() {
    return (long) number("buffer-mebibytes", 64, 64 << 10) << 20;
  }

  /**
   * Checks the options of a stream of changes.
   *
   * @throws IllegalArgumentException if one is malformed, or a batch is larger than the buffer
   */
  void checkChanges() {
    failOnGap();
    bufferBytes();
    if (batchEvents() > bufferEvents()) {
      throw new IllegalArgumentException(
          "option 'batch-events' must be at most 'buffer-events'; got %d and %d"
              .formatted(batchEvents(), bufferEvents()));
    }
  }

  private <E extends Enum<E>> E choice(String name, E absent, E[] all) {
    String text = values.get(name);
    return Arrays.stream(all)
        .filter(one -> text == null ? one == absent : one.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "option '%s' must be one of %s; got '%s'"
                        .formatted(name, Arrays.toString(all).toLowerCase(Locale.ROOT), text)));
  }

  /** The longest time of each request. */
  Optional<Duration> deadline() {
    return values.containsKey("deadline-seconds")
        ? Optional.of(Duration.ofSeconds(number("deadline-seconds", 1, 86_400)))
        : Optional.empty();
  }

  private int number(String name, int absent, int most) {
    String text = values.get(name);
    try {
      int number = text == null ? absent : Integer.parseInt(text);
      if (number >= 1 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // As a number that is out of range.
    }
    throw new IllegalArgumentException(
        "option '%s' must be a number in [1, %d]; got '%s'".formatted(name, most, text));
  }

  /** The columns of values. */
  ValueMapping<?> mapping() {
    String name = values.get("mapping");
    if (name != null) {
      return instance("mapping", name, ValueMapping.class);
    }
    return new SingleColumn(valueType());
  }

  /** The columns of entries. */
  StructType schema() {
    StructType schema = new StructType().add(KEY, keyType().dataType(), false);
    for (var field : mapping().schema().fields()) {
      schema = schema.add(field);
    }
    return schema;
  }

  static <T> T instance(String option, String name, Class<T> type) {
    try {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      return type.cast(
          Class.forName(name, true, loader == null ? SourceOptions.class.getClassLoader() : loader)
              .getConstructor()
              .newInstance());
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new IllegalArgumentException(
          "option '%s' must name a class that implements %s and has a public constructor; got '%s'"
              .formatted(option, type.getSimpleName(), name),
          e);
    }
  }
}
