package io.ensemble.testkit.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Membership;
import io.ensemble.Mode;
import io.ensemble.SiteInUseException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.membership.CacheRelocation;
import io.ensemble.membership.SiteSelector;
import io.ensemble.membership.SiteUsage;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real sites join and leave a federation; two processes find them through its catalog only. */
@Timeout(180)
class MembershipIT {

  private static final int ENTRIES = 200;

  @TempDir static Path catalog;
  private static EmbeddedFederation federation;
  private static EnsembleCacheManager operator;
  private static EnsembleCacheManager user;

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
    operator = EnsembleCacheManager.builder().catalog(catalog.toString()).build();
    user = EnsembleCacheManager.builder().catalog(catalog.toString()).build();
  }

  @AfterAll
  static void stop() {
    SharedFederation.restoreThreeSites();
    operator.getCacheNames().forEach(operator::deleteCache);
    operator.stop();
    user.stop();
  }

  private static void enter(String name) {
    operator.membership().add(entry(federation.site(name)));
  }

  private static SiteEntry entry(EmbeddedSite site) {
    return SiteEntry.open(
        site.name(),
        site.endpoints().stream()
            .map(at -> new Endpoint(at.getHostString(), at.getPort()))
            .toList(),
        SiteStorage.MEMORY);
  }

  @Test
  void aCacheMovesOntoASiteThatJoinedLaterAndTheOldOneLeaves() throws Exception {
    enter("lyon");
    enter("oslo");
    EnsembleCache<String, Integer> here =
        operator.createCache(
            CacheDefinition.of("orders", Mode.MWMR)
                .sites("lyon", "oslo")
                .deadline(Duration.ofSeconds(30))
                .build());
    EnsembleCache<String, Integer> there = user.getCache("orders");
    for (int i = 0; i < ENTRIES; i++) {
      there.put("k" + i, i);
    }
    Membership membership = operator.membership();
    assertThatThrownBy(() -> membership.drain("lyon", SiteSelector.FEWEST_CACHES))
        .isInstanceOf(SiteInUseException.class);
    enter("rome");

    List<CacheRelocation> leaving = membership.drain("lyon", SiteSelector.FEWEST_CACHES);
    assertThat(leaving).extracting(CacheRelocation::to).containsExactly(List.of("rome", "oslo"));
    EnsembleCacheManager dies = EnsembleCacheManager.builder().catalog(catalog.toString()).build();
    dies.membership().move(leaving.get(0));
    dies.stop(); // In mid-move; others learn of it from the catalog only.
    assertThat(operator.stored("orders").orElseThrow().change()).isPresent();
    assertThat(membership.drain("lyon", SiteSelector.FEWEST_CACHES)).isEqualTo(leaving);
    membership.move(leaving.get(0)).done().toCompletableFuture().get(120, TimeUnit.SECONDS);

    assertThat(membership.drain("lyon", SiteSelector.FEWEST_CACHES)).isEmpty();
    membership.remove("lyon");
    federation.site("lyon").kill();
    assertThat(membership.sites()).extracting(SiteUsage::caches).containsOnly(List.of("orders"));
    for (int i = 0; i < ENTRIES; i++) { // The user finds site rome in the catalog.
      assertThat(there.get("k" + i)).isEqualTo(i);
    }
    assertThat(there.definition().sites()).containsExactly("rome", "oslo");
    assertThat(here.putIfAbsent("k1", 7)).isEqualTo(1);
    assertThat(user.siteNames()).contains("oslo", "rome");
  }
}
