package io.ensemble.spark;

import io.ensemble.collection.CollectionSlice;
import io.ensemble.collection.EntryCollection;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
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
record CacheScan(CacheTable table, StructType columns, @Nullable List<Object> keys)
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
        .formatted(table.options().cache(), keys == null ? "all entries" : keys.size() + " keys");
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    SourceOptions options = table.planned();
    if (keys != null) {
      return ofKeys(keys);
    }
    if (options.isVersioned()) {
      return ofSlices(ofHashes(options.partitions()));
    }
    try (ManagerPool.Lease lease = ManagerPool.INSTANCE.open(options)) {
      return ofSlices(EntryCollection.of(lease.cache()).slices(options.partitions()));
    }
  }

  private static InputPartition[] ofKeys(List<Object> keys) {
    List<InputPartition> partitions = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += KEYS_OF_A_PARTITION) {
      int to = Math.min(keys.size(), from + KEYS_OF_A_PARTITION);
      partitions.add(new KeysPartition(keys.subList(from, to).toArray()));
    }
    return partitions.toArray(InputPartition[]::new);
  }

  private static List<CollectionSlice> ofHashes(int ranges) {
    return IntStream.range(0, ranges)
        .mapToObj(range -> new CollectionSlice(-1, 0, range, ranges))
        .toList();
  }

  private static InputPartition[] ofSlices(List<CollectionSlice> slices) {
    return slices.stream()
        .map(
            slice ->
                new SlicePartition(slice.part(), slice.generation(), slice.range(), slice.ranges()))
        .toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new EntryReaderFactory(table.planned().values(), columns);
  }
}
