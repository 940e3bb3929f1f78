package io.ensemble.spark;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.Function1;

/**
 * Events of a stream of changes as rows, in the binary form that Spark also keeps the state of
 * queries in. For one thread.
 */
final class ChangeRows {

  static final String KIND = "kind";
  static final String STAMP = "stamp";
  static final String GAP = "gap";

  private final StructType schema;
  private final ColumnType keyType;
  private final ValueMapping<Object> mapping;
  private final Function1<Object, Object>[] converters;
  private final UnsafeProjection projection;

  @SuppressWarnings("unchecked") // The mapping is that of the cache's values.
  ChangeRows(SourceOptions options) {
    this.schema = schema(options);
    this.keyType = options.keyType();
    this.mapping = (ValueMapping<Object>) options.mapping();
    this.converters = new Function1[schema.length()];
    for (int i = 0; i < converters.length; i++) {
      converters[i] = CatalystTypeConverters.createToCatalystConverter(schema.apply(i).dataType());
    }
    this.projection = UnsafeProjection.create(schema);
  }

  /**
   * The columns of changes: {@code key} is null for a gap of all keys, the columns of the value are
   * null for removals and gaps, {@code stamp} for gaps, and {@code gap}, its reason, for changes.
   *
   * @throws IllegalArgumentException if the value has a column of one of these names
   */
  static StructType schema(SourceOptions options) {
    StructType schema =
        new StructType()
            .add(SourceOptions.KEY, options.keyType().dataType(), true)
            .add(KIND, DataTypes.StringType, false);
    List<String> reserved = List.of(SourceOptions.KEY, KIND, STAMP, GAP);
    for (StructField field : options.mapping().schema().fields()) {
      if (reserved.contains(field.name())) {
        throw new IllegalArgumentException(
            "a mapping of changes must have no column %s; got '%s'"
                .formatted(reserved, field.name()));
      }
      schema = schema.add(field.name(), field.dataType(), true);
    }
    return schema.add(STAMP, DataTypes.StringType, true).add(GAP, DataTypes.StringType, true);
  }

  StructType schema() {
    return schema;
  }

  /**
   * @throws IllegalStateException if the key or the value is of another type than the options say
   */
  byte[] row(ChangeEvent<Object, Object> event) {
    Object[] columns = new Object[schema.length()];
    if (event instanceof Change<Object, Object> change) {
      columns[0] = keyType.toColumn(change.key());
      columns[1] = change.kind().name();
      fill(columns, change.value());
      columns[columns.length - 2] = change.stamp().toString();
    } else {
      Gap<Object, Object> gap = (Gap<Object, Object>) event;
      columns[0] = gap.key().map(keyType::toColumn).orElse(null);
      columns[1] = "GAP";
      columns[columns.length - 1] = gap.reason().name();
    }
    for (int i = 0; i < columns.length; i++) {
      columns[i] = converters[i].apply(columns[i]);
    }
    // The projection reuses its row.
    byte[] bytes = projection.apply(new GenericInternalRow(columns)).getBytes();
    return Arrays.copyOf(bytes, bytes.length);
  }

  private void fill(Object[] columns, @Nullable Object value) {
    if (value != null) {
      Row row = mapping.toRow(value);
      for (int i = 0; i < row.length(); i++) {
        columns[i + 2] = row.get(i);
      }
    }
  }
}
