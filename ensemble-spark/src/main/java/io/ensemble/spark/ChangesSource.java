package io.ensemble.spark;

import io.ensemble.ChangeStream;
import io.ensemble.ListenOptions;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.execution.streaming.CheckpointFileManager;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.util.SerializableConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * The streaming source {@code ensemble-changes}: {@code
 * spark.readStream().format("ensemble-changes")}, the changes of a cache. Spark creates it; the
 * options are documented in docs/spark.md. An option that is missing, unknown or malformed is
 * refused with {@link IllegalArgumentException}.
 */
public final class ChangesSource implements TableProvider, DataSourceRegister {

  private static final String DIRECTORY = "changes";

  @Override
  public String shortName() {
    return "ensemble-changes";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return ChangeRows.schema(options(options.asCaseSensitiveMap()));
  }

  private static SourceOptions options(Map<String, String> properties) {
    SourceOptions options = new SourceOptions(properties);
    options.refuseAllBut(SourceOptions.OF_CHANGES);
    options.checkChanges();
    return options;
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new ChangesTable(options(properties));
  }

  /** The changes of a cache as a table of Spark. */
  private record ChangesTable(SourceOptions options) implements SupportsRead, ScanBuilder, Scan {

    @Override
    public String name() {
      return "ensemble-changes:" + options.cache();
    }

    @SuppressWarnings("deprecation") // The successor columns() derives from it.
    @Override
    public StructType schema() {
      return ChangeRows.schema(options);
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.MICRO_BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap scanOptions) {
      return this;
    }

    @Override
    public Scan build() {
      return this;
    }

    @Override
    public StructType readSchema() {
      return ChangeRows.schema(options);
    }

    /** Opens nothing yet: that is for the thread of the query. */
    @Override
    public MicroBatchStream toMicroBatchStream(String checkpoint) {
      Configuration hadoop = SparkSession.active().sessionState().newHadoopConf();
      Path directory = new Path(checkpoint, DIRECTORY);
      LeasedStreams streams = new LeasedStreams(options);
      return new ChangeMicroBatchStream(
          options,
          new ChangeMicroBatchStream.Means(
              () ->
                  new ChangeSpool(
                      CheckpointFileManager.create(directory, hadoop),
                      directory,
                      ChangeRows.schema(options).json()),
              streams::listen,
              streams::close,
              System::nanoTime,
              new SerializableConfiguration(hadoop)));
    }
  }

  /** Streams of one cache, whose manager is open from the first one on. For one thread. */
  private static final class LeasedStreams implements AutoCloseable {

    private final SourceOptions options;
    private ManagerPool.@Nullable Lease lease;

    private LeasedStreams(SourceOptions options) {
      this.options = options;
    }

    ChangeStream<Object, Object> listen(ListenOptions<Object> wanted) {
      ManagerPool.Lease open = lease == null ? ManagerPool.INSTANCE.open(options) : lease;
      lease = open;
      return open.cache().listen(wanted);
    }

    @Override
    public void close() {
      ManagerPool.Lease open = lease;
      lease = null;
      if (open != null) {
        open.close();
      }
    }
  }
}
