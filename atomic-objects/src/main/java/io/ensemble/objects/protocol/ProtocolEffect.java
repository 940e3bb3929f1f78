package io.ensemble.objects.protocol;

import java.util.UUID;

/** An effect that a session requests of its driver. */
public sealed interface ProtocolEffect {

  /** Send a request to the store; pass the response to the session. */
  record Ask(StoreRequest request) implements ProtocolEffect {}

  /**
   * Send a read to the store, beside other requests; pass the response to {@link
   * SessionProtocol#lookedInParallel} with this number.
   */
  record LookInParallel(long number, StoreRequest.Look look) implements ProtocolEffect {}

  /** Complete a call with its result. */
  record Settle(long call, CallResult verdict) implements ProtocolEffect {}

  /**
   * Wake the session at this time of the clock that is passed to it; replaces an earlier wake-up.
   */
  record WakeAt(long nanos) implements ProtocolEffect {}

  /** Remove the mailbox of a session, which no session reads any more. May fail. */
  record DropMailbox(UUID birth, UUID session) implements ProtocolEffect {}

  /** Remove a snapshot: no root refers to it. May fail. */
  record DropSnapshot(UUID snapshot) implements ProtocolEffect {}
}
