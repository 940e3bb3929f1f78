package io.ensemble.spark;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.MapSite;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** Three sites in this process, which Spark's managers reach by the option {@code setup}. */
public final class InProcessFederation implements SparkSetup {

  private static final ThreadScheduler SCHEDULER = new ThreadScheduler(2);
  private static final InMemoryDefinitions DEFINITIONS = new InMemoryDefinitions();
  private static final List<MapSite> SITES =
      List.of(
          new MapSite("a", SCHEDULER), new MapSite("b", SCHEDULER), new MapSite("c", SCHEDULER));

  @Override
  public void configure(EnsembleCacheManagerBuilder builder) {
    builder.scheduler(SCHEDULER).definitions(DEFINITIONS);
    SITES.forEach(builder::site);
  }

  static EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    new InProcessFederation().configure(builder);
    return builder.build();
  }

  /** A Spark in this process: two threads, and three tries of each task. Others may share it. */
  static SparkSession spark() {
    return SparkSession.builder()
        .master("local[2,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", "target/spark-warehouse")
        .getOrCreate();
  }
}
