package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.session.routing.SessionOwners;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A connection's ownership of its client's session, which the next connection of that client takes
 * over. In the same process, the former owner is informed immediately. In another process, the
 * former owner finds the new owner's mark when it reconnects to the administrative ensemble or to
 * an instance. Confined to its event loop.
 */
final class SessionOwnership {
  private final SessionOwners sessionOwners;
  private final InstanceSession admin;
  private final Runnable onLost;
  private final Runnable lossListener;
  private final byte[] ownerMark =
      ByteBuffer.allocate(Long.BYTES).putLong(ThreadLocalRandom.current().nextLong()).array();
  private boolean isTaken;

  /**
   * Claims the session, if there is one; the owner in this process is informed.
   *
   * @param onLost is run when another connection has taken the session
   */
  SessionOwnership(
      SessionOwners sessionOwners, EventLoop loop, InstanceSession admin, Runnable onLost) {
    this.sessionOwners = sessionOwners;
    this.admin = admin;
    this.onLost = onLost;
    this.lossListener = () -> loop.execute(this::markLost);
    sessionOwners.claim(admin.identity().session(), admin.identity().password());
  }

  /** The mark that the owner writes into the session's record. */
  byte[] ownerMark() {
    return ownerMark;
  }

  /** Registers this connection as the owner of the session. */
  void registerOwner() {
    sessionOwners.register(admin.identity().session(), admin.identity().password(), lossListener);
  }

  void leave() {
    sessionOwners.unregister(admin.identity().session(), lossListener);
  }

  boolean isTaken() {
    return isTaken;
  }

  /**
   * Checks whether another connection owns the session, since a reconnection may have taken the
   * session back from it.
   *
   * @param isFresh whether the connection has begun a session of its own instead
   */
  void checkOwnership(boolean isFresh, Runnable onOwned) {
    if (isFresh) {
      onOwned.run();
      return;
    }
    SessionRecords.checkTaken(
        admin,
        ownerMark,
        isTakenOver -> {
          if (isTakenOver) {
            markLost();
          } else {
            onOwned.run();
          }
        });
  }

  private void markLost() {
    if (!isTaken) {
      isTaken = true;
      onLost.run();
    }
  }
}
