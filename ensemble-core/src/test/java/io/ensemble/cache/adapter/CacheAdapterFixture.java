package io.ensemble.cache.adapter;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.QuorumFailure;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.codec.Codec;
import io.ensemble.schedule.ThreadScheduler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;

/** A cache over {@link InMemoryEngine}, with a clock that only the tests advance. */
abstract class CacheAdapterFixture {

  static final QuorumFailure ALONE =
      new QuorumFailure(2, 3, Set.of("a"), Map.of("b", "down", "c", "down"));

  final ThreadScheduler scheduler = new ThreadScheduler(2);
  final AtomicLong micros = new AtomicLong(1_000_000);
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final InMemoryEngine engine = new InMemoryEngine(scheduler, micros::get);
  final CacheDefinition definition =
      CacheDefinition.of("c", Mode.MWMR)
          .sites("a", "b", "c")
          .deadline(Duration.ofSeconds(3))
          .maxValueBytes(1000)
          .build();
  int stops;
  final CacheInstance faces =
      new CacheInstance(
          definition,
          engine,
          new Codec(List.of()),
          scheduler,
          CacheMetrics.of(registry, "c", Mode.MWMR),
          micros::get,
          () -> stops++);
  final EnsembleCache<String, Object> cache = opened();

  /** The cache under test; a subclass may return another one of the same definition. */
  EnsembleCache<String, Object> opened() {
    return faces.cache();
  }

  @AfterEach
  void close() {
    faces.close();
    scheduler.close();
  }
}
