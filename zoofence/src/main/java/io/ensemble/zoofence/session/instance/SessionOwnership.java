package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.session.routing.SessionOwners;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A connection's hold on its client's session, which the next connection of that client takes. In
 * the same process it is told at once; in another, it finds another's mark on the session when it
 * has to connect to an instance again. Confined to its event loop.
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
   * Claims the session, if there is one: whoever holds it in this process is told.
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

  /** What the holder of a session writes there. */
  byte[] mark() {
    return mark;
  }

  /** The session is this connection's. */
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
   * A new connection may have taken the session back from whoever goes on with it.
   *
   * @param fresh whether it has begun a session of its own instead
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
