package io.ensemble.spark;

import io.ensemble.collection.CollectionSlice;
import org.apache.spark.sql.connector.read.InputPartition;

/** A slice of the entries as a partition of Spark; see {@link CollectionSlice}. */
record SlicePartition(int part, long generation, int range, int ranges) implements InputPartition {

  CollectionSlice slice() {
    return new CollectionSlice(part, generation, range, ranges);
  }
}
