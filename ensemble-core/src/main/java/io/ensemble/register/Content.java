package io.ensemble.register;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a register: its value, and enough of its history for a proposer to recognise its
 * own success.
 *
 * @param <V> the value's type; must have value equality
 * @param sequence how many writes were applied since the key was first written
 * @param recent the ballots in which the last writes were first proposed, newest first, at most one
 *     of each writer and at most {@link #HORIZON} in all
 * @param value the value, or null when the key is absent or removed
 */
public record Content<V>(long sequence, List<Ballot> recent, @Nullable V value) {

  /** How many applied writes a register remembers by their ballots. */
  public static final int HORIZON = 8;

  public Content {
    recent = List.copyOf(recent);
  }

  /** The content of a key that was never written. */
  public static <V> Content<V> absent() {
    return new Content<>(0, List.of(), null);
  }

  /** The ballot in which this content was first proposed; zero if the key was never written. */
  public Ballot firstProposed() {
    return recent.isEmpty() ? Ballot.ZERO : recent.get(0);
  }

  /**
   * This content after one more write. One ballot of each writer is enough: a writer has one write
   * of a key at a time, and asks only for its last one.
   */
  Content<V> apply(Ballot ballot, @Nullable V newValue, int horizon) {
    List<Ballot> ballots = new ArrayList<>(horizon);
    ballots.add(ballot);
    for (Ballot older : recent) {
      if (ballots.size() < horizon && !older.writer().equals(ballot.writer())) {
        ballots.add(older);
      }
    }
    return new Content<>(sequence + 1, ballots, newValue);
  }
}
