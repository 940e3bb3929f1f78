package io.ensemble.registers;

import io.ensemble.registers.drive.BlockingGuard;
import io.ensemble.registers.drive.ResultWait;
import io.ensemble.registers.drive.SetProposal;
import java.util.concurrent.CompletionStage;

/**
 * One instance of (n,k)-set agreement: each of at most n processes proposes a value and gets one of
 * the proposed values, and all of them together get at most k different ones (LEADS D2.6, appendix
 * F). For example at most k of n processes become leaders of a job: each proposes its own name, and
 * a process that gets its own name back leads. With k = 1 it is consensus.
 *
 * <p>It needs n-k+x registers that are only read and written, and is x-obstruction-free: proposals
 * end for certain while at most x processes take steps. Unless set otherwise, x is 1.
 *
 * <p>Thread-safe. This object is one process: a second call goes on with the value of the first
 * one, and returns what the first one returned.
 */
public final class KSetAgreement {

  private final SetProposal proposal;
  private final BlockingGuard guard;

  KSetAgreement(SetProposal proposal, BlockingGuard guard) {
    this.proposal = proposal;
    this.guard = guard;
  }

  /** The name of the instance. */
  public String name() {
    return proposal.name();
  }

  /** How many processes may propose. */
  public int processes() {
    return proposal.size().processes();
  }

  /** How many values are decided at most. */
  public int values() {
    return proposal.size().values();
  }

  /** How many processes may take steps at the same time, and still all get a value. */
  public int together() {
    return proposal.size().together();
  }

  /**
   * Proposes a value, and returns the one that this process has to use.
   *
   * @throws RegisterObjectException.TooManyParticipants if n other processes take part. One that
   *     was killed, or whose write has an unknown outcome, counts
   * @throws RegisterObjectException.Unknown if there was no decision within the deadline. Others
   *     may get this value. The next call goes on with it
   * @throws RegisterObjectException if no other process can have this value yet. The next call goes
   *     on with it
   * @throws IllegalStateException on a thread of the cache, where this would wait for itself
   */
  public byte[] propose(byte[] value) {
    guard.refuse();
    return ResultWait.toItsEnd(proposeAsync(value));
  }

  /** As {@link #propose}. */
  public CompletionStage<byte[]> proposeAsync(byte[] value) {
    return proposal.propose(value);
  }
}
