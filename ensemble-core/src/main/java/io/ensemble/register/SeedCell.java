package io.ensemble.register;

import io.ensemble.stamp.WriterId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The seed of a register in stores that no client uses yet: the same cell at every site, accepted
 * in a classic round below all rounds of real proposers, which are microseconds since 1970.
 */
public final class SeedCell {

  private static final long ROUND = 1;

  private SeedCell() {}

  /**
   * The cell of a register that begins with {@code value}; null for a removed key.
   *
   * @param owner the only writer of seeds in these stores
   */
  public static <V> Cell<V> of(WriterId owner, @Nullable V value) {
    Ballot ballot = new Ballot(ROUND, Ballot.Kind.CLASSIC, owner);
    return new Cell<>(ballot, ballot, ballot, new Content<>(1, List.of(ballot), value));
  }

  /**
   * Whether a content is still a seed: whichever ballots have carried it since, no write was based
   * on it.
   */
  public static boolean isOne(Content<?> content) {
    return content.sequence() == 1 && isBallotOfOne(content.recent().get(0));
  }

  /** Whether a seed was proposed in that ballot. */
  public static boolean isBallotOfOne(Ballot ballot) {
    return ballot.round() == ROUND;
  }
}
