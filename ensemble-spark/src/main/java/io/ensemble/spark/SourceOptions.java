package io.ensemble.spark;

import io.ensemble.collection.CollectionSlice;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.types.StructType;

/**
 * The options of a read or a write, as text, so that they can be sent to executors.
 *
 * @param values the options by lower-case name
 */
record SourceOptions(Map<String, String> values) {

  static final String KEY = "key";
  static final String VALUE = "value";

  private static final Set<String> KNOWN =
      Set.of(
          "catalog",
          "cache",
          "local-site",
          "setup",
          "key-type",
          "value-type",
          "mapping",
          "partitions",
          "deadline-seconds");

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

  String cache() {
    return Objects.requireNonNull(values.get("cache"), "checked above");
  }

  Optional<String> get(String name) {
    return Optional.ofNullable(values.get(name));
  }

  ColumnType keyType() {
    return ColumnType.of("key-type", values.getOrDefault("key-type", "string"));
  }

  /** How many partitions a read has, about. */
  int partitions() {
    return number("partitions", 8, CollectionSlice.MOST_RANGES);
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
    return new SingleColumn(
        ColumnType.of("value-type", values.getOrDefault("value-type", "string")));
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
