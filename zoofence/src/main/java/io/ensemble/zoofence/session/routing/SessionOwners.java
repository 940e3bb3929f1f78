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

  private final Map<Long, Held> taken = new ConcurrentHashMap<>();

  /** Informs the present owner that it has lost the session, if the claimant has the password. */
  public void claim(long session, byte[] password) {
    Held held = taken.get(session);
    if (held != null
        && MessageDigest.isEqual(held.password(), password)
        && taken.remove(session, held)) {
      held.lost().run();
    }
  }

  /**
   * Makes a connection the owner of a session.
   *
   * @param lost is run when another connection claims the session or becomes its owner, on the
   *     thread of that connection
   */
  public void take(long session, byte[] password, Runnable lost) {
    Held before = taken.put(session, new Held(password, lost));
    if (before != null && before.lost() != lost) {
      before.lost().run();
    }
  }

  /** Releases the ownership, unless another connection is the owner by now. */
  public void leave(long session, Runnable lost) {
    taken.computeIfPresent(session, (key, held) -> held.lost() == lost ? null : held);
  }
}
