package io.ensemble.objects.protocol;

import java.util.UUID;

/** What a course wants done. */
public sealed interface ProtocolEffect {

  /** Ask the store; hand the answer to the course. */
  record Ask(StoreRequest request) implements ProtocolEffect {}

  /** Tell a call's caller how it ended. */
  record Settle(long call, CallResult verdict) implements ProtocolEffect {}

  /**
   * Wake the course at this time, of the clock that it is handed; replaces what was asked before.
   */
  record WakeAt(long nanos) implements ProtocolEffect {}

  /** Remove a session's mailbox: nobody looks into it any more. Need not succeed. */
  record DropMailbox(UUID birth, UUID session) implements ProtocolEffect {}

  /** Remove a snapshot: no root refers to it. Need not succeed. */
  record DropSnapshot(UUID snapshot) implements ProtocolEffect {}
}
