package io.ensemble.spark;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.util.SerializableConfiguration;

/** Reads the changes of a batch from the checkpoint, in executors. */
final class SegmentReaderFactory implements PartitionReaderFactory {

  private static final long serialVersionUID = 1L;

  private final SerializableConfiguration hadoop;
  private final int columns;

  SegmentReaderFactory(SerializableConfiguration hadoop, int columns) {
    this.hadoop = hadoop;
    this.columns = columns;
  }

  /** A segment as a partition of Spark. */
  record SegmentPartition(String file) implements InputPartition {}

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    return new SegmentReader(((SegmentPartition) partition).file());
  }

  /** The rows of one segment. For one thread. */
  private final class SegmentReader implements PartitionReader<InternalRow> {

    private final DataInputStream in;
    private final UnsafeRow row = new UnsafeRow(columns);
    private int left;

    private SegmentReader(String file) {
      try {
        Path path = new Path(file);
        in = new DataInputStream(path.getFileSystem(hadoop.value()).open(path));
        try {
          left = SpoolSegment.read(in).rows();
        } catch (IOException | RuntimeException e) {
          in.close();
          throw e;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(
            "cannot read changes of a checkpoint, which executors must reach: " + file, e);
      }
    }

    @Override
    public boolean next() throws IOException {
      if (left == 0) {
        return false;
      }
      byte[] bytes = SpoolSegment.readRow(in);
      row.pointTo(bytes, bytes.length);
      left--;
      return true;
    }

    @Override
    public InternalRow get() {
      return row;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
