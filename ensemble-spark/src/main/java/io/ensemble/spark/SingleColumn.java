package io.ensemble.spark;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;

/** Values as the one column {@code value}. */
record SingleColumn(ColumnType type) implements ValueMapping<Object> {

  @Override
  public StructType schema() {
    return new StructType().add(SourceOptions.VALUE, type.dataType(), false);
  }

  @Override
  public Row toRow(Object value) {
    return RowFactory.create(type.toColumn(value));
  }

  @Override
  public Object fromRow(Row row) {
    return row.get(0);
  }
}
