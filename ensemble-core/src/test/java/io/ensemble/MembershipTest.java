package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.membership.CacheRelocation;
import io.ensemble.membership.CatalogView;
import io.ensemble.membership.SiteDecommission;
import io.ensemble.membership.SiteSelector;
import io.ensemble.membership.SiteUsage;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sites that join and leave: what is done, and what is refused. */
@Timeout(60)
class MembershipTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final EnsembleCacheManager manager = manager();
  private final Membership membership = manager.membership();

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(definitions)
            .engine(Mode.SWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros))
            .engine(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros));
    for (String name : List.of("a", "b", "c", "d")) {
      builder.site(new StubSite(name));
    }
    return builder.build();
  }

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private void enter(String... names) {
    for (String name : names) {
      membership.add(
          SiteEntry.open(name, List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
  }

  private void create(String name, Mode mode, String... sites) {
    manager.createCache(CacheDefinition.of(name, mode).sites(sites).build());
  }

  private StoredDefinition stored(String name) {
    return manager.stored(name).orElseThrow();
  }

  /** The relocations as the maintenance of a draining site plans them. */
  private List<CacheRelocation> leaving(String site) {
    CatalogView catalog = new CatalogView(manager.federation, manager.caches);
    return new SiteDecommission(catalog, null, manager.placing).leaving(site);
  }

  private State state(String site) {
    return membership.entry(site).orElseThrow().state();
  }

  @Test
  void aSiteIsEnteredOnce() {
    enter("a");

    assertThatThrownBy(() -> enter("a")).hasMessageContaining("site=a");
    assertThatThrownBy(() -> enter("not/one")).isInstanceOf(IllegalArgumentException.class);
    assertThat(membership.entries()).extracting(SiteEntry::name).containsExactly("a");
  }

  @Test
  void itIsToldWhatIsAtEachSiteAndWhichCopiesAreTheOnlyOnes() {
    enter("a", "b");
    create("both", Mode.MWMR, "a", "b");
    create("only", Mode.MWMR, "a");

    List<SiteUsage> sites = membership.sites();

    assertThat(sites.get(0).caches()).containsExactly("both", "only");
    assertThat(sites.get(0).only()).containsExactly("only");
    assertThat(sites.get(1).caches()).containsExactly("both");
    assertThat(sites.get(1).only()).isEmpty();
  }

  @Test
  void aSiteWithCachesIsNotRemovedAndTheyAreNamed() {
    enter("a", "b");
    create("both", Mode.MWMR, "a", "b");
    create("only", Mode.MWMR, "a");
    SiteEntry before = membership.entry("a").orElseThrow();

    assertThatThrownBy(() -> membership.remove("a"))
        .isInstanceOfSatisfying(
            SiteInUseException.class,
            refused -> {
              assertThat(refused.caches()).containsExactly("both", "only");
              assertThat(refused.only()).containsExactly("only");
            })
        .hasMessageContaining("both, only (only copy)");
    assertThat(membership.entry("a")).as("nothing was done").contains(before);
  }

  @Test
  void aSiteThatACacheComesToIsNotRemoved() {
    enter("a", "b");
    create("s", Mode.MWMR, "a");
    publish(ChangePhase.COPYING, new TreeSet<>());

    assertThatThrownBy(() -> membership.remove("b")).isInstanceOf(SiteInUseException.class);
  }

  private void publish(ChangePhase changePhase, TreeSet<ObsoleteStore> remains) {
    CacheDefinition to = CacheDefinition.of("s", Mode.MWMR).sites("b").build();
    ConfigurationChange begun =
        ConfigurationChange.begun(to, Map.of("b", "0000000b"), "other", remains);
    ConfigurationChange change =
        changePhase == ChangePhase.CLOSING || changePhase == ChangePhase.ABORTING
            ? begun.ending(changePhase, List.of())
            : begun.at(changePhase);
    definitions.replace(stored("s").with(Optional.of(change)));
  }

  @Test
  void whatWasLeftAtASiteThatIsGoneIsForgotten() {
    enter("a", "b", "c");
    create("s", Mode.MWMR, "a");
    publish(
        ChangePhase.ABORTING,
        new TreeSet<>(List.of(new ObsoleteStore("b", "store1"), new ObsoleteStore("c", "store2"))));

    membership.remove("b");

    assertThat(membership.entry("b")).isEmpty();
    assertThat(stored("s").change().orElseThrow().remains())
        .containsExactly(new ObsoleteStore("c", "store2"));
    membership.remove("c");
    assertThat(stored("s").change()).isEmpty();
  }

  @Test
  void cachesLeaveForTheSitesThatHaveTheFewest() {
    enter("a", "b", "c", "d");
    create("busy", Mode.MWMR, "c");
    create("s", Mode.MWMR, "a", "b");

    List<CacheRelocation> leaving = membership.drain("a", SiteSelector.FEWEST_CACHES);

    assertThat(leaving)
        .containsExactly(
            new CacheRelocation(
                "s", List.of("a", "b"), List.of("d", "b"), Optional.empty(), List.of()));
    assertThat(state("a")).isEqualTo(State.DRAINING);
    assertThatThrownBy(() -> create("t", Mode.MWMR, "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("drained");
    membership.serve("a");
    create("t", Mode.MWMR, "a");
  }

  @Test
  void aCacheThatCameToOtherSitesSinceStaysThere() {
    enter("a", "b", "c", "d");
    create("s", Mode.MWMR, "a", "b");
    CacheRelocation early = membership.drain("a", SiteSelector.FEWEST_CACHES).get(0);
    StoredDefinition now = stored("s");
    CacheDefinition other = CacheDefinition.of("s", Mode.MWMR).sites("d", "a").build();
    definitions.replace(
        new StoredDefinition(
            other,
            now.birth(),
            now.configuration() + 1,
            VoterSet.first(other.sites()),
            Map.of("a", "0000000a", "d", "0000000d"),
            now.revision() + 1,
            Optional.empty(),
            true));

    assertThatThrownBy(() -> membership.move(early))
        .isInstanceOfSatisfying(
            CatalogException.class,
            refused -> assertThat(refused.reason()).isEqualTo(CatalogException.Reason.CHANGED));
    assertThat(stored("s").change()).as("nothing was done").isEmpty();
  }

  @Test
  void whoeverGoesOnWithADrainDoesNotBeginItAgain() {
    enter("a", "b", "c");
    create("s", Mode.MWMR, "a");
    membership.drain("a", SiteSelector.FEWEST_CACHES);
    assertThat(leaving("a")).extracting(CacheRelocation::cache).containsExactly("s");

    membership.serve("a");

    assertThat(leaving("a")).isEmpty();
    assertThat(state("a")).isEqualTo(State.SERVING);
    assertThat(leaving("gone")).isEmpty();
  }

  @Test
  void aCacheWithoutAnotherPlaceIsNamedBeforeAnythingIsDone() {
    enter("a", "b");
    create("both", Mode.MWMR, "a", "b");
    create("only", Mode.MWMR, "a");

    assertThatThrownBy(() -> membership.drain("a", SiteSelector.FEWEST_CACHES))
        .isInstanceOf(SiteInUseException.class)
        .hasMessageEndingWith(
            "caches=both; cache both: one more serving site is required, there are a: is being "
                + "drained; b: has a replica already")
        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("only"));
    assertThat(state("a")).isEqualTo(State.SERVING);
  }

  @Test
  void aCacheThatCannotBeChangedIsNamed() {
    enter("a", "b");
    create("s", Mode.SWMR, "a");
    StoredDefinition now = stored("s");
    definitions.replace(
        new StoredDefinition(
            now.definition(),
            now.birth(),
            now.configuration(),
            now.roll(),
            now.incarnations(),
            now.revision() + 1,
            Optional.empty(),
            false));

    List<CacheRelocation> leaving = membership.drain("a", SiteSelector.FEWEST_CACHES);

    assertThat(leaving.get(0).stays())
        .hasValueSatisfying(why -> assertThat(why).contains("earlier format"));
    assertThatThrownBy(() -> membership.move(leaving.get(0)))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aCacheThatIsLeavingAlreadyGoesWhereItGoes() {
    enter("a", "b", "c");
    create("s", Mode.MWMR, "a");
    publish(ChangePhase.COPYING, new TreeSet<>());

    List<CacheRelocation> leaving = membership.drain("a", SiteSelector.FEWEST_CACHES);

    assertThat(leaving).extracting(CacheRelocation::to).containsExactly(List.of("b"));
    membership.move(leaving.get(0)); // Joins the change, whichever process is its mover.
    assertThat(stored("s").change().orElseThrow().to().sites()).containsExactly("b");
  }

  @Test
  void whatIsNotInTheCatalogIsNeitherDrainedNorRemoved() {
    assertThatThrownBy(() -> membership.drain("a", SiteSelector.FEWEST_CACHES))
        .isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(() -> membership.remove("zz")).isInstanceOf(NoSuchElementException.class);
  }
}
