package io.ensemble.cli.sites;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.primary.VoterSet;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A site is drained while another process moves its caches. No site is running. */
@Timeout(60)
class SiteDrainTest {

  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final EnsembleCacheManager manager =
      EnsembleCacheManager.builder().definitions(definitions).build();
  private final List<String> shown = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  @BeforeEach
  void enter() {
    for (String name : List.of("a", "b", "c", "d")) {
      manager
          .membership()
          .add(SiteEntry.open(name, List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
    create("s", "a", "b");
  }

  private void create(String cache, String... sites) {
    CacheDefinition at = CacheDefinition.of(cache, Mode.MWMR).sites(sites).build();
    String id = definitions.id().toCompletableFuture().getNow("");
    definitions.create(StoredDefinition.first(at, id + "000000000001", lives(at.sites())));
  }

  @AfterEach
  void stop() {
    manager.stop();
  }

  private static Map<String, String> lives(List<String> sites) {
    Map<String, String> lives = new TreeMap<>();
    sites.forEach(site -> lives.put(site, "0000000a"));
    return lives;
  }

  /** Another process moves the cache to other sites. */
  private void comesTo(List<String> sites) {
    comesTo("s", sites);
  }

  private void comesTo(String cache, List<String> sites) {
    StoredDefinition now = manager.stored(cache).orElseThrow();
    CacheDefinition next = now.definition().at(sites);
    definitions.replace(
        new StoredDefinition(
            next,
            now.birth(),
            now.configuration() + 1,
            VoterSet.first(sites),
            lives(sites),
            now.revision() + 1,
            Optional.empty(),
            true));
  }

  private List<SiteDrain.RelocationReport> drain(Consumer<String> progress) {
    return drain(Duration.ofSeconds(30), progress);
  }

  private List<SiteDrain.RelocationReport> drain(Duration longest, Consumer<String> progress) {
    return new SiteDrain(manager, "a", longest, 0)
        .run(
            line -> {
              shown.add(line);
              progress.accept(line);
            },
            notes::add);
  }

  @Test
  void whatHasLeftMeanwhileIsNotBlamed() {
    assertThat(drain(line -> comesTo(List.of("b", "d")))).isEmpty();

    assertThat(shown).hasSize(1);
    assertThat(notes).as("nobody listens anywhere").hasSize(1);
    assertThat(notes.get(0))
        .matches("s: [cd] does not answer, nor does any other site that may hold it");
    assertThat(manager.stored("s").orElseThrow().change()).isEmpty();
  }

  @Test
  void aCacheThatKeepsChangingIsAbandoned() {
    List<List<String>> places = List.of(List.of("a", "b"), List.of("c", "a"), List.of("a", "d"));

    List<SiteDrain.RelocationReport> moved = drain(line -> comesTo(places.get(shown.size() % 3)));

    assertThat(shown).hasSize(SiteDrain.MOST_TRIES);
    assertThat(moved).hasSize(1);
    assertThat(moved.get(0).error()).contains("other sites meanwhile");
  }

  /** The drain or the change of another process may bring a cache back to the site. */
  @Test
  void whatComesBackIsMovedAgainAndMayChangeAsOftenAsBefore() {
    create("t", "a");
    int last = SiteDrain.MOST_TRIES;
    List<SiteDrain.RelocationReport> moved =
        drain(
            line -> {
              int told = shown.size();
              if (line.startsWith("t: ")) {
                isMovedAs(line);
                comesTo(List.of("d", "a"));
              } else if (told == last || told == last + 3) {
                isMovedAs(line);
              } else {
                comesTo(told % 2 == 0 ? List.of("a", "b") : List.of("d", "a"));
              }
            });

    assertThat(shown).hasSize(last + 3);
    assertThat(shown.get(last)).startsWith("t: ");
    assertThat(moved).extracting(SiteDrain.RelocationReport::cache).containsExactly("s", "t");
    assertThat(moved).allMatch(SiteDrain.RelocationReport::ok);
    assertThat(manager.stored("s").orElseThrow().definition().sites()).doesNotContain("a");
  }

  /** Another process moves the cache exactly as the line says. */
  private void isMovedAs(String line) {
    String to = line.substring(line.indexOf(" to ") + 4);
    comesTo(line.substring(0, line.indexOf(':')), List.of(to.split(",")));
  }

  @Test
  void whatTakesTooLongIsLeftWhereItIs() {
    StoredDefinition now = manager.stored("s").orElseThrow();
    CacheDefinition to = now.definition().at(List.of("c", "b"));
    ConfigurationChange begun =
        ConfigurationChange.begun(to, lives(to.sites()), "other", new TreeSet<>());
    definitions.replace(now.with(Optional.of(begun)));

    List<SiteDrain.RelocationReport> moved = drain(Duration.ofMillis(1), line -> {});

    assertThat(shown).as("it is begun once").hasSize(1);
    assertThat(moved).hasSize(1);
    assertThat(moved.get(0).to()).containsExactly("c", "b");
    assertThat(moved.get(0).error()).contains("takes longer than PT0.001S; repeat the command");
  }

  @Test
  void whatCannotLeaveIsToldAndAllElseMoves() {
    StoredDefinition now = manager.stored("s").orElseThrow();
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
    create("t", "a");

    List<SiteDrain.RelocationReport> moved =
        drain(
            line -> {
              if (line.startsWith("t: ")) {
                isMovedAs(line);
              }
            });

    assertThat(shown.get(0)).isEqualTo("s: cannot leave");
    assertThat(moved).extracting(SiteDrain.RelocationReport::ok).containsExactly(false, true);
    assertThat(moved.get(0).error()).contains("earlier format");
  }
}
