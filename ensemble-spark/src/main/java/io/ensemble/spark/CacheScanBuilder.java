package io.ensemble.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownFilters;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.sources.EqualNullSafe;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Plans a read: which columns, and which keys if filters name them. Named keys are read directly,
 * without a scan. Other filters stay with Spark.
 */
final class CacheScanBuilder
    implements ScanBuilder, SupportsPushDownFilters, SupportsPushDownRequiredColumns {

  /** More keys than these are not read one by one. */
  static final int MOST_KEYS = 10_000;

  private final CacheTable table;
  private final SourceOptions options;

  /**
   * The types of which equal keys have one stored form. Others have several: text and bytes of a
   * JSON document, or two zeros.
   */
  private static final Set<ColumnType> NAMED_TYPES =
      EnumSet.of(ColumnType.STRING, ColumnType.INT, ColumnType.LONG, ColumnType.BOOLEAN);

  private StructType columns;
  private @Nullable Set<Object> keys;
  private Filter[] pushed = {};

  CacheScanBuilder(CacheTable table) {
    this.table = table;
    this.options = table.options();
    this.columns = options.schema();
  }

  @Override
  public Filter[] pushFilters(Filter[] filters) {
    List<Filter> left = new ArrayList<>();
    List<Filter> taken = new ArrayList<>();
    for (Filter filter : filters) {
      Set<Object> named = named(filter);
      if (named == null || named.size() > MOST_KEYS) {
        left.add(filter);
      } else {
        taken.add(filter);
        Set<Object> before = keys;
        if (before != null) {
          named.retainAll(before);
        }
        keys = named;
      }
    }
    pushed = taken.toArray(Filter[]::new);
    return left.toArray(Filter[]::new);
  }

  /** The keys to which a filter confines the entries; null if it names none. */
  private @Nullable Set<Object> named(Filter filter) {
    if (!NAMED_TYPES.contains(options.keyType())) {
      return null;
    }
    if (filter instanceof EqualTo equal && equal.attribute().equals(SourceOptions.KEY)) {
      return keys(equal.value());
    }
    if (filter instanceof EqualNullSafe equal && equal.attribute().equals(SourceOptions.KEY)) {
      return keys(equal.value());
    }
    if (filter instanceof In in && in.attribute().equals(SourceOptions.KEY)) {
      return keys(in.values());
    }
    return null;
  }

  /** No key is null. */
  private static Set<Object> keys(@Nullable Object... values) {
    Set<Object> keys = new LinkedHashSet<>();
    Arrays.stream(values).filter(Objects::nonNull).forEach(keys::add);
    return keys;
  }

  @Override
  public Filter[] pushedFilters() {
    return pushed.clone();
  }

  /** Whole columns only: a column of several fields is read with all of them. */
  @Override
  public void pruneColumns(StructType required) {
    Set<String> names = Set.of(required.fieldNames());
    StructField[] kept =
        Arrays.stream(options.schema().fields())
            .filter(field -> names.contains(field.name()))
            .toArray(StructField[]::new);
    columns = new StructType(kept);
  }

  @Override
  public Scan build() {
    return new CacheScan(table, columns, keys == null ? null : List.copyOf(keys));
  }
}
