package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which filters name keys, and how many keys are read one by one. Needs no running Spark. */
class CacheScanBuilderTest {

  private static CacheScanBuilder builder(String keyType) {
    return new CacheScanBuilder(
        new CacheTable(
            new SourceOptions(Map.of("cache", "c", "catalog", "none", "key-type", keyType))));
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

  /** Equal keys of these types may be stored in different forms. */
  @ParameterizedTest
  @ValueSource(strings = {"json", "double"})
  void keysWithSeveralFormsStayWithSpark(String type) {
    Filter filter = new EqualTo("key", type.equals("json") ? "{}" : (Object) 0.0);

    assertThat(builder(type).pushFilters(new Filter[] {filter})).containsExactly(filter);
  }

  /** Spark also prunes fields of a column; the reader returns whole columns. */
  @Test
  void aColumnIsReadWithAllItsFields() {
    CacheScanBuilder builder =
        new CacheScanBuilder(
            new CacheTable(
                new SourceOptions(
                    Map.of(
                        "cache",
                        "c",
                        "catalog",
                        "none",
                        "mapping",
                        PlaceMapping.class.getName()))));
    StructType zip = new StructType().add("zip", DataTypes.StringType);

    builder.pruneColumns(new StructType().add("place", zip));

    assertThat(builder.build().readSchema())
        .isEqualTo(new StructType().add("place", PlaceMapping.PLACE));
  }

  /** A value with one column of two fields. */
  public static final class PlaceMapping implements ValueMapping<String> {

    static final StructType PLACE =
        new StructType().add("city", DataTypes.StringType).add("zip", DataTypes.StringType);

    @Override
    public StructType schema() {
      return new StructType().add("place", PLACE);
    }

    @Override
    public Row toRow(String value) {
      return RowFactory.create(RowFactory.create(value, value));
    }

    @Override
    public String fromRow(Row row) {
      return row.getStruct(0).getString(0);
    }
  }
}
