package io.ensemble.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.lease.ConfigurationLeaseRules;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** When a mover is considered dead. */
final class OwnerFailureDetectorTest {

  private static final ChangeRules RULES = new ChangeRules(new ConfigurationLeaseRules(100, 10));

  private final OwnerFailureDetector ownerFailureDetector =
      new OwnerFailureDetector(RULES.blindNanos());
  private final ConfigurationChange begun =
      ConfigurationChange.begun(
          CacheDefinition.of("c", Mode.MWMR).sites("x").build(),
          Map.of("x", "00000001"),
          "me",
          new TreeSet<>());

  private boolean isSilent(ConfigurationChange change, long nowNanos) {
    return ownerFailureDetector.isSilent(
        change.sign(), RULES.silenceNanos(change.step()), nowNanos);
  }

  /** Checks the same change every 100 ns; its mover never counts as silent. */
  private void looks(ConfigurationChange change, long fromNanos, long untilNanos) {
    for (long now = fromNanos; now < untilNanos; now += 100) {
      assertThat(isSilent(change, now)).as("at %d", now).isFalse();
    }
  }

  @Test
  void aBeatThatStandsForThreeLeasesIsSilence() {
    looks(begun, 5_000, 5_299);
    assertThat(isSilent(begun, 5_299)).isFalse();
    assertThat(isSilent(begun, 5_300)).isTrue();
  }

  @Test
  void whateverAnOwnerDoesBreaksTheSilence() {
    looks(begun, 0, 290);
    looks(begun.beaten(1, 0), 290, 589);
    assertThat(isSilent(begun.beaten(1, 0), 589)).isFalse();
    assertThat(isSilent(begun.beaten(1, 0).at(ChangePhase.COPYING), 590)).isFalse();
    ConfigurationChange taken = begun.takenOver("you", Map.of("x", "00000002"), Set.of());
    looks(taken, 900, 1_200);
    assertThat(isSilent(taken, 1_200)).isTrue();
  }

  @Test
  void othersWhoPaceTheChangeAreNoSignOfLife() {
    looks(begun, 0, 299);
    assertThat(isSilent(begun.paced(7), 299)).isFalse();
    assertThat(isSilent(begun.paced(8), 300)).isTrue();
  }

  @Test
  void endsWaitLonger() {
    ConfigurationChange ending =
        begun.ending(ChangePhase.ABORTING, Set.of(new ObsoleteStore("x", "c.2")));

    looks(ending, 0, 2_999);
    assertThat(isSilent(ending, 2_999)).isFalse();
    assertThat(isSilent(ending, 3_000)).isTrue();
  }

  @Test
  void whileTheRecordCannotBeReadNobodyIsSilent() {
    looks(begun, 0, 250);

    looks(begun, 90_000, 90_299);
    assertThat(isSilent(begun, 90_299)).isFalse();
    assertThat(isSilent(begun, 90_300)).isTrue();
  }

  @Test
  void looksTwoBeatsApartWillDo() {
    assertThat(isSilent(begun, 0)).isFalse();
    assertThat(isSilent(begun, 200)).isFalse();
    assertThat(isSilent(begun, 400)).isTrue();
  }
}
