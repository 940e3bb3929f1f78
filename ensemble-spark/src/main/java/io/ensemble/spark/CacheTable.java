package io.ensemble.spark;

import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/**
 * A cache as a table of Spark. Without the option {@code at}, the first action on a data frame
 * chooses the version of a versioned cache; later actions read the same. Thread-safe.
 */
final class CacheTable implements SupportsRead, SupportsWrite {

  private final SourceOptions options;
  private @Nullable SourceOptions planned;

  CacheTable(SourceOptions options) {
    this.options = options;
  }

  SourceOptions options() {
    return options;
  }

  /** The options with the version to read, if the cache is versioned. */
  synchronized SourceOptions planned() {
    SourceOptions known = planned;
    if (known == null) {
      known = options.isVersioned() ? options.withCut(cut()) : options;
      planned = known;
    }
    return known;
  }

  private String cut() {
    try (ManagerPool.Lease lease = ManagerPool.INSTANCE.open(options);
        VersionedEntries<?> entries =
            VersionedEntries.open(options, lease.cache(), Optional.empty())) {
      return entries.cut();
    }
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
    return Set.of(
        TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.STREAMING_WRITE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap scanOptions) {
    return new CacheScanBuilder(this);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new CacheWrite(options, info.queryId(), info.schema());
  }
}
