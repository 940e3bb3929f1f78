package io.ensemble.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;

/** Opens the readers of partitions, in executors. */
final class EntryReaderFactory implements PartitionReaderFactory {

  private static final long serialVersionUID = 1L;

  private final HashMap<String, String> options;
  private final StructType columns;

  EntryReaderFactory(Map<String, String> options, StructType columns) {
    this.options = new HashMap<>(options);
    this.columns = columns;
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    return new EntryPartitionReader(new SourceOptions(options), columns, partition);
  }
}
