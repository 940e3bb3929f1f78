package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.EnsembleException;
import io.ensemble.Mode;
import io.ensemble.PrimaryTerm;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.SiteIncompleteException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An SWMR cache over two real sites, which continues at one site on an operator's command. */
@Timeout(180)
class TwoSitesIT {

  private static final Duration LONG = Duration.ofMinutes(1);

  private static EmbeddedFederation federation;
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
  }

  @AfterEach
  void restore() {
    SharedFederation.restoreThreeSites();
  }

  /** A process whose catalog can be made unreachable. */
  private final class User implements AutoCloseable {

    final AtomicBoolean away = new AtomicBoolean();
    final EnsembleCacheManager manager;
    final EnsembleCache<String, Integer> cache;
    private final ThreadScheduler scheduler = new ThreadScheduler();
    private final List<Site> sites = new ArrayList<>();

    /** A process that refills lost stores only when the test requests it. */
    User(String name) {
      this(name, false);
    }

    User(String name, boolean refilling) {
      EnsembleCacheManagerBuilder builder =
          EnsembleCacheManager.builder()
              .refilling(refilling)
              .scheduler(scheduler)
              .definitions(new FlakyCatalog(definitions, away::get));
      for (EmbeddedSite site : federation.sites()) {
        SiteConfiguration.Builder place = SiteConfiguration.builder(site.name());
        site.endpoints().forEach(at -> place.endpoint("127.0.0.1:" + at.getPort()));
        Site real = HotRod.connect(place.build(), scheduler);
        sites.add(real);
        builder.site(real);
      }
      manager = builder.build();
      cache =
          manager.createCache(
              CacheDefinition.of(name, Mode.SWMR).sites("lyon", "oslo").deadline(LONG).build());
    }

    EnsembleCache<String, Integer> hasty() {
      return cache.withDeadline(Duration.ofSeconds(1));
    }

    @Override
    public void close() {
      manager.stop();
      sites.forEach(Site::close);
      scheduler.close();
    }
  }

  /** Repeats an attempt until it succeeds. */
  private static void until(Supplier<Boolean> attempt) {
    await("an attempt that succeeds")
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(90))
        .until(() -> succeeds(attempt));
  }

  private static boolean succeeds(Supplier<Boolean> attempt) {
    try {
      return attempt.get();
    } catch (UnknownOutcomeException again) {
      return false; // A retry is safe: it puts the same value.
    } catch (EnsembleException again) {
      assertThat(again).hasMessageContaining("not applied");
      return false;
    }
  }

  private static void allIsThere(Map<String, Integer> acknowledged, User reader) {
    acknowledged.forEach(
        (key, value) -> assertThat(reader.cache.get(key)).as(key).isEqualTo(value));
  }

  @Test
  void eitherSiteIsLostAndTheCacheGoesOnAtTheOther() {
    try (User writer = new User("orders");
        User reader = new User("orders");
        User stale = new User("orders")) {
      Map<String, Integer> acknowledged = new HashMap<>();
      for (int i = 0; i < 50; i++) {
        writer.cache.put("k" + i, i);
        acknowledged.put("k" + i, i);
      }
      assertThat(stale.cache.get("k7")).isEqualTo(7);
      PrimaryTerm before = reader.manager.primaryTerm("orders");
      assertThat(before.primary()).isEqualTo("lyon");

      federation.site("lyon").kill();
      stale.away.set(true);
      PrimaryTerm after = reader.manager.promote("orders", "oslo", "lyon", LONG);

      assertThat(after.primary()).isEqualTo("oslo");
      assertThat(after.epoch()).isGreaterThan(before.epoch());
      allIsThere(acknowledged, reader);
      until(
          () -> {
            writer.hasty().put("k7", 8);
            return true;
          });
      acknowledged.put("k7", 8);
      assertThat(reader.cache.get("k7")).isEqualTo(8);
      assertThatThrownBy(() -> stale.hasty().get("k7"))
          .as("it knows of the former roll only, which has ended")
          .isInstanceOf(QuorumUnavailableException.class);
      stale.away.set(false);
      until(() -> stale.hasty().get("k7") == 8);
      assertThat(reader.manager.promote("orders", "oslo", "lyon", LONG))
          .as("given again")
          .extracting(PrimaryTerm::primary)
          .isEqualTo("oslo");
      assertThatThrownBy(() -> writer.manager.promote("orders", "lyon", "oslo", LONG))
          .isInstanceOf(SiteIncompleteException.class)
          .hasMessageContaining("site=lyon active=[oslo]");
      assertThatThrownBy(() -> writer.manager.promote("orders", "lyon", LONG))
          .isInstanceOf(SiteIncompleteException.class);

      federation.site("lyon").restart();
      assertThat(reader.manager.recoverSite("orders", "lyon")).isEqualTo(acknowledged.size());
      until(
          () -> {
            writer.hasty().put("both", 1);
            return true;
          });
      acknowledged.put("both", 1);
      federation.site("oslo").kill();
      assertThat(stale.manager.promote("orders", "lyon", "oslo", LONG).primary()).isEqualTo("lyon");

      allIsThere(acknowledged, reader);
      stale.cache.put("k7", 9);
      assertThat(stale.cache.get("k7")).isEqualTo(9);
    }
  }

  /** Each of the two sites has all entries, so the loss of the other store needs no operator. */
  @Test
  @Tag("nightly")
  void aStoreThatANodeHasForgottenIsReplacedByWhoHasTheCacheOpen() {
    try (User writer = new User("ledger", true);
        User reader = new User("ledger", true)) {
      Map<String, Integer> acknowledged = new HashMap<>();
      for (String site : List.of("oslo", "lyon")) {
        for (int i = 0; i < 20; i++) {
          String key = site + acknowledged.size();
          until(
              () -> {
                writer.hasty().put(key, 1);
                return true;
              });
          acknowledged.put(key, 1);
        }
        federation.site(site).kill();
        federation.site(site).restart();

        until(() -> reader.hasty().get("oslo0") == 1);
        allIsThere(acknowledged, reader);
        until(() -> reader.manager.primaryTerm("ledger").whole()); // Now the other has all.
      }
    }
  }
}
