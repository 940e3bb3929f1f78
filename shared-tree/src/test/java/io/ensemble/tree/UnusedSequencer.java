package io.ensemble.tree;

import io.ensemble.tree.runtime.CommitSequencer;
import io.ensemble.tree.state.CommitOutcome;
import io.ensemble.tree.state.SequencerCalls.AdvanceOutcome;
import io.ensemble.tree.state.TreeState;
import java.time.Duration;
import java.util.Optional;

/** A sequencer that is not to be called. */
public class UnusedSequencer implements CommitSequencer {

  private static UnsupportedOperationException unused() {
    return new UnsupportedOperationException("the sequencer is not to be called");
  }

  @Override
  public TreeState read() {
    throw unused();
  }

  @Override
  public CommitOutcome commit(byte[] request) {
    throw unused();
  }

  @Override
  public Optional<AdvanceOutcome> advance(long checkpoint, int chain, byte[] root, long removedTo) {
    throw unused();
  }

  @Override
  public Runnable nextChange(Duration atMost) {
    throw unused();
  }

  @Override
  public void pause(Duration time) {
    throw unused();
  }

  @Override
  public long nanoTime() {
    throw unused();
  }
}
