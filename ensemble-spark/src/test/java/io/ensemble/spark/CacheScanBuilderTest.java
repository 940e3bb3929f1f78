package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.In;
import org.junit.jupiter.api.Test;

/** Which filters name keys, and how many keys are read one by one. Needs no running Spark. */
class CacheScanBuilderTest {

  private static CacheScanBuilder builder(String keyType) {
    return new CacheScanBuilder(
        new SourceOptions(Map.of("cache", "c", "catalog", "none", "key-type", keyType)));
  }

  private static In in(int keys) {
    return new In("key", IntStream.range(0, keys).mapToObj(i -> "k" + i).toArray());
  }

  @Test
  void severalFiltersNameTheKeysThatAllOfThemName() {
    CacheScanBuilder builder = builder("string");
    Filter other = new GreaterThan("value", "v");
    Filter ofValue = new EqualTo("value", "k1");

    assertThat(builder.pushFilters(new Filter[] {in(5), other, new EqualTo("key", "k3"), ofValue}))
        .containsExactly(other, ofValue);
    assertThat(builder.pushedFilters()).hasSize(2);
    CacheScan scan = (CacheScan) builder.build();
    assertThat(scan.keys()).containsExactly("k3");
    assertThat(scan.planInputPartitions()).hasSize(1);
  }

  @Test
  void soManyKeysAreReadOneByOneAndNoMore() {
    CacheScanBuilder most = builder("string");
    assertThat(most.pushFilters(new Filter[] {in(CacheScanBuilder.MOST_KEYS)})).isEmpty();
    assertThat(((CacheScan) most.build()).planInputPartitions()).hasSize(10);

    CacheScanBuilder more = builder("string");
    Filter tooMany = in(CacheScanBuilder.MOST_KEYS + 1);
    assertThat(more.pushFilters(new Filter[] {tooMany})).containsExactly(tooMany);
    assertThat(((CacheScan) more.build()).keys()).isNull();
  }

  @Test
  void noKeyIsNullAndBinaryKeysStayWithSpark() {
    CacheScanBuilder none = builder("string");
    assertThat(none.pushFilters(new Filter[] {new In("key", new Object[] {null})})).isEmpty();
    assertThat(((CacheScan) none.build()).planInputPartitions()).isEmpty();

    Filter binary = new EqualTo("key", new byte[] {1});
    assertThat(builder("binary").pushFilters(new Filter[] {binary})).containsExactly(binary);
  }
}
