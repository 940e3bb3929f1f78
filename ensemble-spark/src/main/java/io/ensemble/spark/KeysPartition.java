package io.ensemble.spark;

import org.apache.spark.sql.connector.read.InputPartition;

/** Named keys as a partition of Spark. */
final class KeysPartition implements InputPartition {

  private static final long serialVersionUID = 1L;

  private final Object[] keys;

  KeysPartition(Object[] keys) {
    this.keys = keys;
  }

  Object[] keys() {
    return keys;
  }
}
