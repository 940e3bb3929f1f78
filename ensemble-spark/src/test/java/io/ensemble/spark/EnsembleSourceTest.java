package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.codec.TypedContent;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.site.Bytes;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * A Spark in this process reads and writes caches. Spark 3.5 does not start on JDK 24 and later.
 */
@EnabledForJreRange(max = JRE.JAVA_21)
@Timeout(600)
class EnsembleSourceTest {

  private static final Map<String, String> SETUP =
      Map.of("setup", InProcessFederation.class.getName());

  private static EnsembleCacheManager manager;
  private static SparkSession spark;

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

  private static CacheDefinition definition(String name, Mode mode) {
    return CacheDefinition.of(name, mode)
        .sites("a", "b", "c")
        .deadline(Duration.ofSeconds(60))
        .build();
  }

  private static Dataset<Row> read(String cache, Map<String, String> options) {
    return spark
        .read()
        .format("ensemble")
        .options(SETUP)
        .options(options)
        .option("cache", cache)
        .load();
  }

  private static void write(Dataset<Row> rows, String cache, Map<String, String> options) {
    rows.write()
        .format("ensemble")
        .options(SETUP)
        .options(options)
        .option("cache", cache)
        .mode("append")
        .save();
  }

  private static Dataset<Row> rows(int count) {
    return spark.range(count).selectExpr("concat('k', id) as key", "id as value");
  }

  @Test
  void aShardedCacheIsWrittenAndReadByPartsColumnsAndKeys() {
    EnsembleCache<String, Long> stock = manager.createSharded(definition("stock", Mode.MWMR), 3);
    Map<String, String> options = Map.of("value-type", "long", "partitions", "3");

    write(rows(300), "stock", options);
    write(rows(300), "stock", options);

    assertThat(stock.size()).isEqualTo(300);
    assertThat(stock.get("k7")).isEqualTo(7L);
    Dataset<Row> all = read("stock", options);
    assertThat(all.javaRDD().getNumPartitions()).isEqualTo(3);
    assertThat(all.selectExpr("count(distinct key)", "count(*)", "sum(value)").first())
        .isEqualTo(RowFactory.create(300L, 300L, 300L * 299 / 2));
    Dataset<Row> named = all.where("key in ('k1', 'k2', 'none') and value < 2");
    assertThat(named.javaRDD().getNumPartitions()).isEqualTo(1);
    assertThat(named.collectAsList()).containsExactly(RowFactory.create("k1", 1L));
    assertThat(all.select("value").where("key = 'k5'").collectAsList())
        .containsExactly(RowFactory.create(5L));
    assertThat(ManagerPool.INSTANCE.size()).isEqualTo(1);
  }

  @Test
  @Tag("nightly")
  void aCacheWithoutPartsIsReadInRangesOfHashes() {
    manager.createCache(definition("plain", Mode.WEAK));
    Map<String, String> options = Map.of("value-type", "long", "partitions", "5");

    write(rows(500), "plain", options);

    Dataset<Row> all = read("plain", options);
    assertThat(all.javaRDD().getNumPartitions()).isEqualTo(5);
    assertThat(all.selectExpr("count(distinct key)", "sum(value)").first())
        .isEqualTo(RowFactory.create(500L, 500L * 499 / 2));
  }

  private static final AtomicInteger FAILURES = new AtomicInteger();

  /** The first task fails near its end, when it has written most of its rows. */
  @Test
  @Tag("nightly")
  void aTaskThatIsRepeatedWritesTheSameEntries() {
    EnsembleCache<String, Long> cache = manager.createCache(definition("tasks", Mode.MWMR));
    FAILURES.set(0);
    Dataset<Row> failing =
        spark
            .range(0, 400, 1, 2)
            .map(
                (MapFunction<Long, Long>)
                    id -> {
                      if (id == 190 && FAILURES.getAndIncrement() == 0) {
                        throw new IllegalStateException("planted");
                      }
                      return id;
                    },
                Encoders.LONG())
            .selectExpr("concat('k', value) as key", "value");

    write(failing, "tasks", Map.of("value-type", "long"));

    assertThat(FAILURES).hasValue(2);
    assertThat(cache.size()).isEqualTo(400);
    assertThat(cache.get("k190")).isEqualTo(190L);
  }

  /** Objects of a ProtoStream schema, in two columns. */
  public static final class UuidMapping implements ValueMapping<UUID> {

    @Override
    public StructType schema() {
      return new StructType()
          .add("high", DataTypes.LongType, false)
          .add("low", DataTypes.LongType, false);
    }

    @Override
    public Row toRow(UUID value) {
      return RowFactory.create(value.getMostSignificantBits(), value.getLeastSignificantBits());
    }

    @Override
    public UUID fromRow(Row row) {
      return new UUID(row.getLong(0), row.getLong(1));
    }
  }

  @Test
  @Tag("nightly")
  void objectsBecomeColumnsByAMapping() {
    EnsembleCache<Long, UUID> cache = manager.createCache(definition("ids", Mode.MWMR));
    Map<String, String> options =
        Map.of("key-type", "long", "mapping", UuidMapping.class.getName());
    cache.put(1L, new UUID(3, 4));

    write(spark.sql("select 2L as key, 5L as high, 6L as low"), "ids", options);

    assertThat(cache.get(2L)).isEqualTo(new UUID(5, 6));
    assertThat(read("ids", options).select("low", "key").orderBy("key").collectAsList())
        .containsExactly(RowFactory.create(4L, 1L), RowFactory.create(6L, 2L));
    assertThat(read("ids", options).where("key = 2").select("high").collectAsList())
        .containsExactly(RowFactory.create(5L));
  }

  @Test
  @Tag("nightly")
  void jsonOfRestAndOfJavaIsText() {
    EnsembleCache<String, Object> cache = manager.createCache(definition("json", Mode.MWMR));
    Bytes content = Bytes.of("{\"n\":1}".getBytes(StandardCharsets.UTF_8));
    cache.put("rest", new TypedContent("application/json", content));
    cache.put("java", "{\"n\":2}");

    assertThat(
            read("json", Map.of("value-type", "json"))
                .selectExpr("from_json(value, 'n INT').n as n")
                .orderBy("n")
                .collectAsList())
        .containsExactly(RowFactory.create(1), RowFactory.create(2));
  }

  /** Writes between two actions, and between two partitions, are not part of the cut. */
  @Test
  @Tag("nightly")
  void aVersionedCacheIsReadAtACut() {
    EnsembleCache<String, byte[]> store = manager.createCache(definition("histories", Mode.MWMR));
    try (AtomicObjectFactory objects = AtomicObjectFactory.on(new EnsembleObjectStore(store));
        VersionedCache<String, String, HybridTime> pages =
            VersionedCache.builder(
                    objects, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new HybridTimes())
                .open()) {
      for (int i = 0; i < 20; i++) {
        pages.add("k" + i, "first");
      }
      HybridTime cut = pages.snapshot().version();
      Map<String, String> options = Map.of("versions", "pages", "partitions", "3");
      Dataset<Row> now = read("histories", options);
      assertThat(now.count()).isEqualTo(20);

      pages.add("k3", "second");
      pages.remove("k4");
      pages.add("late", "second");

      assertThat(now.javaRDD().getNumPartitions()).isEqualTo(3);
      assertThat(now.select("value").distinct().collectAsList())
          .containsExactly(RowFactory.create("first"));
      assertThat(now.where("key in ('k3', 'k4', 'late')").count()).isEqualTo(2);
      assertThat(read("histories", options).where("value = 'second'").count()).isEqualTo(2);
      Map<String, String> then =
          Map.of("versions", "pages", "at", Instant.ofEpochMilli(cut.millis()).toString());
      assertThat(read("histories", then).where("value = 'first'").count()).isEqualTo(20);
      assertThatThrownBy(() -> read("histories", Map.of("versions", "none")).count())
          .hasStackTraceContaining("no such versioned cache: none");
      assertThatThrownBy(() -> read("histories", Map.of("versions", "pages", "at", "noon")).count())
          .hasStackTraceContaining("must be a time such as");
      assertThatThrownBy(() -> read("histories", Map.of("at", "noon")))
          .hasMessageContaining("requires 'versions'");
      assertThatThrownBy(() -> read("histories", Map.of("versions", "pages", "value-type", "long")))
          .hasMessageContaining("must be string, json or binary");
    }
  }

  @Test
  @Tag("nightly")
  void mistakesAreNamed() {
    EnsembleCache<String, Object> cache = manager.createCache(definition("mixed", Mode.MWMR));
    cache.put("k", 1);
    manager.createCache(definition("single", Mode.SWMR));

    assertThatThrownBy(() -> read("mixed", Map.of()).collectAsList())
        .hasStackTraceContaining("expected STRING got java.lang.Integer");
    assertThatThrownBy(() -> write(rows(3), "single", Map.of("value-type", "long")))
        .hasStackTraceContaining("accepts one at a time");
    assertThatThrownBy(() -> read("absent", Map.of()).collectAsList())
        .hasStackTraceContaining("no such cache: absent");
    for (Map<String, String> bad :
        List.of(
            Map.of("colour", "red"),
            Map.of("value-type", "date"),
            Map.of("partitions", "0"),
            Map.of("mapping", "java.lang.String"))) {
      assertThatThrownBy(() -> read("mixed", bad).collectAsList())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(bad.keySet().iterator().next());
    }
  }
}
