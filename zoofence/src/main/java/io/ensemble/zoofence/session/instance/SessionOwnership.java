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
  private final Runnable lost;
  private final Runnable told;
  private final byte[] mark =
      ByteBuffer.allocate(Long.BYTES).putLong(ThreadLocalRandom.current().nextLong()).array();
  private boolean taken;

  /**
   * Claims the session, if there is one; the owner in this process is informed.
   *
   * @param lost is run when another connection has taken the session
   */
  SessionOwnership(
      SessionOwners sessionOwners, EventLoop loop, InstanceSession admin, Runnable lost) {
    this.sessionOwners = sessionOwners;
    this.admin = admin;
    this.lost = lost;
    this.told = () -> loop.execute(this::lose);
    sessionOwners.claim(admin.identity().session(), admin.identity().password());
  }

  /** The mark that the owner writes into the session's record. */
  byte[] mark() {
    return mark;
  }

  /** Registers this connection as the owner of the session. */
  void take() {
    sessionOwners.take(admin.identity().session(), admin.identity().password(), told);
  }

  void leave() {
    sessionOwners.leave(admin.identity().session(), told);
  }

  boolean isTaken() {
    return taken;
  }

  /**
   * Checks whether another connection owns the session, since a reconnection may have taken the
   * session back from it.
   *
   * @param fresh whether the connection has begun a session of its own instead
   */
  void check(boolean fresh, Runnable goOn) {
    if (fresh) {
      goOn.run();
      return;
    }
    SessionRecords.isTaken(
        admin,
        mark,
        found -> {
          if (found) {
            lose();
          } else {
            goOn.run();
          }
        });
  }

  private void lose() {
    if (!taken) {
      taken = true;
      lost.run();
    }
  }
}
