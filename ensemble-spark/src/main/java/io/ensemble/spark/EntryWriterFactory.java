package io.ensemble.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;

/** Opens the writers of tasks, in executors. */
final class EntryWriterFactory implements DataWriterFactory, StreamingDataWriterFactory {

  private static final long serialVersionUID = 1L;

  private final HashMap<String, String> options;
  private final String query;

  /**
   * @param query the id of the streaming query; empty for another job
   */
  EntryWriterFactory(Map<String, String> options, String query) {
    this.options = new HashMap<>(options);
    this.query = query;
  }

  @Override
  public DataWriter<InternalRow> createWriter(int partition, long task) {
    return createWriter(partition, task, 0);
  }

  @Override
  public DataWriter<InternalRow> createWriter(int partition, long task, long batch) {
    SourceOptions read = new SourceOptions(options);
    ManagerPool.Lease lease = ManagerPool.INSTANCE.open(read);
    try {
      return new EntryDataWriter(
          read,
          lease.cache().async(),
          read.identity(batch, partition, query).orElse(null),
          lease::close);
    } catch (RuntimeException | Error e) {
      lease.close();
      throw e;
    }
  }
}
