package io.ensemble.check.znodes;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks what one session has seen of znodes: it never goes back, and a session sees its own
 * changes. A session sees one path at one instance only, whose zxids grow. Not thread-safe.
 */
final class SessionGuaranteeCheck {

  /** The last seen state of a znode: its creation and last change, by zxid. */
  private record SeenState(long created, long changed, boolean gone) {}

  private final Map<String, SeenState> seen = new HashMap<>();

  /**
   * The znode was there.
   *
   * @param created the zxid that created it
   * @param changed the zxid that changed it last
   * @return the violation; null for none
   */
  @Nullable String recordPresent(String path, long created, long changed) {
    SeenState before = seen.get(path);
    if (before != null && changed < before.changed()) {
      return "%s went back in time within a session, to zxid %d from %d"
          .formatted(path, changed, before.changed());
    }
    if (before != null && before.gone() && created <= before.created()) {
      return "%s was deleted within a session, and reappeared unchanged, created by zxid %d"
          .formatted(path, created);
    }
    seen.put(path, new SeenState(created, changed, false));
    return null;
  }

  /** The znode was not there. */
  void recordAbsent(String path) {
    SeenState before = seen.get(path);
    if (before != null) {
      seen.put(path, new SeenState(before.created(), before.changed(), true));
    }
  }

  /** Another session begins. */
  void forget() {
    seen.clear();
  }
}
