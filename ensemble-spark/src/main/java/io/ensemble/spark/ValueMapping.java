package io.ensemble.spark;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * How objects of a type with a ProtoStream schema become columns. The option {@code mapping} names
 * the class, which has a public constructor without parameters. Thread-safe.
 *
 * @param <V> the type of the cache's values
 */
public interface ValueMapping<V> {

  /** The columns of a value, in addition to {@code key}; none has that name. */
  StructType schema();

  /** The columns of {@code value}, in the order of {@link #schema()}, as Spark's Java types. */
  Row toRow(V value);

  /** The value of columns in that order. Not called if nothing is written. */
  V fromRow(Row row);
}
