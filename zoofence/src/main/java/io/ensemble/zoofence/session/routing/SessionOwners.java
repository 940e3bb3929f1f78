package io.ensemble.zoofence.session.routing;

import java.security.MessageDigest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The owners of the sessions of a process's clients; the owner of a session is the connection that
 * requested it last. A connection that has lost its session would otherwise keep it, and take it
 * back whenever an instance gives it to the other connection. Thread-safe.
 */
public final class SessionOwners {
  private record Held(byte[] password, Runnable lost) {}

  private final Map<Long, Held> owners = new ConcurrentHashMap<>();

  /** Informs the present owner that it has lost the session, if the claimant has the password. */
  public void claim(long session, byte[] password) {
    Held owner = owners.get(session);
    if (owner != null
        && MessageDigest.isEqual(owner.password(), password)
        && owners.remove(session, owner)) {
      owner.lost().run();
    }
  }

  /**
   * Makes a connection the owner of a session.
   *
   * @param lost is run when another connection claims the session or becomes its owner, on the
   *     thread of that connection
   */
  public void register(long session, byte[] password, Runnable lost) {
    Held previous = owners.put(session, new Held(password, lost));
    if (previous != null && previous.lost() != lost) {
      previous.lost().run();
    }
  }

  /** Releases the ownership, unless another connection is the owner by now. */
  public void unregister(long session, Runnable lost) {
    owners.computeIfPresent(session, (key, owner) -> owner.lost() == lost ? null : owner);
  }
}
