package io.ensemble.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics.OperationOutcome;
import io.ensemble.cache.CacheMetrics.SiteCount;
import io.ensemble.cache.CacheMetrics.SiteGauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CacheMetricsTest {

  @Test
  void aRegistryThatThrowsStopsNothing() {
    AtomicInteger asked = new AtomicInteger();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                if (asked.incrementAndGet() % 2 == 0) {
                  throw new NoClassDefFoundError("told to");
                }
                throw new IllegalStateException("told to");
              }
            });

    CacheMetrics metrics = CacheMetrics.of(registry, "c", Mode.WEAK);
    for (int i = 0; i < 2; i++) {
      metrics.operation("put", OperationOutcome.UNKNOWN, 1);
      metrics.siteRequest("a", "put", "ok", 1);
      metrics.roundTrips("write", 1);
      metrics.count(SiteCount.PUT_BACKS, "a", 1);
      metrics.compared(true, 1, Duration.ofSeconds(1));
      metrics.gauge(SiteGauge.LAG, "a", () -> 1);
    }
    metrics.close();

    assertThat(asked).hasValue(13);
    assertThat(registry.getMeters()).isEmpty();
  }

  /** {@code counter(String, Tags)} and {@code timer(String, Tags)}. */
  @Test
  void noClassCallsAnOverloadThatMicrometer115Lacks() throws Exception {
    Path classes =
        Path.of(CacheMetrics.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String parameters = "(Ljava/lang/String;Lio/micrometer/core/instrument/Tags;)";

    try (Stream<Path> files = Files.walk(classes)) {
      List<Path> all = files.filter(f -> f.toString().endsWith(".class")).toList();
      assertThat(all).contains(classes.resolve("io/ensemble/cache/CacheMetrics.class"));
      for (Path file : all) {
        assertThat(Files.readString(file, ISO_8859_1)).as("%s", file).doesNotContain(parameters);
      }
    }
  }
}
