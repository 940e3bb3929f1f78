package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Streaming queries of a Spark in this process over the changes of caches. */
@EnabledForJreRange(max = JRE.JAVA_21)
@Timeout(600)
class ChangesSourceTest {

  private static EnsembleCacheManager manager;
  private static SparkSession spark;

  @TempDir private Path checkpoint;

  // By number of batch, in the order of the calls.
  private final List<Map.Entry<Long, List<String>>> batches = new ArrayList<>();
  private boolean isFailing;

  @BeforeAll
  static void start() {
    manager = InProcessFederation.manager();
    spark = InProcessFederation.spark();
  }

  @AfterAll
  static void stop() {
    spark.stop();
    ManagerPool.INSTANCE.closeAll();
    manager.stop();
  }

  private static EnsembleCache<String, Long> cache(String name, Duration grace) {
    return manager.createCache(
        CacheDefinition.of(name, Mode.MWMR)
            .sites("a", "b", "c")
            .deadline(Duration.ofSeconds(60))
            .tombstoneGrace(grace)
            .build());
  }

  private StreamingQuery query(String cache, Map<String, String> options, Trigger trigger)
      throws TimeoutException {
    VoidFunction2<Dataset<Row>, Long> sink =
        (rows, batch) -> {
          List<String> texts =
              rows.selectExpr("concat_ws(' ', key, kind, value, gap)").collectAsList().stream()
                  .map(row -> row.getString(0))
                  .sorted()
                  .toList();
          synchronized (batches) {
            batches.add(Map.entry(batch, texts));
          }
          if (isFailing) {
            throw new IllegalStateException("planted");
          }
        };
    return spark
        .readStream()
        .format("ensemble-changes")
        .option("setup", InProcessFederation.class.getName())
        .option("cache", cache)
        .option("value-type", "long")
        .options(options)
        .load()
        .writeStream()
        .foreachBatch(sink)
        .option("checkpointLocation", checkpoint.toUri().toString())
        .trigger(trigger)
        .start();
  }

  /** Runs a query until it has shown what is there. The first batch of a checkpoint is empty. */
  private void run(String cache, Map<String, String> options) throws Exception {
    query(cache, options, Trigger.AvailableNow()).awaitTermination();
  }

  @Test
  void aRestartRepeatsTheBatchThatFailedAndThenShowsWhatFollowed() throws Exception {
    EnsembleCache<String, Long> cache = cache("streamed", Duration.ofHours(1));
    cache.put("before", 0L);
    run("streamed", Map.of()); // The stream begins here.
    cache.put("a", 1L);
    cache.put("b", 2L);
    cache.remove("before");
    isFailing = true;
    assertThatThrownBy(() -> run("streamed", Map.of())).hasStackTraceContaining("planted");

    isFailing = false;
    cache.put("a", 3L);
    cache.put("c", 4L);
    run("streamed", Map.of());
    run("streamed", Map.of()); // Nothing is new.

    List<String> first = List.of("a CREATED 1", "b CREATED 2", "before REMOVED");
    assertThat(batches)
        .hasSize(4)
        .startsWith(Map.entry(0L, List.of()), Map.entry(1L, first), Map.entry(1L, first))
        .last()
        .satisfies(
            last -> {
              assertThat(last.getKey()).isEqualTo(2);
              assertThat(last.getValue()).hasSize(2);
              assertThat(last.getValue().get(0)).startsWith("a ").endsWith(" 3");
              assertThat(last.getValue().get(1)).startsWith("c ").endsWith(" 4");
            });
  }

  /** Without a grace, no position is young enough. */
  @Test
  @Tag("nightly")
  void aGapFailsTheQueryUnlessItIsPermitted() throws Exception {
    EnsembleCache<String, Long> cache = cache("gaps", Duration.ZERO);
    run("gaps", Map.of());
    cache.put("a", 1L);

    assertThatThrownBy(() -> run("gaps", Map.of()))
        .isInstanceOf(StreamingQueryException.class)
        .hasStackTraceContaining("RETENTION");
    assertThat(batches).containsExactly(Map.entry(0L, List.of()));
    run("gaps", Map.of("fail-on-gap", "false"));

    assertThat(batches)
        .hasSize(2)
        .last()
        .satisfies(batch -> assertThat(batch.getValue()).contains("GAP RETENTION"));
  }

  @Test
  @Tag("nightly")
  void aRunningQueryFollowsTheCacheAndFailsWhenItIsDeleted() throws Exception {
    EnsembleCache<String, Long> cache = cache("ending", Duration.ofHours(1));
    StreamingQuery query = query("ending", Map.of(), Trigger.ProcessingTime(0));
    Path changes = checkpoint.resolve("sources/0/changes");
    Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> changes.toFile().list() != null);
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              cache.put("a", System.nanoTime());
              synchronized (batches) {
                return batches.size() >= 3;
              }
            });
    assertThat(query.isActive()).isTrue();

    manager.deleteCache("ending");

    assertThatThrownBy(query::awaitTermination).hasStackTraceContaining("CacheDeletedException");
  }

  @Test
  @Tag("nightly")
  void aQueryThatIsStoppedEndsWithoutAnErrorAndResumes() throws Exception {
    EnsembleCache<String, Long> cache = cache("stopped", Duration.ofHours(1));
    StreamingQuery query = query("stopped", Map.of(), Trigger.ProcessingTime(0));
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              cache.put("a", System.nanoTime());
              synchronized (batches) {
                return !batches.isEmpty();
              }
            });

    query.stop();
    assertThat(query.exception().isEmpty()).isTrue();
    cache.put("last", 7L);
    run("stopped", Map.of());

    assertThat(batches.get(batches.size() - 1).getValue()).contains("last CREATED 7");
  }

  @Test
  @Tag("nightly")
  void mistakesOfOptionsAreNamed() {
    for (Map<String, String> bad :
        List.of(
            Map.of("partitions", "2"),
            Map.of("fail-on-gap", "perhaps"),
            Map.of("batch-events", "11", "buffer-events", "10"))) {
      assertThatThrownBy(() -> query("absent", bad, Trigger.AvailableNow()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              bad.containsKey("batch-events") ? "batch-events" : bad.keySet().iterator().next());
    }
  }
}
