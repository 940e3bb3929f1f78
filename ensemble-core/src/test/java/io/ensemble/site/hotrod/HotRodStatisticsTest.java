package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.site.SiteStatistics;
import io.ensemble.site.StoreStatistics;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class HotRodStatisticsTest {

  private final HotRodStatistics statistics = new HotRodStatistics();

  @Test
  void whatCachesCountIsAddedUp() {
    statistics.add(cache(1_000, 500, 20));
    statistics.add(cache(10, 30, 10));

    assertThat(statistics.sums())
        .isEqualTo(new SiteStatistics(OptionalLong.of(1_010), OptionalLong.of(28)));
  }

  @Test
  void everyKindOfRequestCounts() {
    statistics.add(
        Map.of(
            "globalApproximateEntriesUnique", "1",
            "globalRetrievals", "1000",
            "globalStores", "200",
            "globalRemoveHits", "30",
            "globalRemoveMisses", "4",
            "timeSinceStart", "1"));

    assertThat(statistics.sums().requestsPerSecond()).hasValue(1_234);
  }

  @Test
  void theCountsOfOneStoreAreSinceItsStart() {
    assertThat(HotRodStatistics.ofSite(cache(7, 500, 20)))
        .isEqualTo(new StoreStatistics(OptionalLong.of(7), OptionalLong.of(500)));
    assertThat(
            HotRodStatistics.ofOneNode(
                Map.of("approximateEntries", "7", "retrievals", "20", "stores", "5")))
        .isEqualTo(new StoreStatistics(OptionalLong.of(6), OptionalLong.of(25)));
    assertThat(HotRodStatistics.ofSite(cache(-1, -1, -1))).isEqualTo(StoreStatistics.UNKNOWN);
  }

  @Test
  void whatTheServersKeepForThemselvesDoesNotCount() {
    assertThat(HotRodStatistics.isOwn("___protobuf_metadata")).isTrue();
    assertThat(HotRodStatistics.isOwn("orders.1.0000000a")).isFalse();
  }

  @Test
  void aSiteWithoutCachesHasNothing() {
    assertThat(statistics.sums())
        .isEqualTo(new SiteStatistics(OptionalLong.of(0), OptionalLong.of(0)));
  }

  @Test
  void aCacheWithoutStatisticsAddsNothing() {
    statistics.add(cache(-1, -1, -1));
    statistics.add(Map.of());
    statistics.add(Map.of("globalApproximateEntriesUnique", "many"));
    assertThat(statistics.sums()).isEqualTo(SiteStatistics.UNKNOWN);

    statistics.add(cache(7, 0, 0));
    assertThat(statistics.sums())
        .isEqualTo(new SiteStatistics(OptionalLong.of(7), OptionalLong.of(0)));
  }

  private static Map<String, String> cache(long entries, long retrievals, long seconds) {
    return Map.of(
        "globalApproximateEntriesUnique",
        Long.toString(entries),
        "approximateEntriesUnique",
        "1",
        "globalRetrievals",
        Long.toString(retrievals),
        "globalStores",
        "0",
        "timeSinceStart",
        Long.toString(seconds));
  }
}
