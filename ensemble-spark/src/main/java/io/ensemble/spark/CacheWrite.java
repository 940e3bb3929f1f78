package io.ensemble.spark;

import io.ensemble.Mode;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/**
 * A write of rows as entries. Each row is an unconditional put, so a task that is repeated writes
 * the same entries again. Not a transaction: what tasks have written stays if the job fails.
 */
record CacheWrite(SourceOptions options) implements WriteBuilder, Write, BatchWrite {

  @Override
  public Write build() {
    return this;
  }

  /**
   * @throws IllegalArgumentException if the cache has one writer at a time, or is versioned
   */
  @Override
  public BatchWrite toBatch() {
    if (options.isVersioned()) {
      throw new IllegalArgumentException(
          "versioned caches are read only here; cache=" + options.cache());
    }
    try (ManagerPool.Lease lease = ManagerPool.INSTANCE.open(options)) {
      Mode mode = lease.cache().definition().mode();
      if (mode == Mode.SWMR) {
        throw new IllegalArgumentException(
            "executors are several writers, and the cache accepts one at a time: alter its mode to "
                + "MWMR; cache=%s mode=%s".formatted(options.cache(), mode));
      }
    }
    return this;
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    return new EntryWriterFactory(options.values());
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    // Every entry has been acknowledged.
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {
    // What was written stays; a repeated job writes the same entries.
  }
}
