package io.ensemble.spark;

import io.ensemble.collection.CollectionSlice;
import io.ensemble.collection.EntryCollection;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * A planned read.
 *
 * @param keys the keys to read; null for all entries
 */
record CacheScan(SourceOptions options, StructType columns, @Nullable List<Object> keys)
    implements Scan, Batch {

  /** How many named keys are a partition. */
  static final int KEYS_OF_A_PARTITION = 1_000;

  @Override
  public StructType readSchema() {
    return columns;
  }

  @Override
  public String description() {
    return "ensemble %s %s"
        .formatted(options.cache(), keys == null ? "all entries" : keys.size() + " keys");
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    List<InputPartition> partitions = new ArrayList<>();
    if (keys != null) {
      for (int from = 0; from < keys.size(); from += KEYS_OF_A_PARTITION) {
        int to = Math.min(keys.size(), from + KEYS_OF_A_PARTITION);
        partitions.add(new KeysPartition(keys.subList(from, to).toArray()));
      }
      return partitions.toArray(InputPartition[]::new);
    }
    try (ManagerPool.Lease lease = ManagerPool.INSTANCE.open(options)) {
      for (CollectionSlice slice : EntryCollection.of(lease.cache()).slices(options.partitions())) {
        partitions.add(
            new SlicePartition(slice.part(), slice.generation(), slice.range(), slice.ranges()));
      }
    }
    return partitions.toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new EntryReaderFactory(options.values(), columns);
  }
}
