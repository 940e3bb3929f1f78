package io.ensemble.reconfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.reconfiguration.LostStoreDetector.LostStores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Lost stores are distinguished from stores of sites that are starting. */
class LostStoreDetectorTest {

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final Set<String> onDisk = new TreeSet<>();
  private Set<String> gone = Set.of("b");
  private boolean isAway;
  private final LostStoreDetector detector =
      new LostStoreDetector(seen -> missing(), onDisk::contains, scheduler::nanos);

  private Set<String> missing() {
    if (isAway) {
      throw new CatalogException(CatalogException.Reason.UNAVAILABLE, "away");
    }
    return gone;
  }

  private static StoredDefinition inCutover(String life) {
    CacheDefinition at = CacheDefinition.of("s", Mode.MWMR).sites("a").build();
    ConfigurationChange change =
        ConfigurationChange.begun(at.at(List.of("b")), Map.of("b", life), "dead", new TreeSet<>())
            .at(ChangePhase.CUTOVER);
    return StoredDefinition.first(at, "0123456789ab0123456789ab", Map.of("a", "0000000a"))
        .with(Optional.of(change));
  }

  private LostStores look() {
    return detector.check(inCutover("0000000b"));
  }

  private boolean looksAfter(int seconds) {
    scheduler.advance(Duration.ofSeconds(seconds));
    return look().isConfirmed();
  }

  /** Checks now, and every two seconds for {@code seconds}. */
  private boolean looksFor(int seconds) {
    boolean isForGood = look().isConfirmed();
    for (int i = 2; i <= seconds; i += 2) {
      isForGood = looksAfter(2);
    }
    return isForGood;
  }

  @Test
  void inMemoryTheyAreLostAfterThreeLooks() {
    assertThat(look()).isEqualTo(new LostStores(Set.of("b"), false));
    assertThat(looksAfter(2)).isFalse();
    assertThat(looksAfter(2)).isTrue();
    assertThat(look()).isEqualTo(new LostStores(Set.of("b"), true));
  }

  @Test
  void threeQuickLooksAreNotEnough() {
    assertThat(look().isConfirmed()).isFalse();
    assertThat(look().isConfirmed()).isFalse();
    assertThat(looksAfter(3)).isFalse();
    assertThat(looksAfter(1)).isTrue();
  }

  @Test
  void onDiskTheyAreLostAfterAMinute() {
    onDisk.add("b");

    assertThat(looksFor(58)).isFalse();
    assertThat(looksAfter(1)).as("59 seconds").isFalse();
    assertThat(looksAfter(1)).as("60 seconds").isTrue();
  }

  @Test
  void oneSiteOnDiskAmongThemIsEnoughToWait() {
    gone = Set.of("b", "c");
    onDisk.add("c");

    assertThat(looksFor(58)).isFalse();
    assertThat(looksAfter(2)).isTrue();
  }

  @Test
  void aStoreThatIsThereForAMomentBeginsItAnew() {
    onDisk.add("b");
    assertThat(looksFor(58)).isFalse();
    gone = Set.of();
    assertThat(looksAfter(1)).isFalse();
    gone = Set.of("b");

    assertThat(looksAfter(1)).isFalse();
    assertThat(looksFor(58)).isFalse();
    assertThat(looksAfter(2)).isTrue();
  }

  @Test
  void otherSitesWithoutStoresBeginItAnew() {
    assertThat(looksFor(2)).isFalse();
    gone = Set.of("c");
    assertThat(looksAfter(2)).isFalse();
    gone = Set.of("b", "c");
    assertThat(looksAfter(2)).isFalse();
    assertThat(looksAfter(2)).as("c the whole while").isTrue();
  }

  @Test
  void anotherChangeBeginsItAnew() {
    assertThat(looksFor(4)).isTrue();

    assertThat(detector.check(inCutover("0000000c")).isConfirmed()).isFalse();
  }

  @Test
  void whoHasNotLookedForMoreThanAMinuteBeginsAnew() {
    assertThat(looksFor(2)).isFalse();
    assertThat(looksAfter(61)).isFalse();
    assertThat(looksAfter(2)).isFalse();
    assertThat(looksAfter(2)).isTrue();
  }

  @Test
  void aLookThatFailsCountsForNothing() {
    assertThat(look().isConfirmed()).isFalse();
    isAway = true;
    assertThatThrownBy(() -> looksAfter(2)).isInstanceOf(CatalogException.class);
    isAway = false;
    assertThat(looksAfter(2)).isFalse();
    assertThat(looksAfter(2)).isTrue();
  }
}
