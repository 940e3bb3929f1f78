package io.ensemble.registers;

import io.ensemble.registers.drive.BlockingGuard;
import io.ensemble.registers.drive.ResultWait;
import io.ensemble.registers.drive.SetProposal;
import java.util.concurrent.CompletionStage;

/**
 * A sequence of instances of (n,k)-set agreement in the same n-k+1 registers (LEADS D2.6, appendix
 * F). Each process makes its proposals in the order of the instances. In each instance all
 * processes together get at most k different values, of those that were proposed in it.
 *
 * <p>Obstruction-free: a proposal ends for certain while its process alone takes steps. A process
 * that is behind gets the decisions of the former instances. If it is behind by more than 16, it
 * misses these instances: the call is refused, and the next one is for a later instance. So a
 * process that begins late goes on with the others after one refused call.
 *
 * <p>Thread-safe. This object is one process, with one proposal at a time.
 */
public final class RepeatedSetAgreement {

  private final SetProposal proposals;
  private final BlockingGuard guard;

  RepeatedSetAgreement(SetProposal proposals, BlockingGuard guard) {
    this.proposals = proposals;
    this.guard = guard;
  }

  /** The name of the object. */
  public String name() {
    return proposals.name();
  }

  /** The number of the instance of the last proposal, or of the next one if that was refused. */
  public long instance() {
    return proposals.instance();
  }

  /**
   * Proposes a value in the next instance, and returns the one that this process has to use.
   *
   * @throws RegisterObjectException.TooManyParticipants if n other processes take part. One that
   *     was killed, or whose write has an unknown outcome, counts
   * @throws RegisterObjectException.Unknown if there was no decision within the deadline. Others
   *     may get this value. The next call goes on in the same instance, with this value
   * @throws RegisterObjectException if no other process can have this value yet. The next call goes
   *     on in the same instance, with this value, unless instances were missed
   * @throws IllegalStateException on a thread of the cache, where this would wait for itself
   */
  public byte[] propose(byte[] value) {
    guard.refuse();
    return ResultWait.toItsEnd(proposeAsync(value));
  }

  /** As {@link #propose}. A call while another one is in progress is refused. */
  public CompletionStage<byte[]> proposeAsync(byte[] value) {
    return proposals.proposeNext(value);
  }
}
