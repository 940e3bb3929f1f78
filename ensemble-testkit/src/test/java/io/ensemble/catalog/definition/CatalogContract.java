package io.ensemble.catalog.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.primary.Term;
import io.ensemble.primary.VoterSet;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The contract of all catalogs. */
abstract class CatalogContract extends DistributedCatalogContract {

  @Test
  void whatIsCreatedIsThere() {
    assertThat(get(definitions().get("c"))).isEmpty();
    assertThat(get(definitions().list())).isEmpty();

    assertThat(get(definitions().create(FIRST))).isEqualTo(FIRST);

    assertThat(get(definitions().get("c"))).contains(FIRST);
    assertThat(get(definitions().list())).containsExactly("c");
  }

  @Test
  void aWindowComesBack() {
    CacheDefinition windowed =
        CacheDefinition.of("c", Mode.SWMR)
            .sites("a", "b = x", "ü")
            .acknowledgement(Acknowledgement.PRIMARY)
            .window(new CopyWindow(7, Duration.ofMillis(1_500)))
            .build();
    StoredDefinition stored = StoredDefinition.first(windowed, BIRTH, Map.of());

    get(definitions().create(stored));

    assertThat(get(definitions().get("c"))).contains(stored);
  }

  @Test
  void siblingsComeBackWhetherUsersFollowOrNot() {
    CacheDefinition siblings = CacheDefinition.of("c", Mode.WEAK).sites("a").siblings(5).build();
    StoredDefinition first = StoredDefinition.first(siblings, BIRTH, Map.of("a", "00000001"));
    StoredDefinition other =
        new StoredDefinition(
            siblings,
            BIRTH,
            first.configuration(),
            first.roll(),
            first.incarnations(),
            first.revision() + 1,
            first.change(),
            !first.fenced());

    get(definitions().create(first));
    assertThat(get(definitions().get("c"))).contains(first);

    assertThat(get(definitions().replace(other))).isTrue();
    assertThat(get(definitions().get("c"))).contains(other);
  }

  @Test
  void aRollComesBack() {
    CacheDefinition two = CacheDefinition.of("c", Mode.SWMR).sites("a", "b = x").build();
    StoredDefinition stored =
        StoredDefinition.first(two, BIRTH, Map.of("a", "00000001", "b = x", "00000002"));
    get(definitions().create(stored));
    Term last = stored.roll().firstTerm().succeeded("a", WriterId.NONE);

    StoredDefinition alone = stored.goingOn(stored.roll().succeeded(last, List.of("b = x")));
    assertThat(get(definitions().replace(alone))).isTrue();
    assertThat(get(definitions().get("c"))).contains(alone);
    assertThat(alone.store("a")).isEmpty();
    assertThat(alone.store("b = x")).isEqualTo(stored.store("b = x"));

    VoterSet again = alone.roll().succeeded(last, List.of("b = x", "a"));
    StoredDefinition both = alone.goingOn(again, "a", "0000000f");
    assertThat(get(definitions().replace(both))).isTrue();
    assertThat(get(definitions().get("c"))).contains(both);
    assertThat(both.roll().sites()).containsExactly("b = x", "a");
    assertThat(both.store("a").orElseThrow()).endsWith(".0000000f");
  }

  @Test
  void theIdIsOneForAllWhoShareTheCatalog() {
    String id = get(definitions().id());

    assertThat(id).matches("[0-9a-f]{12}");
    get(definitions().create(FIRST));
    assertThat(get(definitions().id())).isEqualTo(id);
  }

  @Test
  void theFirstToCreateWins() {
    StoredDefinition second = StoredDefinition.first(CACHE, OTHER_BIRTH, Map.of("a", "0000000a"));
    get(definitions().create(FIRST));

    assertThat(get(definitions().create(second))).isEqualTo(FIRST);
    assertThat(get(definitions().get("c"))).contains(FIRST);
  }

  @Test
  void otherSettingsAreRefusedNamingTheDifference() {
    get(definitions().create(FIRST));
    CacheDefinition other =
        CacheDefinition.of("c", Mode.MWMR).sites("a", "b = x", "ü").maxValueBytes(1).build();

    assertThatThrownBy(
            () -> get(definitions().create(StoredDefinition.first(other, BIRTH, Map.of()))))
        .isInstanceOf(CacheExistsException.class)
        .hasMessageContainingAll("cache=c", "maxValueBytes: 1048576, 1")
        .hasMessageNotContaining("deadline");
  }

  @Test
  void aReplacementNeedsThePresentRevision() {
    StoredDefinition changed = FIRST.withIncarnation("ü", "0000000f");
    assertThat(get(definitions().replace(changed))).isFalse();
    get(definitions().create(FIRST));

    assertThat(get(definitions().replace(changed))).isTrue();
    assertThat(get(definitions().replace(changed))).isFalse();
    assertThat(get(definitions().replace(FIRST))).isFalse();
    assertThat(get(definitions().get("c"))).contains(changed);
  }

  @Test
  void aDeletionNeedsThePresentRevision() {
    assertThat(get(definitions().delete(FIRST))).isFalse();
    get(definitions().create(FIRST));

    assertThat(get(definitions().delete(FIRST.withIncarnation("ü", "0000000f")))).isFalse();
    assertThat(get(definitions().delete(FIRST))).isTrue();
    assertThat(get(definitions().get("c"))).isEmpty();
    assertThat(get(definitions().list())).isEmpty();
  }

  @Test
  void whoKnowsAnEarlierBirthChangesAndDeletesNothing() {
    StoredDefinition again = StoredDefinition.first(CACHE, OTHER_BIRTH, Map.of("a", "0000000a"));
    get(definitions().create(again));

    assertThat(get(definitions().replace(FIRST.withIncarnation("ü", "0000000f")))).isFalse();
    assertThat(get(definitions().delete(FIRST))).isFalse();

    assertThat(get(definitions().get("c"))).contains(again);
  }

  @Test
  void oddNamesAreKeptApart() {
    List<String> names =
        List.of("C", "%63", "..", "a/b", "ä", "🂡".repeat(32), "A".repeat(128), "a".repeat(128));
    for (String name : names) {
      CacheDefinition odd = CacheDefinition.of(name, Mode.WEAK).sites("a").build();
      get(definitions().create(StoredDefinition.first(odd, BIRTH, Map.of())));
    }

    assertThat(get(definitions().list())).containsExactlyInAnyOrderElementsOf(names);
    for (String name : names) {
      assertThat(get(definitions().get(name)).orElseThrow().definition().name()).isEqualTo(name);
    }
  }

  @Test
  void ofManyAtOnceOneWins() {
    get(definitions().create(FIRST));
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      StoredDefinition mine = FIRST.withIncarnation("ü", "000000%02x".formatted(i));
      answers.add(definitions().replace(mine).toCompletableFuture());
    }

    assertThat(answers.stream().filter(answer -> get(answer))).hasSize(1);
    assertThat(get(definitions().get("c")).orElseThrow().revision()).isEqualTo(2);
  }

  @Test
  void aRestartedChangeComesBackAtEachOfItsSteps() {
    CacheDefinition to = CacheDefinition.of("c", Mode.MWMR).sites("b = x").build();
    ConfigurationChange begun =
        ConfigurationChange.begun(to, Map.of("b = x", "0000000a"), "me", new TreeSet<>());
    StoredDefinition cutover = FIRST.with(Optional.of(begun.at(ChangePhase.CUTOVER)));
    ConfigurationChange anew =
        begun
            .at(ChangePhase.CUTOVER)
            .restarted("you", Map.of("b = x", "0000000c"), cutover.newStores());
    StoredDefinition sealing = cutover.with(Optional.of(anew));
    StoredDefinition again = sealing.with(Optional.of(anew.at(ChangePhase.CUTOVER)));
    StoredDefinition closing = again.switched();
    StoredDefinition over = closing.with(Optional.empty());

    get(definitions().create(FIRST));
    for (StoredDefinition next : List.of(cutover, sealing, again, closing, over)) {
      assertThat(get(definitions().replace(next))).isTrue();
      assertThat(get(definitions().get("c"))).contains(next);
    }

    assertThat(sealing.abandoned()).isEqualTo(cutover.newStores());
    assertThat(again.served().configuration()).isEqualTo(3);
    assertThat(again.served().store("b = x")).isEqualTo(closing.store("b = x"));
    assertThat(over.configuration()).isEqualTo(3);
  }

  @Test
  void aChangeComesBackAtEachOfItsSteps() {
    CacheDefinition to = CacheDefinition.of("c", Mode.WEAK).sites("b = x", "new 1").build();
    Map<String, String> lives = Map.of("b = x", "0000000a", "new 1", "0000000b");
    ObsoleteStore before = new ObsoleteStore("old 1", "c.1 x");
    ConfigurationChange begun =
        ConfigurationChange.begun(to, lives, "me", new TreeSet<>(Set.of(before)));
    StoredDefinition preparing = FIRST.with(Optional.of(begun));
    StoredDefinition sealing =
        preparing.with(preparing.change().map(change -> change.at(ChangePhase.SEALING)));
    StoredDefinition cutover =
        sealing.with(sealing.change().map(change -> change.at(ChangePhase.CUTOVER)));
    StoredDefinition closing = cutover.switched();
    StoredDefinition over = closing.with(Optional.empty());

    get(definitions().create(FIRST));
    for (StoredDefinition next : List.of(preparing, sealing, cutover, closing, over)) {
      assertThat(get(definitions().replace(next))).isTrue();
      assertThat(get(definitions().get("c"))).contains(next);
    }

    assertThat(preparing.store("b = x")).isEqualTo(FIRST.store("b = x"));
    assertThat(preparing.newStores()).hasSize(2);
    assertThat(sealing.served()).isEqualTo(sealing);
    assertThat(cutover.definition()).isEqualTo(FIRST.definition());
    assertThat(cutover.served().definition()).isEqualTo(to);
    assertThat(cutover.served().configuration()).isEqualTo(2);
    assertThat(cutover.served().store("new 1")).isEqualTo(closing.store("new 1"));
    assertThat(closing.definition()).isEqualTo(to);
    assertThat(closing.configuration()).isEqualTo(2);
    assertThat(preparing.newStores())
        .contains(new ObsoleteStore("b = x", closing.store("b = x").orElseThrow()));
    assertThat(closing.change().orElseThrow().remains())
        .containsExactlyInAnyOrder(
            before,
            new ObsoleteStore("a", FIRST.store("a").orElseThrow()),
            new ObsoleteStore("b = x", FIRST.store("b = x").orElseThrow()));
  }
}
