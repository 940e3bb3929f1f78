package io.ensemble.spark;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source {@code ensemble}: {@code spark.read().format("ensemble")}. Spark creates it; the
 * options are documented in docs/spark.md. An option that is missing, unknown or malformed is
 * refused with {@link IllegalArgumentException}.
 */
public final class EnsembleSource implements TableProvider, DataSourceRegister {

  @Override
  public String shortName() {
    return "ensemble";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return new SourceOptions(options.asCaseSensitiveMap()).schema();
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    SourceOptions options = new SourceOptions(properties);
    options.refuseAllBut(SourceOptions.OF_ENTRIES, SourceOptions.OF_WRITES);
    options.checkEntries();
    return new CacheTable(options);
  }
}
