package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.mwmr.MwmrInternals;
import io.ensemble.testkit.mwmr.MwmrSimCache.Opened;
import io.ensemble.testkit.sim.Fault;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether a read asks a majority of the sites first, or all sites immediately. */
class MajorityReadTest {

  private final MwmrSimFixture mwmrSimFixture = MwmrSimFixture.inStep();
  private final Opened one = mwmrSimFixture.process();
  private final Opened other = mwmrSimFixture.process();

  /** The sites that a read by {@code reader} asks, in order, including later requests. */
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

  /**
   * Two equal votes of three do not prove a choice, so the third site is asked; the next read asks
   * all.
   */
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

  /** The read asks them before its wait for the majority has ended. */
  @Test
  void theOthersAreAskedAsSoonAsTheMajorityDoesNotSuffice() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.put(other, "k", 2);
    long begin = one.client().scheduler().nanos();

    assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(2);

    assertThat(one.client().scheduler().nanos() - begin).isLessThan(5_000_000);
  }

  /** The read is faster than the shortest wait of 5 ms; each message takes 1 ms. */
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

  /** A read does not wait for the timeout of a request to a silent site. */
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

  /** Otherwise the wait for the majority might exceed the deadline. */
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

  /** A write waits for a far site for the time that this site usually takes. */
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

  /** A read waits for near sites only as long as those usually take. */
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

  /** Reads that have ended leave the queue of waiting calls. */
  @Test
  void readsThatHaveEndedWaitForNothing() {
    mwmrSimFixture.put(one, "k", 1);
    for (int i = 0; i < 100; i++) {
      assertThat(mwmrSimFixture.read(one, "k")).isEqualTo(1);
    }

    assertThat(MwmrInternals.waiting(one.engine())).isZero();
  }
}
