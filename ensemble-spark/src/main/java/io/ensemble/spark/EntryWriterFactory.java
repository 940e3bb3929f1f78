package io.ensemble.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;

/** Opens the writers of tasks, in executors. */
final class EntryWriterFactory implements DataWriterFactory {

  private static final long serialVersionUID = 1L;

  private final HashMap<String, String> options;

  EntryWriterFactory(Map<String, String> options) {
    this.options = new HashMap<>(options);
  }

  @Override
  public DataWriter<InternalRow> createWriter(int partition, long task) {
    SourceOptions read = new SourceOptions(options);
    ManagerPool.Lease lease = ManagerPool.INSTANCE.open(read);
    return new EntryDataWriter(read, lease.cache().async(), lease::close);
  }
}
