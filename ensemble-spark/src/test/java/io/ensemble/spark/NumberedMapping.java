package io.ensemble.spark;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Texts of a number and the identity of their write, such as {@code 7|…}. */
public final class NumberedMapping implements ValueMapping<String> {

  @Override
  public StructType schema() {
    return new StructType()
        .add("value", DataTypes.LongType, true)
        .add("identity", DataTypes.StringType, true);
  }

  @Override
  public Row toRow(String value) {
    int bar = value.indexOf('|');
    return RowFactory.create(Long.parseLong(value.substring(0, bar)), value.substring(bar + 1));
  }

  @Override
  public String fromRow(Row row) {
    return row.getLong(0) + "|" + row.getString(1);
  }

  /** The same identity with another number, as a process that modifies an entry writes it. */
  static String withNumber(String value, long number) {
    return number + value.substring(value.indexOf('|'));
  }
}
