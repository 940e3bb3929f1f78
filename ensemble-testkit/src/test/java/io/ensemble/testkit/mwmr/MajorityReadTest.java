package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.mwmr.Inside;
import io.ensemble.testkit.mwmr.SimCache.Opened;
import io.ensemble.testkit.sim.Fault;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which sites a read asks: a majority where that will do, or all at once. */
class MajorityReadTest {

  private final Scene scene = Scene.inStep();
  private final Opened one = scene.process();
  private final Opened other = scene.process();

  /** The sites that a read by {@code reader} asks, in order; what is sent later counts as well. */
  private List<String> asked(Opened reader, Long expected) {
    long from = scene.federation.trace().size();
    assertThat(scene.read(reader, "k")).isEqualTo(expected);
    scene.pass(50);
    String request = reader.client().name() + " ";
    return scene.federation.trace().lines().stream()
        .skip(from)
        .filter(line -> line.contains(" " + request) && line.contains(" > read "))
        .map(line -> line.split(" ")[2])
        .toList();
  }

  private int roundsOfRead(Opened reader, Long expected) {
    scene.rounds();
    assertThat(scene.read(reader, "k")).isEqualTo(expected);
    return scene.rounds();
  }

  @Test
  void aMajorityDoesForWhatThisProcessHasWritten() {
    scene.put(one, "k", 1);

    assertThat(asked(one, 1L)).hasSize(2);
    assertThat(roundsOfRead(one, 1L)).isEqualTo(1);
  }

  @Test
  void aMajorityDoesForWhatWasReadBefore() {
    scene.put(other, "k", 1);

    assertThat(asked(one, 1L)).as("nothing is known").hasSize(3);
    assertThat(asked(one, 1L)).as("another process has written it since, perhaps").hasSize(3);
    assertThat(asked(one, 1L)).as("it stays what it is").hasSize(2);
  }

  /** Two equal votes of three prove nothing: the third is asked, and from then on all at once. */
  @Test
  void whatAnotherProcessHasWrittenIsFoundAndMakesTheNextReadAskAll() {
    scene.put(one, "k", 1);
    scene.put(other, "k", 2);

    assertThat(asked(one, 2L)).hasSize(3);
    scene.put(other, "k", 3);
    assertThat(roundsOfRead(one, 3L)).as("all at once").isEqualTo(1);
  }

  @Test
  void theRoundInWhichTheThirdIsAskedCounts() {
    scene.put(one, "k", 1);
    scene.put(other, "k", 2);

    assertThat(roundsOfRead(one, 2L)).isEqualTo(2);
  }

  @Test
  void aKeyThatOthersWriteTooIsReadFromAllThoughThisProcessWritesItAsWell() {
    scene.put(one, "k", 1);
    scene.put(other, "k", 2);
    assertThat(scene.read(one, "k")).isEqualTo(2);
    scene.put(one, "k", 3);
    scene.put(other, "k", 4);

    assertThat(roundsOfRead(one, 4L)).isEqualTo(1);
  }

  /** They are not asked only when the patience with the majority is over. */
  @Test
  void theOthersAreAskedAsSoonAsTheMajorityDoesNotSuffice() {
    scene.put(one, "k", 1);
    scene.put(other, "k", 2);
    long begin = one.client().scheduler().nanos();

    assertThat(scene.read(one, "k")).isEqualTo(2);

    assertThat(one.client().scheduler().nanos() - begin).isLessThan(5_000_000);
  }

  /** As the last test; every message takes a millisecond, and the patience is five at least. */
  @Test
  void theOthersAreAskedAsSoonAsASiteOfTheMajorityFails() {
    scene.put(one, "k", 1);
    scene.wipe("oslo");
    for (int i = 0; i < 3; i++) {
      long begin = one.client().scheduler().nanos();

      assertThat(scene.read(one, "k")).isEqualTo(1);

      assertThat(one.client().scheduler().nanos() - begin).isLessThan(5_000_000);
    }
  }

  @Test
  void sitesThatAreEquallyNearTakeTurns() {
    scene.put(one, "k", 1);

    List<List<String>> reads = List.of(asked(one, 1L), asked(one, 1L), asked(one, 1L));

    assertThat(reads).doesNotHaveDuplicates();
    assertThat(reads.stream().flatMap(List::stream).toList())
        .containsAll(scene.federation.siteNames());
  }

  /** A read does not wait until a request to a silent site is over. */
  @Test
  void aSilentSiteCostsAMomentOnceAndIsThenNotAskedFirstUntilItAnswers() {
    scene.put(one, "k", 1);
    scene.down("oslo");
    long begin = one.client().scheduler().nanos();

    for (int i = 0; i < 3; i++) {
      assertThat(scene.read(one, "k")).isEqualTo(1);
    }

    assertThat(one.client().scheduler().nanos() - begin).isLessThan(100_000_000);
    assertThat(asked(one, 1L)).doesNotContain("oslo").hasSize(2);
    scene.up("oslo");
    scene.pass(5_000);
    for (int i = 0; i < Inside.FULL_READS; i++) {
      assertThat(scene.read(one, "k")).isEqualTo(1);
      scene.pass(10);
    }
    List<String> later = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      later.addAll(asked(one, 1L));
    }
    assertThat(later).as("it answers again, as a read of all has shown").contains("oslo");
  }

  /** Else the patience with the first ones might use up its time. */
  @Test
  void aReadWithLittleTimeAsksAllAtOnce() {
    scene.put(one, "k", 1);
    long from = scene.federation.trace().size();

    assertThat(
            Values.number(
                scene.get(one.engine().read(Values.key("k"), Scene.in(one.client(), 30)))))
        .isEqualTo(1);

    assertThat(scene.federation.trace().lines().stream().skip(from))
        .filteredOn(line -> line.contains(" > read "))
        .hasSize(3);
  }

  /** The patience of writes with a far site is that which it takes to answer. */
  @Test
  void readsOfNearSitesDoNotMakeWritesImpatientWithAFarOne() {
    scene.federation.inject(new Fault.Slow("rome", 50));
    for (int i = 0; i < 30; i++) {
      scene.put(one, "k", i);
      scene.pass(500);
    }

    for (int i = 0; i < 300; i++) {
      assertThat(scene.read(one, "k")).isEqualTo(29);
      scene.pass(300);
    }

    scene.rounds();
    scene.put(one, "other", 1);
    assertThat(scene.rounds()).isEqualTo(2);
  }

  /** Where a near site falls silent, reads need not wait as long as a far one may take. */
  @Test
  void aReadIsNotAsPatientWithNearSitesAsWithAFarOne() {
    scene.federation.inject(new Fault.Slow("rome", 50));
    for (int i = 0; i < 30; i++) {
      scene.put(one, "k", i);
      scene.pass(500);
    }
    for (int i = 0; i < 30; i++) {
      scene.read(one, "k");
      scene.pass(300);
    }
    scene.down("oslo");
    long begin = one.client().scheduler().nanos();

    assertThat(scene.read(one, "k")).isEqualTo(29);

    assertThat(one.client().scheduler().nanos() - begin).isLessThan(150_000_000);
  }

  /** What has ended is not kept until its patience is over. */
  @Test
  void readsThatHaveEndedWaitForNothing() {
    scene.put(one, "k", 1);
    for (int i = 0; i < 100; i++) {
      assertThat(scene.read(one, "k")).isEqualTo(1);
    }

    assertThat(Inside.waiting(one.engine())).isZero();
  }
}
