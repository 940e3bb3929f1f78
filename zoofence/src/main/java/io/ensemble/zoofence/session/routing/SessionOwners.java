package io.ensemble.zoofence.session.routing;

import java.security.MessageDigest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the sessions of a process' clients are: each at the connection that asked for it last. A
 * connection that has lost its session would otherwise hold on to it, and take it back whenever an
 * instance gives it to the other. Thread-safe.
 */
public final class SessionOwners {
  private record Held(byte[] password, Runnable lost) {}

  private final Map<Long, Held> taken = new ConcurrentHashMap<>();

  /** Whoever is there leaves, if the claimant knows the password. */
  public void claim(long session, byte[] password) {
    Held held = taken.get(session);
    if (held != null
        && MessageDigest.isEqual(held.password(), password)
        && taken.remove(session, held)) {
      held.lost().run();
    }
  }

  /**
   * Takes a session's seat.
   *
   * @param lost is run when another connection claims the session or takes the seat, on its thread
   */
  public void take(long session, byte[] password, Runnable lost) {
    Held before = taken.put(session, new Held(password, lost));
    if (before != null && before.lost() != lost) {
      before.lost().run();
    }
  }

  /** Leaves the seat, unless another connection has it by now. */
  public void leave(long session, Runnable lost) {
    taken.computeIfPresent(session, (key, held) -> held.lost() == lost ? null : held);
  }
}
