package io.ensemble.heat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;
import org.apache.datasketches.frequencies.ErrorType;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one process: for each cache, figures of the last window that ended. Not a number
 * while the last window has no operation. Thread-safe.
 */
final class HeatMeters {

  /** The figures of one window. */
  private record Figures(
      double hottestShare, double distinctKeys, double writeShare, double p50, double p99) {

    static final Figures NONE =
        new Figures(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    static Figures of(HeatSketch window) {
      double operations = (double) window.reads() + window.writes();
      long hottest =
          Arrays.stream(window.keys().getFrequentItems(0, ErrorType.NO_FALSE_NEGATIVES))
              .mapToLong(row -> row.getEstimate())
              .max()
              .orElse(0);
      boolean hasSizes = !window.sizes().isEmpty();
      return new Figures(
          hottest / operations,
          window.distinct().getEstimate(),
          window.writes() / operations,
          hasSizes ? window.sizes().getQuantile(0.5) : Double.NaN,
          hasSizes ? window.sizes().getQuantile(0.99) : Double.NaN);
    }
  }

  private final Map<String, Figures> last = new ConcurrentHashMap<>();
  private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

  void bindTo(MeterRegistry registry, HeatRecorder recorder) {
    registries.add(registry);
    FunctionCounter.builder(
            "ensemble.heat.operations.missed", recorder, HeatRecorder::missedOperations)
        .register(registry);
    FunctionCounter.builder("ensemble.heat.windows.dropped", recorder, HeatRecorder::droppedWindows)
        .register(registry);
    last.keySet().forEach(cache -> register(registry, cache));
  }

  void show(String cache, HeatSketch window) {
    if (!registries.isEmpty() && last.put(cache, Figures.of(window)) == null) {
      registries.forEach(registry -> register(registry, cache));
    }
  }

  void showNothing(String cache) {
    last.computeIfPresent(cache, (name, before) -> Figures.NONE);
  }

  private void register(MeterRegistry registry, String cache) {
    gauge(registry, "ensemble.heat.hottest.key.share", null, cache, Figures::hottestShare);
    gauge(registry, "ensemble.heat.distinct.keys", null, cache, Figures::distinctKeys);
    gauge(registry, "ensemble.heat.write.share", null, cache, Figures::writeShare);
    gauge(registry, "ensemble.heat.value.size", "0.5", cache, Figures::p50);
    gauge(registry, "ensemble.heat.value.size", "0.99", cache, Figures::p99);
  }

  private void gauge(
      MeterRegistry registry,
      String meter,
      @Nullable String quantile,
      String cache,
      ToDoubleFunction<Figures> figure) {
    Tags tags = Tags.of("cache", cache);
    Gauge.builder(meter, last, all -> figure.applyAsDouble(all.getOrDefault(cache, Figures.NONE)))
        .tags(quantile == null ? tags : tags.and("quantile", quantile))
        .baseUnit(quantile == null ? null : "bytes")
        .register(registry);
  }
}
