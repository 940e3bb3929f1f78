package io.ensemble.register;

import io.ensemble.stamp.WriterId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a register begins with in stores that nobody uses yet: the same cell at every site, accepted
 * in a classic round before all rounds of real proposers, which are microseconds since 1970.
 */
public final class SeedCell {

  private static final long ROUND = 1;

  private SeedCell() {}

  /**
   * The cell of a register that begins with {@code value}; null for a removed key.
   *
   * @param owner who alone puts drafts into these stores
   */
  public static <V> Cell<V> of(WriterId owner, @Nullable V value) {
    Ballot ballot = new Ballot(ROUND, Ballot.Kind.CLASSIC, owner);
    return new Cell<>(ballot, ballot, ballot, new Content<>(1, List.of(ballot), value));
  }

  /**
   * Whether a content is a draft still: whatever ballots have carried it since, nothing was written
   * upon it.
   */
  public static boolean isOne(Content<?> content) {
    return content.sequence() == 1 && content.recent().get(0).round() == ROUND;
  }
}
