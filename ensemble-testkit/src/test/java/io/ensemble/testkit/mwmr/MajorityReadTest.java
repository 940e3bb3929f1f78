package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.mwmr.MwmrInternals;
import io.ensemble.testkit.mwmr.MwmrSimCache.Opened;
import io.ensemble.testkit.sim.Fault;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which sites a read asks: a majority where that will do, or all at once. */
class MajorityReadTest {

  private final MwmrSimFixture mwmrSimFixture = MwmrSimFixture.inStep();
  private final Opened one = mwmrSimFixture.process();
  private final Opened other = mwmrSimFixture.process();

  /** The sites that a read by {@code reader} asks, in order; what is sent later counts as well. */
  private List<String> asked(Opened reader, Long expected) {
    long from = mwmrSimFixture.federation.trace().size();
    assertThat(mwmrSimFixture.read(reader, "k")).isEqualTo(expected);
    mwmrSimFixture.pass(50);
    String request = reader.client().name() + " ";
    return mwmrSimFixture.federation.trace().lines().stream()
        .skip(from)
        .filter(line -> line.contains(" " + request) && line.contains(" > read "))
        .map(line -> line.split(" ")[2])
        .toList();
  }

  private int roundsOfRead(Opened reader, Long expected) {
    mwmrSimFixture.rounds();
    assertThat(mwmrSimFixture.read(reader, "k")).isEqualTo(expected);
    return mwmrSimFixture.rounds();
  }

  @Test
  void aMajorityDoesForWhatThisProcessHasWritten() {
    mwmrSimFixture.put(one, "k", 1);

    assertThat(asked(one, 1L)).hasSize(2);
    assertThat(roundsOfRead(one, 1L)).isEqualTo(1);
  }

  @Test
  void aMajorityDoesForWhatWasReadBefore() {
    mwmrSimFixture.put(other, "k", 1);

    assertThat(asked(one, 1L)).as("nothing is known").hasSize(3);
    assertThat(asked(one, 1L)).as("another process has written it since, perhaps").hasSize(3);
    assertThat(asked(one, 1L)).as("it stays what it is").hasSize(2);
  }

  /** Two equal votes of three prove nothing: the third is asked, and from then on all at once. */
  @Test
  void whatAnotherProcessHasWrittenIsFoundAndMakesTheNextReadAskAll() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.put(other, "k", 2);

    assertThat(asked(one, 2L)).hasSize(3);
    mwmrSimFixture.put(other, "k", 3);
    assertThat(roundsOfRead(one, 3L)).as("all at once").isEqualTo(1);
  }

  @Test
  void theRoundInWhichTheThirdIsAskedCounts() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.put(other, "k", 2);

    assertThat(roundsOfRead(one, 2L)).isEqualTo(2);
  }

  @Test
  void aKeyThatOthersWriteTooIsReadFromAllThoughThisProcessWritesItAsWell() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.put(other, "k", 2);
    assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(2);
    mwmrSimFixture.put(one, "k", 3);
    mwmrSimFixture.put(other, "k", 4);

    assertThat(roundsOfRead(one, 4L)).isEqualTo(1);
  }

  /** They are not asked only when the patience with the majority is over. */
  @Test
  void theOthersAreAskedAsSoonAsTheMajorityDoesNotSuffice() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.put(other, "k", 2);
    long begin = one.client().scheduler().nanos();

    assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(2);

    assertThat(one.client().scheduler().nanos() - begin).isLessThan(5_000_000);
  }

  /** As the last test; every message takes a millisecond, and the patience is five at least. */
  @Test
  void theOthersAreAskedAsSoonAsASiteOfTheMajorityFails() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.wipe("oslo");
    for (int i = 0; i < 3; i++) {
      long begin = one.client().scheduler().nanos();

      assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(1);

      assertThat(one.client().scheduler().nanos() - begin).isLessThan(5_000_000);
    }
  }

  @Test
  void sitesThatAreEquallyNearTakeTurns() {
    mwmrSimFixture.put(one, "k", 1);

    List<List<String>> reads = List.of(asked(one, 1L), asked(one, 1L), asked(one, 1L));

    assertThat(reads).doesNotHaveDuplicates();
    assertThat(reads.stream().flatMap(List::stream).toList())
        .containsAll(mwmrSimFixture.federation.siteNames());
  }

  /** A read does not wait until a request to a silent site is over. */
  @Test
  void aSilentSiteCostsAMomentOnceAndIsThenNotAskedFirstUntilItAnswers() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.down("oslo");
    long begin = one.client().scheduler().nanos();

    for (int i = 0; i < 3; i++) {
      assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(1);
    }

    assertThat(one.client().scheduler().nanos() - begin).isLessThan(100_000_000);
    assertThat(asked(one, 1L)).doesNotContain("oslo").hasSize(2);
    mwmrSimFixture.up("oslo");
    mwmrSimFixture.pass(5_000);
    for (int i = 0; i < MwmrInternals.FULL_READS; i++) {
      assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(1);
      mwmrSimFixture.pass(10);
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
    mwmrSimFixture.put(one, "k", 1);
    long from = mwmrSimFixture.federation.trace().size();

    assertThat(
            HistoryPayloads.number(
                mwmrSimFixture.get(
                    one.engine()
                        .read(HistoryPayloads.key("k"), MwmrSimFixture.in(one.client(), 30)))))
        .isEqualTo(1);

    assertThat(mwmrSimFixture.federation.trace().lines().stream().skip(from))
        .filteredOn(line -> line.contains(" > read "))
        .hasSize(3);
  }

  /** The patience of writes with a far site is that which it takes to answer. */
  @Test
  void readsOfNearSitesDoNotMakeWritesImpatientWithAFarOne() {
    mwmrSimFixture.federation.inject(new Fault.Slow("rome", 50));
    for (int i = 0; i < 30; i++) {
      mwmrSimFixture.put(one, "k", i);
      mwmrSimFixture.pass(500);
    }

    for (int i = 0; i < 300; i++) {
      assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(29);
      mwmrSimFixture.pass(300);
    }

    mwmrSimFixture.rounds();
    mwmrSimFixture.put(one, "other", 1);
    assertThat(mwmrSimFixture.rounds()).isEqualTo(2);
  }

  /** Where a near site falls silent, reads need not wait as long as a far one may take. */
  @Test
  void aReadIsNotAsPatientWithNearSitesAsWithAFarOne() {
    mwmrSimFixture.federation.inject(new Fault.Slow("rome", 50));
    for (int i = 0; i < 30; i++) {
      mwmrSimFixture.put(one, "k", i);
      mwmrSimFixture.pass(500);
    }
    for (int i = 0; i < 30; i++) {
      mwmrSimFixture.read(one, "k");
      mwmrSimFixture.pass(300);
    }
    mwmrSimFixture.down("oslo");
    long begin = one.client().scheduler().nanos();

    assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(29);

    assertThat(one.client().scheduler().nanos() - begin).isLessThan(150_000_000);
  }

  /** What has ended is not kept until its patience is over. */
  @Test
  void readsThatHaveEndedWaitForNothing() {
    mwmrSimFixture.put(one, "k", 1);
    for (int i = 0; i < 100; i++) {
      assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(1);
    }

    assertThat(MwmrInternals.waiting(one.engine())).isZero();
  }
}
