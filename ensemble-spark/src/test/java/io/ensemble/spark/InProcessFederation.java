package io.ensemble.spark;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.MapSite;
import java.util.List;

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
}
