package io.ensemble.heat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.CausalContext;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.ReconciledCache;
import io.ensemble.Reconciliation;
import io.ensemble.heat.HeatClients.Client;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.MapSite;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The published windows and the lists of processes in a cache. */
@Timeout(60)
class SharedHeatEntriesTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final String LIST = ClosedWindow.clientsKey("stock", 0);

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final EnsembleCacheManager manager =
      EnsembleCacheManager.builder()
          .scheduler(scheduler)
          .site(new MapSite("lyon", scheduler))
          .site(new MapSite("oslo", scheduler))
          .build();

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private static HeatClients with(byte[] present, String id) {
    return HeatClients.of(present).with(new Client(id, 60_000, 5), 0);
  }

  private static void announce(HeatEntries entries, String id) {
    entries.change(LIST, present -> with(present, id).toBytes(), HOUR);
  }

  private static List<String> listed(HeatEntries entries) {
    byte[] list = requireNonNull(entries.getLists(Set.of(LIST)).get(LIST));
    return HeatClients.of(list).clients().stream().map(Client::id).toList();
  }

  @Test
  void announcementsThatDoNotSeeEachOtherBothStay() {
    HeatEntries entries = SharedHeatEntries.openOrCreate(manager);
    EnsembleCache<String, byte[]> cache = requireNonNull(manager.getCache(HeatMaps.CACHE));
    ReconciledCache<String, byte[]> lists = cache.reconciled(Reconciliation.lastWriter());
    CausalContext nothing = lists.siblings(LIST).context();

    announce(entries, "a");
    // As by a process at another site, to which the first announcement has not come yet.
    lists.put(LIST, with(new byte[0], "b").toBytes(), nothing, HOUR);

    assertThat(lists.siblings(LIST).values()).hasSize(2);
    assertThat(listed(entries)).containsExactly("a", "b");
    announce(entries, "c");
    assertThat(lists.siblings(LIST).values()).hasSize(1);
    assertThat(listed(entries)).containsExactly("a", "b", "c");
  }

  @Test
  void aWindowThatIsPublishedTwiceIsOneEntry() {
    HeatEntries entries = SharedHeatEntries.openOrCreate(manager);

    entries.put("w", "1".getBytes(UTF_8), HOUR);
    entries.put("w", "1".getBytes(UTF_8), HOUR);

    assertThat(entries.getAll(Set.of("w", "absent"))).containsOnlyKeys("w");
  }

  @Test
  void aCacheThatAnOperatorCreatedWithoutSiblingsIsUsed() {
    manager.createCache(
        CacheDefinition.of(HeatMaps.CACHE, Mode.WEAK).sites("lyon", "oslo").build());
    HeatEntries entries = SharedHeatEntries.openOrCreate(manager);

    announce(entries, "a");
    announce(entries, "b");

    assertThat(listed(entries)).containsExactly("a", "b");
  }
}
