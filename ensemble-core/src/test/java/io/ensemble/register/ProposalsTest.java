package io.ensemble.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a proposer can tell from the ballots that a register remembers. */
class ProposalsTest {

  private static final int US = 0;

  private static Ballot ballot(long round, int writer) {
    return new Ballot(round, Ballot.Kind.CLASSIC, new WriterId(0, writer));
  }

  /** Every order of a few writes by others, with our one write at each place among them or not. */
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
        Proposals<Integer> ours = new Proposals<>();
        ours.add(ballot(round, US), 1, content.sequence());
        go(content, others, left - 1, ours, false); // It may be applied later, or never.
      } else if (!applied) {
        // As it was first proposed, whatever came before it.
        Ballot first = ballot(firstRound(proposed), US);
        go(content.apply(first, 1, horizon), others, left - 1, proposed, true);
      }
    }

    private static long firstRound(Proposals<Integer> proposed) {
      for (long round = 1; ; round++) {
        Content<Integer> one = Content.<Integer>absent().apply(ballot(round, US), 1, 1);
        if (proposed.in(one).isPresent()) {
          return round;
        }
      }
    }

    private void judge(Content<Integer> content, Proposals<Integer> proposed, boolean applied) {
      if (proposed.in(content).isPresent()) {
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

  @Test
  void fewWritersAreRememberedHoweverManyWritesTheyMake() {
    Proposals<Integer> ours = new Proposals<>();
    ours.add(ballot(1, US), 1, 0);
    List<Content<Integer>> states = new ArrayList<>();
    Content<Integer> content = Content.<Integer>absent().apply(ballot(1, US), 1, Content.HORIZON);

    for (int i = 2; i < 1_000; i++) {
      content = content.apply(ballot(i, 1 + i % (Content.HORIZON - 1)), 1, Content.HORIZON);
      states.add(content);
    }

    assertThat(states).allMatch(state -> ours.in(state).isPresent());
    Content<Integer> without = Content.absent();
    for (int i = 2; i < 1_000; i++) {
      without = without.apply(ballot(i, 1 + i % (Content.HORIZON - 1)), 1, Content.HORIZON);
      assertThat(ours.mayBeForgotten(without, Content.HORIZON)).isFalse();
    }
  }
}
