package io.ensemble.spark;

import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A cache as a table of Spark. */
final class CacheTable implements SupportsRead, SupportsWrite {

  private final SourceOptions options;

  CacheTable(SourceOptions options) {
    this.options = options;
  }

  @Override
  public String name() {
    return "ensemble:" + options.cache();
  }

  @SuppressWarnings("deprecation") // The successor columns() derives from it.
  @Override
  public StructType schema() {
    return options.schema();
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap scanOptions) {
    return new CacheScanBuilder(options);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new CacheWrite(options);
  }
}
