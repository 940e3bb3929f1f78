package io.ensemble.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.register.Ballot.Kind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of ballots, and the order of the stamps of the writes that they propose. */
class BallotGeneratorTest {

  private static final long NOW = 1_000_000_000_000_000L;
  private static final long YEAR = 31_536_000_000_000L;

  /** All writers have seen the same ballot; the clocks of some are behind it, or far behind. */
  @ParameterizedTest
  @ValueSource(longs = {0, -1_000, -YEAR, 1_000})
  void stampsHaveTheOrderOfBallots(long behindMicros) {
    List<Ballot> ballots = new ArrayList<>();
    for (long writer = 1; writer <= 3; writer++) {
      HybridClock clock = new HybridClock(() -> NOW + behindMicros);
      BallotGenerator generator =
          BallotGenerator.separatingKinds(new WriterId(0, writer), clock::after);
      for (long round = NOW; round < NOW + 8; round++) {
        ballots.add(generator.generateAbove(round, Kind.FAST));
        ballots.add(generator.generateAbove(round, Kind.CLASSIC));
      }
    }

    for (Ballot one : ballots) {
      for (Ballot other : ballots) {
        assertThat(Integer.signum(one.compareTo(other)))
            .as("%s and %s", one, other)
            .isEqualTo(Integer.signum(stamp(one).compareTo(stamp(other))));
      }
    }
    assertThat(ballots).doesNotHaveDuplicates();
  }

  private static Stamp stamp(Ballot ballot) {
    return new Stamp(ballot.round(), ballot.writer());
  }

  @Test
  void aClockThatDoesNotAdvanceIsRejected() {
    BallotGenerator generator = new BallotGenerator(new WriterId(0, 1), round -> round);

    assertThatThrownBy(() -> generator.generateAbove(NOW, Kind.FAST))
        .isInstanceOf(AssertionError.class);
  }
}
