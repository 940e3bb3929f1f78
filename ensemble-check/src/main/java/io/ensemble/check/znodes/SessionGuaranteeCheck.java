package io.ensemble.check.znodes;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one session has seen of znodes: it never goes back, and a session sees its own changes. Of
 * one path all is seen at one instance, whose zxids grow. Not thread-safe.
 */
final class SessionGuaranteeCheck {

  /** What was seen of a znode last: when it was made and changed, by zxid. */
  private record Seen(long created, long changed, boolean gone) {}

  private final Map<String, Seen> seen = new HashMap<>();

  /**
   * It was there.
   *
   * @param created the zxid that made it
   * @param changed the zxid that changed it last
   * @return what is wrong with that; null for nothing
   */
  @Nullable String there(String path, long created, long changed) {
    Seen before = seen.get(path);
    if (before != null && changed < before.changed()) {
      return "%s went back for its session, to zxid %d from %d"
          .formatted(path, changed, before.changed());
    }
    if (before != null && before.gone() && created <= before.created()) {
      return "%s was gone for its session, and came back as it was, made by zxid %d"
          .formatted(path, created);
    }
    seen.put(path, new Seen(created, changed, false));
    return null;
  }

  /** It was not there. */
  void gone(String path) {
    Seen before = seen.get(path);
    if (before != null) {
      seen.put(path, new Seen(before.created(), before.changed(), true));
    }
  }

  /** Another session begins. */
  void forget() {
    seen.clear();
  }
}
