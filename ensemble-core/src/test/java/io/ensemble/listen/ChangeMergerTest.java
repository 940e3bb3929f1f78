package io.ensemble.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.listen.ListenPosition.LastShown;
import io.ensemble.register.Ballot;
import io.ensemble.register.Content;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds of the merger, removals, expiry and positions; orders of votes are explored elsewhere. */
class ChangeMergerTest {

  private static final long NOW = 1_000_000_000_000L;
  private static final long RETAINED = 600_000_000;
  private static final WriterId WRITER = new WriterId(0, 1);

  private static final ChangeMerger.Values<String> VALUES =
      new ChangeMerger.Values<>() {
        @Override
        public long fingerprint(String value) {
          return value.hashCode();
        }

        /** Values that begin with this letter expire when they are written. */
        @Override
        public long expiryMicros(String value) {
          return value.startsWith("e") ? 1 : 0;
        }

        @Override
        public long sizeBytes(String value) {
          return value.length();
        }
      };

  private static ChangeMerger<String, String> merger(int maxKeys, int maxPending) {
    return new ChangeMerger<>(1, VALUES, String::hashCode, maxKeys, maxPending, 100, null);
  }

  private static ChangeMerger<String, String> live(int maxKeys, int maxPending) {
    ChangeMerger<String, String> merger = merger(maxKeys, maxPending);
    merger.beginRound(NOW, false);
    merger.completeRound(NOW - RETAINED, true, 0);
    merger.drain();
    return merger;
  }

  private static Ballot ballot(int round) {
    return new Ballot(NOW + round, Ballot.Kind.CLASSIC, WRITER);
  }

  private static Vote<String> vote(int sequence, String value) {
    Ballot ballot = ballot(sequence);
    return new Vote<>(ballot, ballot, 2, true, new Content<>(sequence, List.of(ballot), value));
  }

  private static void choose(ChangeMerger<String, String> merger, String key, Vote<String> vote) {
    merger.observe(0, key, vote);
    merger.observe(1, key, vote);
  }

  private static List<Change<String, String>> changes(ChangeMerger<String, String> merger) {
    List<Change<String, String>> changes = new ArrayList<>();
    for (ListenOutput<String, String> output : merger.drain()) {
      if (output instanceof ListenOutput.Shown<String, String> shown) {
        changes.add(shown.change());
      }
    }
    return changes;
  }

  @Test
  void kindsFollowTheFormerState() {
    ChangeMerger<String, String> merger = live(10, 10);
    choose(merger, "k", vote(1, "v"));
    choose(merger, "k", vote(2, "e"));
    choose(merger, "k", vote(3, null));
    choose(merger, "k", vote(4, "v"));
    choose(merger, "k", vote(5, null));

    assertThat(changes(merger))
        .extracting(Change::kind)
        .containsExactly(Kind.CREATED, Kind.MODIFIED, Kind.EXPIRED, Kind.CREATED, Kind.REMOVED);
  }

  @Test
  void moreKeysThanTheLimitEndTheStream() {
    ChangeMerger<String, String> merger = live(2, 10);
    choose(merger, "a", vote(1, "v"));
    choose(merger, "b", vote(1, "v"));
    assertThat(merger.hasTooManyKeys()).isFalse();

    choose(merger, "c", vote(1, "v"));

    assertThat(merger.hasTooManyKeys()).isTrue();
    assertThat(merger.knownKeys()).isEqualTo(2);
  }

  @Test
  void aKeyWithoutRoomForItsUnprovenWriteIsRead() {
    ChangeMerger<String, String> merger = live(10, 2);
    merger.observe(0, "a", vote(1, "v"));
    merger.observe(0, "b", vote(1, "v"));
    int now = merger.tick();
    merger.observe(0, "c", vote(1, "v"));
    assertThat(merger.pendingWrites()).isEqualTo(2);
    assertThat(merger.unresolved(now, 10)).containsOnlyKeys("a", "b");
    ReadBasis basis = merger.unresolved(now + 1, 10).get("c");
    merger.observe(1, "c", vote(2, "w"));

    merger.decided("c", vote(1, "v").content(), basis);
    assertThat(merger.unproven("c")).as("a vote after the read began").isPresent();
    merger.decided("c", vote(2, "w").content(), merger.unproven("c").orElseThrow());

    assertThat(merger.unproven("c")).isEmpty();
    assertThat(changes(merger)).extracting(Change::value).containsExactly("v", "w");
  }

  @Test
  void unprovenValuesHaveABoundInBytes() {
    ChangeMerger<String, String> merger = live(10, 100);
    merger.observe(0, "a", vote(1, "v".repeat(24)));
    assertThat(merger.isLoaded()).isFalse();
    merger.observe(0, "b", vote(1, "v".repeat(75)));
    assertThat(merger.isLoaded()).as("a quarter of the bytes").isTrue();
    merger.observe(0, "c", vote(1, "v".repeat(500)));
    assertThat(merger.pendingWrites()).as("one value may exceed the bound").isEqualTo(3);
    merger.observe(0, "d", vote(1, "v"));
    assertThat(merger.pendingWrites()).isEqualTo(3);

    merger.observe(1, "b", vote(1, "v".repeat(75)));
    merger.observe(1, "c", vote(1, "v".repeat(500)));
    merger.observe(0, "d", vote(1, "v"));
    assertThat(merger.pendingWrites()).as("proven writes leave room").isEqualTo(2);
    merger.observe(1, "d", vote(1, "v"));
    assertThat(merger.unproven("d")).isEmpty();
  }

  @Test
  void aRemovalIsNotShownWhileAVoteWithoutRoomIsNewerThanTheRead() {
    ChangeMerger<String, String> merger = live(10, 1);
    choose(merger, "k", vote(1, "v"));
    merger.observe(0, "other", vote(1, "v"));
    merger.beginRound(NOW + 1, false);
    ReadBasis basis = merger.vanished().get("k");
    merger.observe(0, "k", vote(2, "w"));

    merger.decided("k", Content.absent(), basis);

    assertThat(changes(merger)).extracting(Change::kind).containsExactly(Kind.CREATED);
    merger.decided("k", Content.absent(), merger.unproven("k").orElseThrow());
    assertThat(changes(merger)).extracting(Change::kind).containsExactly(Kind.REMOVED);
    assertThat(merger.unresolved(Integer.MAX_VALUE, 10)).containsOnlyKeys("other");
  }

  @Test
  void ofOneKeyTheNewestUnprovenWritesAreKept() {
    ChangeMerger<String, String> merger = live(10, 100);
    for (int i = 1; i <= ChangeMerger.MOST_OF_A_KEY + 3; i++) {
      merger.observe(0, "k", vote(i, "v" + i));
    }

    assertThat(merger.pendingStamps())
        .hasSize(ChangeMerger.MOST_OF_A_KEY)
        .last()
        .extracting(stamp -> stamp.stamp().micros())
        .isEqualTo(NOW + ChangeMerger.MOST_OF_A_KEY + 3);
  }

  @Test
  void aPurgedKeyIsRemovedWithAGapAndItsOldVotesAreIgnored() {
    ChangeMerger<String, String> merger = live(10, 10);
    choose(merger, "k", vote(1, "v"));
    merger.drain();
    merger.beginRound(NOW + 10, false);
    assertThat(merger.vanished()).containsOnlyKeys("k");
    merger.decided("k", Content.absent(), merger.vanished().get("k"));

    List<ListenOutput<String, String>> outputs = merger.drain();
    assertThat(outputs.get(0)).isInstanceOf(ListenOutput.Missing.class);
    assertThat(((ListenOutput.Shown<String, String>) outputs.get(1)).change().kind())
        .isEqualTo(Kind.REMOVED);
    choose(merger, "k", vote(1, "v"));
    assertThat(merger.drain()).isEmpty();
    assertThat(merger.unresolved(0, 10)).containsOnlyKeys("k");
    merger.decided("k", Content.absent(), merger.unresolved(0, 10).get("k"));
    assertThat(merger.drain()).isEmpty();
    assertThat(merger.knownKeys()).isZero();
  }

  @Test
  void aReadThatFoundNothingDoesNotRemoveAWriteShownSince() {
    ChangeMerger<String, String> merger = live(10, 10);
    choose(merger, "k", vote(1, null));
    merger.beginRound(NOW + 10, false);
    ReadBasis before = merger.vanished().get("k");
    choose(merger, "k", vote(2, "v"));
    merger.drain();

    merger.decided("k", Content.absent(), before);

    assertThat(merger.drain()).isEmpty();
  }

  /** The vote of a rival that lost may stay at a site until the key's next write. */
  @Test
  void aWriteThatAReadDidNotReturnIsNotReadAgain() {
    ChangeMerger<String, String> merger = live(10, 10);
    choose(merger, "k", vote(1, "v"));
    merger.observe(2, "k", vote(2, "rival"));
    merger.drain();

    merger.decided("k", vote(1, "v").content(), merger.unresolved(0, 10).get("k"));

    assertThat(merger.unresolved(0, 10)).isEmpty();
    assertThat(merger.pendingWrites()).isZero();
    assertThat(merger.drain()).isEmpty();
    choose(merger, "k", vote(2, "rival"));
    assertThat(changes(merger)).extracting(Change::value).containsExactly("rival");
  }

  @Test
  void aReadDoesNotDropWritesThatWereVotedForSinceItBegan() {
    ChangeMerger<String, String> merger = live(10, 10);
    choose(merger, "k", vote(1, "v"));
    merger.observe(2, "k", vote(2, "w"));
    ReadBasis basis = merger.unresolved(0, 10).get("k");
    merger.observe(2, "k", vote(2, "w"));
    merger.observe(2, "k", vote(3, "x"));
    ReadBasis later = merger.unresolved(0, 10).get("k");

    merger.decided("k", vote(1, "v").content(), basis);

    assertThat(merger.pendingStamps())
        .extracting(stamp -> stamp.stamp().micros())
        .containsExactly(NOW + 3);
    merger.observe(1, "k", vote(4, "y"));
    merger.decided("k", Content.absent(), later);
    assertThat(merger.unresolved(0, 10)).containsOnlyKeys("k");
    assertThat(merger.knownKeys()).isEqualTo(1);
  }

  @Test
  void aWithdrawnChangeIsShownAgainIfTheNextConfigurationHasIt() {
    ChangeMerger<String, String> merger = live(10, 10);
    choose(merger, "kept", vote(1, "v"));
    choose(merger, "lost", vote(1, "old"));
    merger.drain();
    choose(merger, "kept", vote(2, "w"));
    choose(merger, "lost", vote(2, "new"));

    merger.withdraw(merger.drain());
    merger.reconfigured(2);
    choose(merger, "kept", vote(1, "w"));
    choose(merger, "lost", vote(1, "old"));

    assertThat(changes(merger)).extracting(Change::key).containsExactly("kept");
  }

  @Test
  void anOldPositionAndAnIncompleteListAreReported() {
    assertThat(gapOf(new ListenPosition(1, 1, NOW - RETAINED, ChangeStamp.NONE, Map.of())))
        .isEqualTo(GapReason.RETENTION);
    ChangeStamp unlisted = new ChangeStamp(1, new Stamp(NOW + 9, WRITER));
    assertThat(gapOf(new ListenPosition(1, 1, NOW - 5, unlisted, Map.of())))
        .isEqualTo(GapReason.RETENTION);
    assertThat(gapOf(new ListenPosition(1, 1, NOW - 5, ChangeStamp.NONE, Map.of())))
        .isEqualTo(GapReason.RESUMED);
  }

  /** The gap of a stream that resumes and finds one write. */
  private static GapReason gapOf(ListenPosition position) {
    return wholeGapOf(position).reason();
  }

  private static Gap<String, String> wholeGapOf(ListenPosition position) {
    ChangeMerger<String, String> merger =
        new ChangeMerger<>(1, VALUES, String::hashCode, 10, 10, 100, position);
    merger.beginRound(NOW, false);
    merger.decided("k", vote(1, "v").content(), new ReadBasis(Optional.empty(), 0));
    merger.completeRound(NOW - RETAINED, true, 0);
    for (ListenOutput<String, String> output : merger.drain()) {
      if (output instanceof ListenOutput.Missing<String, String> missing) {
        Gap<String, String> gap = missing.gap();
        assertThat(gap.missed()).isEqualTo(OptionalLong.empty());
        return gap;
      }
    }
    throw new AssertionError("no gap");
  }

  /** Even if a writer's clock is ahead of the listener's. */
  @Test
  void aStreamThatBeginsAnewHasAGapThatCoversEachWriteThatItDoesNotShow() {
    ListenPosition ofNoRound = new ListenPosition(1, 1, 0, ChangeStamp.NONE, Map.of());

    Gap<String, String> gap = wholeGapOf(ofNoRound);

    assertThat(gap.reason()).isEqualTo(GapReason.RETENTION);
    assertThat(gap.before().stamp().micros()).isGreaterThan(NOW);
    assertThat(gap.before().stamp().isAfter(new Stamp(NOW + 1, WRITER))).isTrue();
  }

  @Test
  void aPositionListsAtMostItsBoundAndNamesTheHighestThatIsMissing() {
    ListenProgress progress = new ListenProgress(1, 1, 3, null);
    ChangeMerger<String, String> merger = live(10, 10);
    for (int i = 0; i < 5; i++) {
      choose(merger, "k" + i, vote(1, "v"));
      Vote<String> next = vote(2 + i, "w");
      choose(merger, "k" + i, next);
    }
    merger.drain().forEach(progress::received);

    ListenPosition position = progress.position();

    assertThat(position.shown()).hasSizeLessThanOrEqualTo(3);
    assertThat(position.unlisted().stamp().micros()).isGreaterThan(NOW);
    ListenPosition read = ListenPosition.parse(position.toText());
    assertThat(read.shown()).isEqualTo(position.shown());
    assertThat(read.unlisted().stamp().micros()).isEqualTo(position.unlisted().stamp().micros());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "!!!!", "AAAA", "AQ", "AQAAAAAAAAAA"})
  void malformedPositionsAreRejected(String text) {
    assertThatThrownBy(() -> ListenPosition.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("malformed position");
  }

  @Test
  void aPositionListsTheValueWithWhichAKeyCameToAnotherConfiguration() {
    ChangeMerger<String, String> merger = live(10, 10);
    choose(merger, "k", vote(1, "v"));
    assertThat(changes(merger)).hasSize(1);
    merger.reconfigured(2);
    merger.beginRound(NOW + 100, false);

    choose(merger, "k", vote(1, "v"));

    ChangeStamp taken = new ChangeStamp(2, new Stamp(NOW + 1, WRITER));
    assertThat(merger.drain()).containsExactly(new ListenOutput.Recorded<>("k".hashCode(), taken));
  }

  /** A site of a WEAK cache that was away may show a write that the position names. */
  @Test
  void aPositionIsConsultedUntilAllSitesWereScanned() {
    Stamp listed = LISTED;
    ListenPosition position = namingListed(NOW - 100);
    ChangeMerger<String, String> merger =
        new ChangeMerger<>(1, VALUES, String::hashCode, 10, 10, 100, position);
    merger.beginRound(NOW, true);
    merger.observe(0, "k", Vote.ofEntry(new Stamp(NOW - 200, WRITER), "older"));
    merger.completeRound(NOW - RETAINED, false, 0);

    merger.observe(1, "k", Vote.ofEntry(listed, "listed"));
    merger.decided("k", Vote.contentOf(listed, "listed"), new ReadBasis(Optional.empty(), 99));
    assertThat(changes(merger)).as("shown before the restart").isEmpty();

    merger.beginRound(NOW + 1, true);
    merger.completeRound(NOW - RETAINED, true, 0);
    merger.observe(1, "k", Vote.ofEntry(new Stamp(NOW + 2, WRITER), "next"));
    assertThat(changes(merger)).extracting(Change::value).containsExactly("next");
  }

  private static final Stamp LISTED = new Stamp(NOW - 10, WRITER);

  /** A position after a change of the key k. */
  private static ListenPosition namingListed(long watermark) {
    LastShown last = LastShown.of(new ChangeStamp(1, LISTED));
    return new ListenPosition(
        1, 1, watermark, ChangeStamp.NONE, Map.of((long) "k".hashCode(), last));
  }

  /**
   * The former stream has shown a write that only a site holds that is away, or that was
   * overwritten there by an older one until its writer repairs it. In a covered position or not.
   */
  @ParameterizedTest
  @ValueSource(longs = {0, NOW - 100})
  void noEarlierWriteIsShownAfterTheLastOneOfTheFormerStream(long watermark) {
    ChangeMerger<String, String> merger =
        new ChangeMerger<>(1, VALUES, String::hashCode, 10, 10, 100, namingListed(watermark));
    merger.beginRound(NOW, true);
    merger.completeRound(NOW - RETAINED, false, 0);
    Stamp earlier = new Stamp(NOW - 50, WRITER);
    for (boolean isCovering : new boolean[] {false, true}) {
      merger.beginRound(NOW + 1, true);
      for (String key : List.of("k", "other")) {
        merger.observe(0, key, Vote.ofEntry(earlier, "earlier"));
        merger.decided(
            key, Vote.contentOf(earlier, "earlier"), new ReadBasis(Optional.empty(), 99));
      }
      merger.completeRound(NOW - RETAINED, isCovering, 0);
      assertThat(changes(merger))
          .extracting(Change::key)
          .isEqualTo(isCovering ? List.of() : List.of("other"));
    }

    merger.observe(1, "k", Vote.ofEntry(LISTED, "listed"));
    assertThat(changes(merger)).as("it comes back, and was shown").isEmpty();
    merger.observe(1, "k", Vote.ofEntry(new Stamp(NOW + 2, WRITER), "next"));
    assertThat(changes(merger)).extracting(Change::value).containsExactly("next");
  }

  @Test
  void aPositionNamesTheLastChangeOfEachKeyAndOutlastsItsText() {
    ListenProgress progress = new ListenProgress(1, 1, 10, namingListed(NOW - 100));
    Stamp other = new Stamp(NOW + 7, new WriterId(5L << 52, 6));
    for (ChangeStamp stamp :
        List.of(
            new ChangeStamp(1, new Stamp(NOW - 20, WRITER)),
            new ChangeStamp(2, other),
            new ChangeStamp(2, new Stamp(NOW + 3, WRITER)))) {
      progress.received(new ListenOutput.Recorded<>(7, stamp));
    }
    ListenPosition read = ListenPosition.parse(progress.position().toText());

    assertThat(read).isEqualTo(progress.position());
    assertThat(read.shown()).hasSize(2);
    assertThat(read.isShown("k".hashCode(), new ChangeStamp(1, LISTED))).isTrue();
    assertThat(read.isShown("k".hashCode(), new ChangeStamp(2, LISTED))).isFalse();
    assertThat(read.isShown(7, new ChangeStamp(2, other))).isTrue();
    assertThat(read.isShown(7, new ChangeStamp(1, new Stamp(NOW + 900, WRITER)))).isTrue();
    assertThat(read.isShown(7, new ChangeStamp(2, new Stamp(NOW + 7, new WriterId(6L << 52, 0)))))
        .as("of the same time, by a higher writer")
        .isFalse();
    assertThat(read.isShown(7, new ChangeStamp(2, new Stamp(NOW + 7, new WriterId(4L << 52, 9)))))
        .as("by a lower one: it is earlier")
        .isTrue();
    assertThat(read.isShown(7, new ChangeStamp(2, new Stamp(NOW + 8, WRITER)))).isFalse();

    progress.received(new ListenOutput.Covered<>(1, NOW));
    assertThat(progress.position().shown()).containsOnlyKeys(7L);
    progress.received(new ListenOutput.Covered<>(2, NOW + 7));
    assertThat(progress.position().shown()).isEmpty();
  }

  /** Where writes are not counted, an entry that is purged after its expiry leaves no gap. */
  @Test
  void anExpiredEntryThatVanishesHasExpired() {
    ChangeMerger<String, String> merger = live(10, 10);
    merger.observe(0, "k", Vote.ofEntry(new Stamp(NOW, WRITER), "e1"));
    merger.drain();

    merger.beginRound(NOW + 1, false);
    merger.vanished().forEach((key, basis) -> merger.decided(key, Content.absent(), basis));

    List<ListenOutput<String, String>> outputs = merger.drain();
    assertThat(outputs).hasSize(1);
    ListenOutput.Shown<String, String> shown = (ListenOutput.Shown<String, String>) outputs.get(0);
    assertThat(shown.change().kind()).isEqualTo(Kind.EXPIRED);
  }

  /** A write of a cache that counts no writes, of which votes of two replicas are no proof. */
  private static Vote<String> copy(int round, String value) {
    Ballot ballot = ballot(round);
    return new Vote<>(
        ballot, ballot, 2, false, Vote.contentOf(new Stamp(NOW + round, WRITER), value));
  }

  @Test
  void anUncountedWriteThatWasSeenUnprovenIsInAGapOnceALaterOneIsRead() {
    ChangeMerger<String, String> merger = live(10, 10);
    merger.observe(0, "k", copy(1, "first"));
    merger.decided("k", copy(1, "first").content(), merger.unproven("k").orElseThrow());
    merger.drain();
    merger.observe(0, "k", copy(2, "second"));
    merger.observe(1, "k", copy(3, "third"));

    assertThat(merger.drain()).as("votes prove nothing").isEmpty();
    merger.decided("k", copy(3, "third").content(), merger.unproven("k").orElseThrow());

    List<ListenOutput<String, String>> outputs = merger.drain();
    assertThat(outputs).hasSize(2);
    assertThat(((ListenOutput.Missing<String, String>) outputs.get(0)).gap().reason())
        .isEqualTo(GapReason.OVERWRITTEN);
    assertThat(((ListenOutput.Shown<String, String>) outputs.get(1)).change().value())
        .isEqualTo("third");
  }

  @Test
  void aMajorityOfVotesIsEnoughForWhatThePositionNames() {
    ListenPosition position = new ListenPosition(1, 1, NOW + 10, ChangeStamp.NONE, Map.of());
    ChangeMerger<String, String> merger =
        new ChangeMerger<>(1, VALUES, String::hashCode, 10, 10, 100, position);
    merger.beginRound(NOW + 20, false);

    choose(merger, "old", copy(1, "shown before"));
    choose(merger, "new", copy(11, "not shown yet"));

    assertThat(merger.unresolved(Integer.MAX_VALUE, 10)).containsOnlyKeys("new");
  }

  /** A read that missed the site with the write must not let the position pass the write. */
  @ParameterizedTest
  @ValueSource(ints = {10, 0})
  void aRoundThatDropsAWriteOfASiteDoesNotAdvanceThePosition(int maxPending) {
    ListenPosition position =
        new ListenPosition(1, 1, NOW - RETAINED / 2, ChangeStamp.NONE, Map.of());
    ChangeMerger<String, String> merger =
        new ChangeMerger<>(1, VALUES, String::hashCode, 10, maxPending, 100, position);
    Stamp late = new Stamp(NOW - 1, WRITER);
    merger.beginRound(NOW, true);
    merger.observe(2, "k", Vote.ofEntry(late, "at the third site only"));
    merger.decided(
        "k",
        Vote.contentOf(new Stamp(NOW - RETAINED, WRITER), "older"),
        merger.unproven("k").orElseThrow());
    merger.completeRound(NOW - RETAINED, true, 0);

    assertThat(watermarks(merger)).containsExactly(position.watermark());
    merger.beginRound(NOW + 1, true);
    merger.observe(2, "k", Vote.ofEntry(late, "at the third site only"));
    merger.decided(
        "k", Vote.contentOf(late, "at the third site only"), merger.unproven("k").orElseThrow());
    assertThat(changes(merger))
        .extracting(Change::stamp)
        .extracting(ChangeStamp::stamp)
        .containsExactly(late);
    merger.completeRound(NOW - RETAINED, true, 0);
    assertThat(watermarks(merger)).containsExactly(NOW + 1 - ChangeMerger.LATE_MICROS);
  }

  /** A key that is written more often than it can be read. */
  @Test
  void aRoundDoesNotWaitForVotesThatCameAfterItsReads() {
    ChangeMerger<String, String> merger = live(10, 0);
    merger.observe(0, "k", vote(1, "v"));
    int scanned = merger.tick();
    for (int write = 2; write < 5; write++) {
      ReadBasis basis = merger.unproven("k").orElseThrow();
      merger.observe(0, "k", vote(write, "v"));
      merger.decided("k", vote(write - 1, "v").content(), basis);

      assertThat(merger.unresolved(scanned, 10)).isEmpty();
    }
    assertThat(merger.unresolved(scanned + 1, 10)).containsOnlyKeys("k");
  }

  /** The reader has not received the write that some replica lacks, so it is not listed yet. */
  @Test
  void aPositionOfTheOpeningListsWhatAllReplicasHold() {
    ChangeMerger<String, String> merger = merger(10, 10);
    Stamp written = new Stamp(NOW - 1, WRITER);
    merger.beginRound(NOW, true);
    for (int replica = 0; replica < 3; replica++) {
      merger.observe(replica, "even", Vote.ofEntry(written, "v"));
      merger.observe(replica, "replaced", Vote.ofEntry(written, "v"));
    }
    merger.observe(0, "uneven", Vote.ofEntry(written, "v"));
    merger.observe(1, "uneven", Vote.ofEntry(written, "v"));
    merger.replaced(2);
    merger.observe(2, "even", Vote.ofEntry(written, "v"));
    merger.completeRound(NOW - RETAINED, true, 0b111);

    assertThat(merger.drain())
        .as("nor does the watermark pass it")
        .containsExactly(
            new ListenOutput.Recorded<>("even".hashCode(), new ChangeStamp(1, written)),
            new ListenOutput.Covered<>(1, 0));
    assertThat(merger.unresolved(merger.tick(), 10)).containsOnlyKeys("uneven", "replaced");
  }

  private static List<Long> watermarks(ChangeMerger<String, String> merger) {
    return merger.drain().stream()
        .filter(ListenOutput.Covered.class::isInstance)
        .map(output -> ((ListenOutput.Covered<String, String>) output).watermark())
        .toList();
  }

  /** While a site is away, a position lists what was taken over since the watermark. */
  @Test
  void aPositionThatStandsStillListsWhatANewConfigurationTookOver() {
    ChangeMerger<String, String> merger = live(10, 10);
    Stamp written = new Stamp(NOW + 1, WRITER);
    merger.observe(0, "k", Vote.ofEntry(written, "v"));
    merger.drain();

    merger.reconfigured(2);
    merger.beginRound(NOW + 10 * ChangeMerger.LATE_MICROS, true);
    merger.observe(0, "k", Vote.ofEntry(written, "v"));

    assertThat(merger.drain())
        .containsExactly(new ListenOutput.Recorded<>("k".hashCode(), new ChangeStamp(2, written)));
  }
}
