package io.ensemble.partition;

/**
 * The key's hash modulo the number of parts (LEADS D2.6, section 4: {@code ModuloPartitioner}). The
 * result depends on the order of the parts, not on their names. An additional part moves nearly all
 * keys: all but one in {@code parts + 1}.
 */
record ModuloPartitioner(int parts) implements Partitioner {

  @Override
  public int part(PartitionedKey key) {
    return (int) Long.remainderUnsigned(key.hash(), parts);
  }
}
