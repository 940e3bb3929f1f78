package io.ensemble.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedFixture;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Membership;
import io.ensemble.Mode;
import io.ensemble.SiteInUseException;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStatistics;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where the caches of a drained site go, and the reasons that are reported. */
@Timeout(60)
class DrainPlacementTest extends DistributedFixture {

  private final StubSite d = new StubSite("d");
  private final StubSite e = new StubSite("e");

  private Membership membership;

  @BeforeEach
  void open() {
    sites.forEach(site -> tells(site, 100));
    EnsembleCacheManager five =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .site(sites.get(0))
            .site(sites.get(1))
            .site(sites.get(2))
            .site(d)
            .site(e)
            .build();
    managers.add(five);
    membership = five.membership();
  }

  private static void tells(StubSite site, long entries) {
    site.figures =
        CompletableFuture.completedStage(
            new SiteStatistics(OptionalLong.of(entries), OptionalLong.empty()));
  }

  private void enter(String site, SiteStorage storage, String region) {
    SiteEntry entry = SiteEntry.open(site, List.of(Endpoint.parse("127.0.0.1:1")), storage);
    definitions.sites().create(entry);
    definitions.sites().replace(entry.labelled(Map.of("region", region)));
  }

  private void enterAll(SiteStorage ofA, SiteStorage ofD, SiteStorage ofE) {
    enter("a", ofA, "eu");
    enter("b", ofA, "us");
    enter("d", ofD, "us");
    enter("e", ofE, "eu");
  }

  private CacheRelocation leaving() {
    List<CacheRelocation> all = membership.drain("a");
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  /** Makes d better than e by its statistics, and drains c. */
  private void preferD() {
    tells(d, 0);
    tells(e, 200);
    enter("c", SiteStorage.MEMORY, "us");
    manager.membership().drain("c");
  }

  @Test
  void aSiteThatDoesNotAnswerIsNoGoalWhileThereIsAnother() {
    enterAll(SiteStorage.MEMORY, SiteStorage.MEMORY, SiteStorage.MEMORY);
    preferD();
    part("p", "a", "b");

    assertThat(leaving().to()).containsExactly("d", "b");
    d.fails = Reason.UNREACHABLE;
    CacheRelocation alive = leaving();
    e.fails = Reason.UNREACHABLE;
    CacheRelocation dead = leaving();

    assertThat(alive.to()).containsExactly("e", "b");
    assertThat(alive.notes()).isEmpty();
    assertThat(dead.notes())
        .containsExactly(
            dead.to().get(0) + " does not answer, nor does any other site that may hold it");
  }

  @Test
  void whatIsOnDiskGoesToADiskOrItIsToldThatItDoesNot() {
    enterAll(SiteStorage.DISK, SiteStorage.MEMORY, SiteStorage.DISK);
    preferD();
    part("p", "a", "b");

    assertThat(leaving().to()).containsExactly("e", "b");
    assertThat(leaving().notes()).isEmpty();
    membership.drain("e");
    assertThat(leaving().to()).containsExactly("d", "b");
    assertThat(leaving().notes())
        .containsExactly("d keeps its stores in memory, the site that is left on disk");
  }

  @Test
  void theSitesThatStayCountUnderTheSpread() {
    enterAll(SiteStorage.MEMORY, SiteStorage.MEMORY, SiteStorage.MEMORY);
    preferD();
    manager.createCache(
        PlacementPolicy.copies("p", 2).spreadBy("region").prefer("a", "b").build(),
        CacheDefinition.of("p", Mode.MWMR));

    assertThat(leaving().to()).as("b stays, and is where d is").containsOnly("b", "e");
  }

  @Test
  void whatCanGoNowhereSaysWhatItWantsAndWhatThereIs() {
    enterAll(SiteStorage.MEMORY, SiteStorage.MEMORY, SiteStorage.MEMORY);
    enter("c", SiteStorage.MEMORY, "us");
    membership.drain("e");
    manager.createCache(
        PlacementPolicy.copies("p", 1).require("region", "eu").ban("c").build(),
        CacheDefinition.of("p", Mode.MWMR));
    part("q", "a", "b");

    assertThatExceptionOfType(SiteInUseException.class)
        .isThrownBy(() -> membership.drain("a"))
        .withMessage(
            "too few other sites may hold the caches of the site; site=a caches=p (only copy); "
                + "cache p: one more site (label region=eu, none of [c]) is required; there are b: "
                + "label region must be eu, is us; c: banned, label region must be eu, is us; d: "
                + "label region must be eu, is us; e: draining")
        .satisfies(refused -> assertThat(refused.reasons()).containsOnlyKeys("p"));
    assertThat(membership.entry("a").orElseThrow().state()).isEqualTo(SiteEntry.State.SERVING);
  }

  /** Two drains begin at the same time; the second check of the sites finds the other drain. */
  @Test
  void aSiteThatIsDrainedMeanwhileIsNoGoal() throws Exception {
    enterAll(SiteStorage.MEMORY, SiteStorage.MEMORY, SiteStorage.MEMORY);
    preferD();
    part("p", "a", "b");
    CompletableFuture<SiteStatistics> late = new CompletableFuture<>();
    d.figures = late;
    CompletableFuture<CacheRelocation> leaving = new CompletableFuture<>();
    Thread drain = new Thread(() -> leaving.complete(leaving()));
    drain.start();
    await("a question to d")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> d.asked.get() > 0);

    membership.drain("d");
    late.complete(new SiteStatistics(OptionalLong.of(0), OptionalLong.empty()));

    assertThat(leaving.get(30, TimeUnit.SECONDS).to()).containsExactly("e", "b");
    drain.join();
  }

  @Test
  void aDrainAsksTheSitesOnceHoweverManyCachesThereAre() {
    enterAll(SiteStorage.MEMORY, SiteStorage.MEMORY, SiteStorage.MEMORY);
    part("p", "a");
    part("q", "a");

    assertThat(membership.drain("a")).hasSize(2);

    assertThat(d.asked).hasValue(1);
  }
}
