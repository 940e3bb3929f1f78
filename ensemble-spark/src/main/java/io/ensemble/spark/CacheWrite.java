package io.ensemble.spark;

import io.ensemble.Mode;
import java.util.Arrays;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A write of rows as entries. Each row is an unconditional put, so a task that is repeated writes
 * the same entries again; or a conditional one, if values have {@linkplain WriteIdentity
 * identities}. Not a transaction: what tasks have written stays if the job fails.
 *
 * @param query an id that Spark gives; that of a streaming query outlasts its restarts
 * @param schema of the rows
 */
record CacheWrite(SourceOptions options, String query, StructType schema)
    implements SupportsStreamingUpdateAsAppend, Write, BatchWrite, StreamingWrite {

  @Override
  public Write build() {
    return this;
  }

  /**
   * @throws IllegalArgumentException if the cache cannot be written in this way
   */
  @Override
  public BatchWrite toBatch() {
    check("");
    return this;
  }

  /**
   * @throws IllegalArgumentException if the cache cannot be written in this way, or the rows have
   *     other columns, which Spark does not check
   */
  @Override
  public StreamingWrite toStreaming() {
    check(query);
    StructType expected = options.schema();
    if (!columns(expected).equals(columns(schema))) {
      throw new IllegalArgumentException(
          "the columns must be %s; got %s; cache=%s"
              .formatted(columns(expected), columns(schema), options.cache()));
    }
    return this;
  }

  private static String columns(StructType schema) {
    return Arrays.stream(schema.fields()).map(CacheWrite::column).toList().toString();
  }

  private static String column(StructField field) {
    return field.name() + " " + field.dataType().sql();
  }

  private void check(String streamingQuery) {
    if (options.isVersioned()) {
      throw new IllegalArgumentException(
          "versioned caches are read only here; cache=" + options.cache());
    }
    boolean hasIdentities = options.identity(0, 0, streamingQuery).isPresent();
    try (ManagerPool.Lease lease = ManagerPool.INSTANCE.open(options)) {
      Mode mode = lease.cache().definition().mode();
      if (mode == Mode.SWMR) {
        throw new IllegalArgumentException(
            "executors are several writers, and the cache accepts one at a time: alter its mode to "
                + "MWMR; cache=%s mode=%s".formatted(options.cache(), mode));
      }
      if (hasIdentities && mode != Mode.MWMR) {
        throw new IllegalArgumentException(
            "option 'identity-column' requires conditional writes: alter the mode to MWMR; "
                + "cache=%s mode=%s".formatted(options.cache(), mode));
      }
    }
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    return new EntryWriterFactory(options.values(), "");
  }

  @Override
  public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
    return new EntryWriterFactory(options.values(), query);
  }

  /** Of the attempts of a task, Spark lets one commit. The writes do not depend on that. */
  @Override
  public boolean useCommitCoordinator() {
    return true;
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    // Every entry has been acknowledged.
  }

  @Override
  public void commit(long batch, WriterCommitMessage[] messages) {
    // Every entry has been acknowledged.
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {
    // What was written stays; a repeated job writes the same entries.
  }

  @Override
  public void abort(long batch, WriterCommitMessage[] messages) {
    // What was written stays; a repeated batch writes the same entries.
  }
}
