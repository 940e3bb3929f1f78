package io.ensemble.tree.runtime;

import io.ensemble.tree.TreeException;
import io.ensemble.tree.state.CommitOutcome;
import io.ensemble.tree.state.SequencerCalls.AdvanceOutcome;
import io.ensemble.tree.state.TreeState;
import java.time.Duration;
import java.util.Optional;

/** The sequencer of a tree, wherever its state is. Blocks. */
public interface CommitSequencer {

  /**
   * Reads the state, which is not to be changed.
   *
   * @throws TreeException.NotApplied if the store does not answer
   */
  TreeState read();

  /**
   * Commits a transaction.
   *
   * @throws TreeException.NotApplied if it was certainly not committed
   * @throws TreeException.Unknown if it may have been
   */
  CommitOutcome commit(byte[] request);

  /**
   * Reports a complete checkpoint.
   *
   * @param root the encoded reference to its root
   * @param removedTo the replaced pages of checkpoints up to this one were removed
   * @return empty if the outcome is unknown, or if it was not applied
   * @throws TreeException.NoSuchTree if the tree is deleted
   */
  Optional<AdvanceOutcome> advance(long checkpoint, int chain, byte[] root, long removedTo);

  /**
   * Begins to look for changes. The returned task waits until the state may have changed since this
   * call, and at most for this time.
   */
  Runnable nextChange(Duration atMost);

  /** Waits for this time. */
  void pause(Duration time);

  /** The time of this process, in nanoseconds. */
  long nanoTime();
}
