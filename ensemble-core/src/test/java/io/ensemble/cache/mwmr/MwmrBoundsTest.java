package io.ensemble.cache.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.QuorumFailure;
import io.ensemble.cache.Payload;
import io.ensemble.cache.mwmr.KeyStateCache.CachedCells;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Ballot;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.register.VersionedCell;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.stamp.WriterId;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Bounds on a client's memory and waits, and the sites that a failure names. */
class MwmrBoundsTest {

  private static final List<String> SITES = List.of("lyon", "oslo", "rome");

  private static Bytes key(int number) {
    return Bytes.of(ByteBuffer.allocate(4).putInt(number).array());
  }

  private static Ballot ballot(long round, Kind kind) {
    return new Ballot(round, kind, new WriterId(1, 2));
  }

  @Test
  void chosenBallotsAreRememberedOfSoManyKeys() {
    KeyStateCache memory = new KeyStateCache();
    memory.recordChosen(key(-1), ballot(1, Kind.CLASSIC), false);
    memory.recordChosen(key(-2), ballot(2, Kind.FAST), false);

    assertThat(memory.chosen(key(-1))).isEqualTo(ballot(1, Kind.CLASSIC));
    assertThat(memory.chosen(key(-2))).isEqualTo(ballot(2, Kind.FAST));
    assertThat(memory.chosen(key(-3))).isEqualTo(Ballot.ZERO);
    for (int i = 0; i < KeyStateCache.KEYS + 50_000; i++) {
      memory.recordChosen(key(i), ballot(i + 1, Kind.FAST), false);
    }
    assertThat(memory.sizes().get(0)).isBetween(KeyStateCache.KEYS / 2L, (long) KeyStateCache.KEYS);
  }

  @Test
  void aKeyIsSteadyUntilAnotherClientWritesIt() {
    KeyStateCache memory = new KeyStateCache();
    assertThat(memory.isSteady(key(1))).isFalse();
    memory.recordChosen(key(1), ballot(1, Kind.FAST), false);
    assertThat(memory.isSteady(key(1))).as("seen once").isFalse();
    memory.recordChosen(key(1), ballot(1, Kind.FAST), false);
    assertThat(memory.isSteady(key(1))).as("seen twice").isTrue();
    memory.recordChosen(key(1), ballot(2, Kind.FAST), true);
    assertThat(memory.isSteady(key(1))).as("written").isTrue();
    memory.recordChosen(key(1), ballot(3, Kind.FAST), false);
    assertThat(memory.isSteady(key(1))).as("written by another client").isFalse();
    memory.recordChosen(key(1), ballot(4, Kind.FAST), true);
    assertThat(memory.isSteady(key(1))).as("by this one and others").isFalse();
    memory.recordChosen(key(2), ballot(5, Kind.FAST), true);
    assertThat(memory.isSteady(key(2))).as("by this one alone").isTrue();
  }

  /** A read may end after a write that began later. */
  @Test
  void whatIsOlderThanWhatIsKnownIsNotAnotherClientsWrite() {
    KeyStateCache memory = new KeyStateCache();
    memory.recordChosen(key(1), ballot(2, Kind.FAST), true);
    memory.recordChosen(key(1), ballot(1, Kind.FAST), false);

    assertThat(memory.chosen(key(1))).isEqualTo(ballot(2, Kind.FAST));
    assertThat(memory.isSteady(key(1))).isTrue();
  }

  /** Otherwise each first read after a write of another client would cost one more round trip. */
  @Test
  void aKeyThatOthersKeepWritingTakesMoreReadsToBeSteadyEachTime() {
    KeyStateCache memory = new KeyStateCache();
    int reads = 0;
    for (int round = 1; round <= 20; round++) {
      Ballot ballot = ballot(round, Kind.FAST);
      int before = reads;
      memory.recordChosen(key(1), ballot, false);
      while (!memory.isSteady(key(1))) {
        memory.recordChosen(key(1), ballot, false);
        reads++;
      }
      assertThat(reads - before).isEqualTo(Math.min(64, 1 << (round - 1)));
    }
  }

  @Test
  void cellsAreBoundedByTheirBytesAndGoodForOneWrite() {
    KeyStateCache memory = new KeyStateCache();
    int bytes = 100_000;
    for (int i = 0; i < 1_000; i++) {
      Ballot fast = ballot(i + 1, Kind.FAST);
      Payload value = new Payload(Bytes.of(new byte[bytes]), 0);
      Cell<Payload> cell = new Cell<>(fast, fast, fast, new Content<>(1, List.of(fast), value));
      StoreSet none = StoreSet.of(List.of(), new Deadline(0));
      memory.remember(
          key(i),
          new CachedCells(none, List.of(new VersionedCell<>(cell, 1)), CachedCells.NO_LIMIT));
      if (i < 50) { // A full memory may refuse a new key in favor of keys that are used more.
        assertThat(memory.takeCells(key(i))).isPresent();
        assertThat(memory.takeCells(key(i))).isEmpty();
        memory.remember(
            key(i),
            new CachedCells(none, List.of(new VersionedCell<>(cell, 1)), CachedCells.NO_LIMIT));
      }
    }

    assertThat(memory.sizes().get(1)).isBetween(1L, KeyStateCache.CELL_BYTES / bytes);
  }

  @Test
  void aShortfallNamesWhoAnsweredAndWhyTheOthersDidNot() {
    SiteResponses answers = new SiteResponses(SITES);
    answers.silent(0, new SiteException("lyon", Reason.TIMED_OUT, "late"));
    answers.heard(0);
    answers.heard(1);
    answers.silent(1, new SiteException("oslo", Reason.UNREACHABLE, "no connection"));

    QuorumFailure shortfall = answers.shortfall();

    assertThat(shortfall.needed()).isEqualTo(2);
    assertThat(shortfall.sites()).isEqualTo(3);
    assertThat(shortfall.heard()).containsExactly("lyon");
    assertThat(shortfall.silent())
        .containsEntry("oslo", "unreachable")
        .containsEntry("rome", "no answer yet")
        .hasSize(2);
  }

  @Test
  void reasonsAreShortAndStrangersAreCounted() {
    SiteResponses answers = new SiteResponses(SITES);
    answers.silent(0, new IllegalStateException("x".repeat(1_000)));
    answers.silent(1, new NullPointerException());
    answers.silent(2, new MalformedEnvelopeException("a known version"));

    assertThat(answers.strange()).isEqualTo(1);
    assertThat(answers.shortfall().silent().get("lyon")).hasSize(120);
    assertThat(answers.shortfall().silent())
        .containsEntry("oslo", "java.lang.NullPointerException");
    assertThat(SiteResponses.notAsked(SITES, "too many wait").silent())
        .containsOnlyKeys(SITES)
        .containsValue("too many wait");
  }

  @Test
  void patienceFollowsTheSlowestSiteWithinBounds() {
    WaitPolicy pace = new WaitPolicy(1);
    for (int i = 0; i < 200; i++) {
      pace.recordFullResponse(40_000_000);
    }
    assertThat(pace.patienceNanos()).isBetween(120_000_000L, 160_000_000L);
    for (int i = 0; i < 500; i++) {
      pace.recordFullResponse(1_000);
    }
    assertThat(pace.patienceNanos()).isEqualTo(5_000_000);
    for (int i = 0; i < 500; i++) {
      pace.recordFullResponse(Long.MAX_VALUE);
    }
    assertThat(pace.patienceNanos()).isEqualTo(500_000_000);
  }

  @Test
  void aPauseForARivalIsHalfToOneUsualResponseTimeAndDiffers() {
    WaitPolicy pace = new WaitPolicy(1);
    for (int i = 0; i < 1_000; i++) {
      pace.recordFullResponse(8_000_000);
    }
    Set<Long> drawn = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      drawn.add(pace.yieldNanos());
    }

    assertThat(drawn).hasSizeGreaterThan(900).allMatch(nanos -> nanos > 3_900_000);
    assertThat(drawn).allMatch(nanos -> nanos <= 8_000_000);
  }

  @Test
  void pausesGrowAreBoundedAndDiffer() {
    WaitPolicy pace = new WaitPolicy(5);
    WaitPolicy other = new WaitPolicy(1L << 40);
    Set<Long> drawn = new HashSet<>();
    long longest = 0;
    for (int attempt = 1; attempt < 1_000; attempt++) {
      long pause = pace.pauseNanos(attempt);
      longest = Math.max(longest, pause);
      drawn.add(pause);
      drawn.add(other.pauseNanos(attempt));
      assertThat(pause).isBetween(100_000L, 101_000_000L);
      if (attempt == 1) {
        assertThat(pause).isLessThan(1_200_000);
      }
    }
    assertThat(longest).isGreaterThan(50_000_000);
    assertThat(drawn).hasSizeGreaterThan(1_900);
  }
}
