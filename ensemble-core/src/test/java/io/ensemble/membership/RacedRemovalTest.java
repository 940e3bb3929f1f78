package io.ensemble.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Membership;
import io.ensemble.Mode;
import io.ensemble.RacingDefinitions;
import io.ensemble.SiteInUseException;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A site is removed from the catalog while other processes change caches or entries. */
@Timeout(60)
class RacedRemovalTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final RacingDefinitions definitions = new RacingDefinitions();
  private final EnsembleCacheManager manager =
      EnsembleCacheManager.builder()
          .scheduler(scheduler)
          .definitions(definitions)
          .engine(Mode.MWMR, cache -> new InMemoryEngine(scheduler, scheduler::epochMicros))
          .site(new StubSite("a"))
          .site(new StubSite("b"))
          .site(new StubSite("c"))
          .build();
  private final Membership membership = manager.membership();
  private boolean wasThere;

  @BeforeEach
  void enter() {
    for (String name : List.of("a", "b", "c")) {
      membership.add(
          SiteEntry.open(name, List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
    manager.createCache(CacheDefinition.of("s", Mode.MWMR).sites("a").build());
  }

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private StoredDefinition stored() {
    return manager.stored("s").orElseThrow();
  }

  @Test
  void whatWasLeftIsForgottenThoughItsMoverBeats() {
    CacheDefinition to = CacheDefinition.of("s", Mode.MWMR).sites("b").build();
    List<ObsoleteStore> left =
        List.of(new ObsoleteStore("b", "store1"), new ObsoleteStore("c", "store2"));
    ConfigurationChange ended =
        ConfigurationChange.begun(to, Map.of("b", "0000000b"), "other", new TreeSet<>())
            .ending(ChangePhase.ABORTING, left);
    definitions.replace(stored().with(Optional.of(ended)));
    StoredDefinition beaten = stored().with(Optional.of(ended.beaten(3, 4)));
    definitions.beforeReplace.set(() -> definitions.replace(beaten));

    membership.remove("b");

    ConfigurationChange now = stored().change().orElseThrow();
    assertThat(now.remains()).containsExactly(new ObsoleteStore("c", "store2"));
    assertThat(now.beat()).isEqualTo(beaten.change().orElseThrow().beat());
  }

  /** Another process, begun before the drain, creates a cache before list number {@code look}. */
  private void comesBefore(int look, String cache, String site) {
    for (int i = 1; i < look; i++) {
      definitions.beforeLists.add(() -> {});
    }
    StoredDefinition late =
        StoredDefinition.first(
            CacheDefinition.of(cache, Mode.MWMR).sites(site).build(),
            stored().birth().replaceFirst("............$", "0000000000ff"),
            Map.of(site, "0000000f"));
    definitions.beforeLists.add(
        () -> {
          wasThere = membership.entry(site).isPresent();
          definitions.create(late);
        });
  }

  private State state(String site) {
    return membership.entry(site).orElseThrow().state();
  }

  private void isRefused(String site) {
    assertThatThrownBy(() -> membership.remove(site))
        .isInstanceOfSatisfying(
            SiteInUseException.class, why -> assertThat(why.only()).containsExactly("late"));
  }

  @Test
  void aSiteThatIsNotRemovedAfterAllServesAsBefore() {
    comesBefore(2, "late", "b");

    isRefused("b");

    assertThat(wasThere).as("it was never gone").isTrue();
    assertThat(state("b")).isEqualTo(State.SERVING);
  }

  @Test
  void aSiteThatComesBackServesAsBefore() {
    SiteEntry before = membership.entry("b").orElseThrow();
    comesBefore(3, "late", "b");

    isRefused("b");

    SiteEntry back = membership.entry("b").orElseThrow();
    assertThat(back.state()).isEqualTo(State.SERVING);
    assertThat(back.endpoints()).isEqualTo(before.endpoints());
  }

  @Test
  void aSiteThatWasBeingDrainedIsAfterARefusal() {
    membership.drain("b");
    definitions.beforeLists.clear();
    comesBefore(2, "late", "b");

    isRefused("b");

    assertThat(state("b")).isEqualTo(State.DRAINING);
  }

  @Test
  void nothingMayComeToASiteWhileItIsRemoved() {
    definitions.beforeLists.add(() -> assertThat(state("b")).isEqualTo(State.SERVING));
    definitions.beforeLists.add(() -> assertThat(state("b")).isEqualTo(State.DRAINING));

    membership.remove("b");

    assertThat(definitions.beforeLists).isEmpty();
    assertThat(membership.entry("b")).isEmpty();
  }

  /** Another process changes the site's entry before each of the next {@code looks} lists. */
  private void changesBefore(int looks) {
    for (int i = 1; i <= looks; i++) {
      Map<String, String> labels = Map.of("times", String.valueOf(i));
      definitions.beforeLists.add(
          () -> definitions.sites().replace(membership.entry("b").orElseThrow().labelled(labels)));
    }
  }

  @Test
  void aSiteThatSomebodyElseChangesMeanwhileIsRemoved() {
    changesBefore(CatalogView.MOST_TRIES);

    membership.remove("b");

    assertThat(membership.entry("b")).isEmpty();
  }

  @Test
  void aSiteThatOthersChangeAllTheWhileStays() {
    changesBefore(1 + CatalogView.MOST_TRIES);

    assertThatThrownBy(() -> membership.remove("b"))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("site=b");

    assertThat(membership.entry("b")).isPresent();
  }
}
