package io.ensemble.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a proposer finds its proposal among the recent ballots of a register. */
class ProposalsTest {

  private static final int OWN = 0;

  private static Ballot ballot(long round, int writer) {
    return new Ballot(round, Ballot.Kind.CLASSIC, new WriterId(0, writer));
  }

  /**
   * Tries every order of a few other writes, with one proposal applied at each place among them, or
   * never.
   */
  @ParameterizedTest
  @CsvSource({"1, 2, 5", "2, 3, 6", "3, 4, 6"})
  void aProposalIsFoundWhereItWasAppliedUnlessItMayBeForgotten(
      int horizon, int others, int writes) {
    Tally tally = new Tally(horizon);

    tally.go(Content.absent(), others, writes, null, false);

    assertThat(tally.found).isPositive();
    assertThat(tally.missing).isPositive();
    assertThat(tally.forgotten).isPositive();
  }

  private static final class Tally {

    final int horizon;
    int found;
    int missing;
    int forgotten;

    Tally(int horizon) {
      this.horizon = horizon;
    }

    void go(
        Content<Integer> content,
        int others,
        int left,
        @Nullable Proposals<Integer> proposed,
        boolean applied) {
      if (proposed != null) {
        judge(content, proposed, applied);
      }
      if (left == 0) {
        return;
      }
      long round = content.sequence() + 1;
      for (int writer = 1; writer <= others; writer++) {
        go(content.apply(ballot(round, writer), 1, horizon), others, left - 1, proposed, applied);
      }
      if (proposed == null) {
        Proposals<Integer> own = new Proposals<>();
        own.add(ballot(round, OWN), 1, content);
        go(content, others, left - 1, own, false); // Applied later, or never.
      } else if (!applied) {
        // Applied with its first ballot, whatever was applied before.
        Ballot first = ballot(firstRound(proposed), OWN);
        go(content.apply(first, 1, horizon), others, left - 1, proposed, true);
      }
    }

    private static long firstRound(Proposals<Integer> proposed) {
      for (long round = 1; ; round++) {
        Content<Integer> one = Content.<Integer>absent().apply(ballot(round, OWN), 1, 1);
        if (proposed.findIn(one).isPresent()) {
          return round;
        }
      }
    }

    private void judge(Content<Integer> content, Proposals<Integer> proposed, boolean applied) {
      if (proposed.findIn(content).isPresent()) {
        assertThat(applied).isTrue();
        found++;
      } else if (proposed.mayBeForgotten(content, horizon)) {
        forgotten++;
      } else {
        assertThat(applied).as("not found in %s", content).isFalse();
        missing++;
      }
    }
  }

  /** Seven of the eight ballots predate the proposal; their writers made no other writes. */
  @Test
  void oneBusyWriterDoesNotHideAProposalFromAFullList() {
    Content<Integer> content = Content.absent();
    for (int writer = 1; writer <= Content.HORIZON; writer++) {
      content = content.apply(ballot(writer, writer), 1, Content.HORIZON);
    }
    Proposals<Integer> own = new Proposals<>();
    own.add(ballot(9, OWN), 1, content);

    for (int i = 10; i < 1_000; i++) {
      content = content.apply(ballot(i, 100), 1, Content.HORIZON);
      assertThat(own.mayBeForgotten(content, Content.HORIZON)).isFalse();
    }
    for (int writer = 101; writer < 101 + Content.HORIZON; writer++) {
      content = content.apply(ballot(1_000 + writer, writer), 1, Content.HORIZON);
    }
    assertThat(own.mayBeForgotten(content, Content.HORIZON)).isTrue();
  }

  @Test
  void aFastProposalIsPastOnceAnotherContentIsChosenUponItsBase() {
    Content<Integer> base = Content.<Integer>absent().apply(ballot(1, 1), 1, Content.HORIZON);
    Content<Integer> next = base.apply(ballot(2, 2), 1, Content.HORIZON);
    Ballot high = new Ballot(9, Ballot.Kind.FAST, new WriterId(0, OWN));
    Proposals<Integer> own = new Proposals<>();
    own.add(high, 1, base);

    assertThat(own.arePast(ballot(1, 1), base)).isFalse();
    assertThat(own.arePast(ballot(2, 2), next)).isTrue();

    own.add(new Ballot(10, Ballot.Kind.CLASSIC, high.writer()), 1, base);
    assertThat(own.arePast(ballot(2, 2), next)).isFalse();
    assertThat(own.arePast(ballot(11, 2), next)).isTrue();
  }

  /** The key may have been removed and written again, which begins a new sequence. */
  @Test
  void aFastProposalUponAnAbsentKeyIsPastOnlyByItsBallot() {
    Content<Integer> next = Content.<Integer>absent().apply(ballot(2, 2), 1, Content.HORIZON);
    Proposals<Integer> own = new Proposals<>();
    own.add(new Ballot(9, Ballot.Kind.FAST, new WriterId(0, OWN)), 1, Content.absent());

    assertThat(own.arePast(ballot(2, 2), next)).isFalse();
    assertThat(own.arePast(ballot(10, 2), next)).isTrue();
  }

  @Test
  void fewWritersAreRememberedHoweverManyWritesTheyMake() {
    Proposals<Integer> own = new Proposals<>();
    own.add(ballot(1, OWN), 1, Content.absent());
    List<Content<Integer>> states = new ArrayList<>();
    Content<Integer> content = Content.<Integer>absent().apply(ballot(1, OWN), 1, Content.HORIZON);

    for (int i = 2; i < 1_000; i++) {
      content = content.apply(ballot(i, 1 + i % (Content.HORIZON - 1)), 1, Content.HORIZON);
      states.add(content);
    }

    assertThat(states).allMatch(state -> own.findIn(state).isPresent());
    Content<Integer> without = Content.absent();
    for (int i = 2; i < 1_000; i++) {
      without = without.apply(ballot(i, 1 + i % (Content.HORIZON - 1)), 1, Content.HORIZON);
      assertThat(own.mayBeForgotten(without, Content.HORIZON)).isFalse();
    }
  }
}
