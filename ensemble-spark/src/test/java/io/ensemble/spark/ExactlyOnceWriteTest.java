package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tasks that fail, tasks that end late and batches that are repeated write nothing twice. A write
 * of another process between the two attempts shows it.
 */
@EnabledForJreRange(max = JRE.JAVA_21)
@Timeout(600)
class ExactlyOnceWriteTest {

  private static final Map<String, String> OPTIONS =
      Map.of(
          "setup", InProcessFederation.class.getName(),
          "mapping", NumberedMapping.class.getName(),
          "identity-column", "identity");

  private static EnsembleCacheManager manager;
  private static SparkSession spark;

  @TempDir private Path checkpoint;

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

  private static <V> EnsembleCache<String, V> cache(String name, Mode mode) {
    return manager.createCache(
        CacheDefinition.of(name, mode)
            .sites("a", "b", "c")
            .deadline(Duration.ofSeconds(60))
            .tombstoneGrace(Duration.ofHours(1))
            .build());
  }

  private static void write(Dataset<Row> rows, String cache, int generation) {
    rows.write()
        .format("ensemble")
        .options(OPTIONS)
        .option("generation", generation)
        .option("cache", cache)
        .mode("append")
        .save();
  }

  private static final AtomicInteger ATTEMPTS = new AtomicInteger();
  private static EnsembleCache<String, String> modified;

  /** As another process, while the first attempt of the task has written most of its rows. */
  private static void modify(String key) {
    modified.computeIfPresent(key, (same, value) -> NumberedMapping.withNumber(value, 1_000_000));
  }

  @Test
  @Tag("nightly")
  void aTaskThatFailsAfterHalfOfItsRowsWritesNoneOfThemAgain() {
    modified = cache("halves", Mode.MWMR);
    ATTEMPTS.set(0);
    Dataset<Row> failing =
        spark
            .range(0, 400, 1, 2)
            .map(
                (MapFunction<Long, Long>)
                    id -> {
                      if (id == 100 && ATTEMPTS.getAndIncrement() == 0) {
                        modify("k5");
                        throw new IllegalStateException("planted");
                      }
                      return id;
                    },
                Encoders.LONG())
            .selectExpr("concat('k', value) as key", "value", "'' as identity");

    write(failing, "halves", 1);

    assertThat(ATTEMPTS).hasValue(2);
    assertThat(modified.size()).isEqualTo(400);
    assertThat(modified.get("k5")).startsWith("1000000|");
    assertThat(modified.get("k6")).startsWith("6|");
    write(failing, "halves", 2);
    assertThat(modified.get("k5")).startsWith("5|");
  }

  /** The twin of a task, which Spark has not killed, writes when the job is over. */
  @Test
  @Tag("nightly")
  void aSpeculativeTwinThatEndsLaterHasNoEffect() throws Exception {
    modified = cache("twins", Mode.MWMR);
    Map<String, String> options = new HashMap<>(OPTIONS);
    options.put("cache", "twins");
    options.put("generation", "1");
    Dataset<Row> rows =
        spark
            .range(0, 50, 1, 1)
            .selectExpr("concat('k', id) as key", "id as value", "'' as identity");
    write(rows, "twins", 1);
    modify("k5");
    Map<String, String> before = Map.copyOf(modified);

    try (DataWriter<InternalRow> twin = new EntryWriterFactory(options, "").createWriter(0, 99)) {
      for (long id = 0; id < 50; id++) {
        twin.write(
            new GenericInternalRow(
                new Object[] {UTF8String.fromString("k" + id), id, UTF8String.EMPTY_UTF8}));
      }
      twin.commit();
    }

    assertThat(Map.copyOf(modified)).isEqualTo(before).hasSize(50);
  }

  private void copyChanges(String from, String to, Map<String, String> options) throws Exception {
    spark
        .readStream()
        .format("ensemble-changes")
        .option("setup", InProcessFederation.class.getName())
        .option("cache", from)
        .option("value-type", "long")
        .load()
        .where("value is not null")
        .selectExpr("key", "value", "'' as identity")
        .writeStream()
        .format("ensemble")
        .options(OPTIONS)
        .options(options)
        .option("cache", to)
        .option("checkpointLocation", checkpoint.toUri().toString())
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
  }

  /** The driver dies after a batch, before Spark has recorded its end. */
  @Test
  void aBatchThatIsRepeatedHasNoEffect() throws Exception {
    EnsembleCache<String, Long> source = cache("batches", Mode.MWMR);
    modified = cache("copies", Mode.MWMR);
    copyChanges("batches", "copies", Map.of()); // The stream begins here, with an empty batch.
    for (long i = 0; i < 10; i++) {
      source.put("k" + i, i);
    }
    copyChanges("batches", "copies", Map.of());
    assertThat(modified.size()).isEqualTo(10);
    modify("k5");
    Map<String, String> before = Map.copyOf(modified);

    assertThat(Files.deleteIfExists(checkpoint.resolve("commits/1"))).isTrue();
    Files.deleteIfExists(checkpoint.resolve("commits/.1.crc"));
    copyChanges("batches", "copies", Map.of());
    assertThat(Files.exists(checkpoint.resolve("commits/1"))).isTrue();
    assertThat(Map.copyOf(modified)).isEqualTo(before);

    source.put("k5", 55L);
    copyChanges("batches", "copies", Map.of());
    assertThat(modified.get("k5")).startsWith("55|");
  }

  @Test
  @Tag("nightly")
  void mistakesOfStreamingWritesAreNamed() {
    cache("errors", Mode.MWMR);
    cache("weak", Mode.WEAK);

    assertThatThrownBy(() -> copyChanges("errors", "weak", Map.of()))
        .hasStackTraceContaining("alter the mode to MWMR");
    assertThatThrownBy(() -> copyChanges("errors", "errors", Map.of("identity-column", "none")))
        .hasStackTraceContaining("must name a column of text");
  }
}
