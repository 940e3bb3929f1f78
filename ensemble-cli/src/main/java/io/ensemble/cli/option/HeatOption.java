package io.ensemble.cli.option;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.heat.HeatRecorder;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether a process records its operations for heat maps. */
public final class HeatOption {

  @Option(
      names = "--heat",
      description =
          "Record the operations of this process for heat maps, and publish them in the cache "
              + "'ensemble.heat' (docs/heat-maps.md).")
  boolean records;

  private @Nullable HeatRecorder recorder;

  /** Makes the manager of the builder record, if the option is given. */
  public EnsembleCacheManagerBuilder addTo(EnsembleCacheManagerBuilder builder) {
    if (!records) {
      return builder;
    }
    HeatRecorder created = HeatRecorder.create();
    recorder = created;
    return builder.recorder(created);
  }

  /** Exports meters of what is recorded, if the option is given. */
  public void measure(MeterRegistry registry) {
    if (recorder != null) {
      recorder.bindTo(registry);
    }
  }

  /**
   * Begins to publish what the manager records.
   *
   * @return to be closed before the manager; publishes the rest
   */
  public Publication publishTo(EnsembleCacheManager manager) {
    HeatRecorder created = recorder;
    if (created == null) {
      return () -> {};
    }
    created.publishTo(manager);
    return created::close;
  }

  /** What is under way until the command ends. */
  @FunctionalInterface
  public interface Publication extends AutoCloseable {
    @Override
    void close();
  }
}
