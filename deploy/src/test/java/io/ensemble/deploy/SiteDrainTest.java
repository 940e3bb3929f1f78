package io.ensemble.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.InMemoryDefinitions;
import io.ensemble.catalog.SiteEntry;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.primary.Roll;
import io.ensemble.site.hotrod.Endpoint;
import io.ensemble.site.hotrod.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A site is drained while somebody else moves its caches. None of them is asked anything. */
@Timeout(60)
class SiteDrainTest {

  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final EnsembleCacheManager manager =
      EnsembleCacheManager.builder().definitions(definitions).build();
  private final List<String> shown = new ArrayList<>();

  @BeforeEach
  void enter() {
    for (String name : List.of("a", "b", "c", "d")) {
      manager
          .membership()
          .add(SiteEntry.open(name, List.of(new Endpoint("127.0.0.1", 1)), Storage.MEMORY));
    }
    CacheDefinition at = CacheDefinition.of("s", Mode.MWMR).sites("a", "b").build();
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

  /** The cache comes to other sites by somebody else's hand. */
  private void comesTo(List<String> sites) {
    StoredDefinition now = manager.stored("s").orElseThrow();
    CacheDefinition next = now.definition().at(sites);
    definitions.replace(
        new StoredDefinition(
            next,
            now.birth(),
            now.configuration() + 1,
            Roll.first(sites),
            lives(sites),
            now.revision() + 1,
            Optional.empty(),
            true));
  }

  private List<SiteDrain.Moved> drain(Consumer<String> progress) {
    return new SiteDrain(manager, "a", Duration.ofSeconds(30), 0)
        .run(
            line -> {
              shown.add(line);
              progress.accept(line);
            });
  }

  @Test
  void whatHasLeftMeanwhileIsNotBlamed() {
    assertThat(drain(line -> comesTo(List.of("b", "d")))).isEmpty();

    assertThat(shown).hasSize(1);
    assertThat(manager.stored("s").orElseThrow().change()).isEmpty();
  }

  @Test
  void whatChangesAllTheWhileIsGivenUp() {
    List<List<String>> places = List.of(List.of("a", "b"), List.of("c", "a"), List.of("a", "d"));

    List<SiteDrain.Moved> moved = drain(line -> comesTo(places.get(shown.size() % 3)));

    assertThat(shown).hasSize(SiteDrain.MOST_TRIES);
    assertThat(moved).hasSize(1);
    assertThat(moved.get(0).error()).contains("other sites meanwhile");
  }
}
