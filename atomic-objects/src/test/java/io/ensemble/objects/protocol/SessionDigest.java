package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Two sessions with the same digest behave alike. The digest covers their whole state. Numbers that
 * matter only in comparisons are replaced by the result of the comparison; the lengths of pauses
 * are left out.
 */
final class SessionDigest {

  private static final long FAR = 10_000_000_000L;

  private static final ClassValue<Map<String, Field>> FIELDS =
      new ClassValue<>() {
        @Override
        protected Map<String, Field> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private SessionDigest() {}

  static String of(SessionProtocol sessionProtocol, long now) {
    StringBuilder out = new StringBuilder();

    RootView sight = (RootView) value(sessionProtocol, "rootView");
    SessionTiming pace = (SessionTiming) value(sessionProtocol, "sessionTiming");
    out.append(sight.requests - sight.evidence)
        .append(sight.stale)
        .append(sight.root)
        .append(sight.token);
    append(out, value(sight, "latest"));
    Object looks = value(sessionProtocol, "parallelLooks");
    for (Object sent : ((Map<?, ?>) value(looks, "outstanding")).entrySet()) {
      Map.Entry<?, ?> look = (Map.Entry<?, ?>) sent;
      out.append((long) look.getKey() - sight.evidence).append(now - (long) look.getValue() > FAR);
    }
    out.append(number(looks, "latest") - sight.evidence)
        .append(number(sessionProtocol, "outstandingNumber") - sight.evidence)
        .append(number(sight, "latestRequests") - sight.evidence);
    append(out, Math.min(2, (int) value(sight, "earlierReads"))); // More make no difference.
    out.append(sight.refresh).append(now - sight.at > FAR);
    out.append(sight.told == null ? null : sight.told.root())
        .append(sight.told == null ? null : sight.told.token())
        .append(pace.tokenBy() > now);
    append(out, value(value(sessionProtocol, "postedBatches"), "senders"));
    append(out, value(value(sessionProtocol, "postedBatches"), "batches"));
    long step = sight.root == null ? 0 : sight.root.sequence();
    out.append(Math.min(32, step - number(value(sessionProtocol, "postedBatches"), "lookedAt")))
        .append(
            Math.min(
                32, step - number(value(sessionProtocol, "postedBatches"), "lookedIntoSharedAt")));
    append(out, value(value(sessionProtocol, "postedBatches"), "turn"));
    append(out, value(sight, "snapshotName"));
    out.append(pace.pollAt() > now).append(pace.isTired(now));
    append(out, value(pace, "losses"));
    out.append(pace.hasHints())
        .append(sight.sought)
        .append(pace.isTold(now))
        .append(pace.isLosing())
        .append(pace.isTold())
        .append(pace.notBefore() > now);
    out.append(pace.ownCallBy() > now);
    for (String name :
        List.of(
            "wasOnDuty",
            "proposedItself",
            "closing",
            "mailbox",
            "usedSharedMailbox",
            "end",
            "outstanding")) {
      append(out, value(sessionProtocol, name));
    }
    for (Object read : (Collection<?>) value(value(sessionProtocol, "reads"), "waiting")) {
      out.append(value(read, "id")).append(value(read, "call"));
      out.append((long) value(read, "arrived") - sight.evidence);
    }
    append(out, value(value(sessionProtocol, "reads"), "view"));
    Object pending = value(sessionProtocol, "pendingCalls");
    append(out, value(pending, "queue"));
    append(out, value(pending, "number"));
    PendingCalls.Own own = (PendingCalls.Own) value(pending, "own");
    if (own != null) {
      out.append(own.batch).append(own.ids).append(own.sent).append(own.posted);
      out.append(own.patienceEnds > now).append(own.helpBy > now).append(own.denseLooks);
      out.append(own.isOverlooked);
    }
    Object proposer = value(sessionProtocol, "proposer");
    append(out, value(proposer, "work"));
    Object saving = value(proposer, "snapshotWriter");
    append(out, value(saving, "written"));
    append(out, value(saving, "failures"));
    append(out, value(saving, "triedAt"));
    append(out, value(saving, "notBefore"));
    Object missed = value(value(sessionProtocol, "storeResponseHandler"), "missingSnapshot");
    append(out, value(missed, "snapshot"));
    append(out, value(missed, "wanted"));
    append(out, value(missed, "times"));
    out.append(now - number(missed, "since") > FAR);
    append(out, value(proposer, "proposed"));
    return out.toString();
  }

  /** The number of requests that a session has sent. */
  static long requests(SessionProtocol sessionProtocol) {
    return ((RootView) value(sessionProtocol, "rootView")).requests;
  }

  private static void append(StringBuilder out, Object value) {
    if (value == null
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof UUID
        || value instanceof ByteString
        || value instanceof Record
        || value instanceof Optional
        || value instanceof CharSequence) {
      out.append(value).append(';');
    } else if (value instanceof Map<?, ?> map) {
      append(out, new ArrayList<>(map.entrySet()));
    } else if (value instanceof Collection<?> all) {
      all.forEach(one -> append(out, one));
    } else if (value instanceof ObjectReplica) {
      append(out, value(value, "state"));
      append(out, value(value, "position"));
      ObjectRoot at = (ObjectRoot) value(value, "at");
      if (at != null) {
        out.append(at.sequence()).append(at.body()).append(at.announced());
      }
    } else {
      out.append(value);
    }
  }

  private static long number(Object of, String name) {
    return (long) value(of, name);
  }

  private static Object value(Object of, String name) {
    try {
      return FIELDS.get(of.getClass()).computeIfAbsent(name, n -> field(of.getClass(), n)).get(of);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private static Field field(Class<?> type, String name) {
    try {
      Field field = type.getDeclaredField(name);
      if (Modifier.isStatic(field.getModifiers())) {
        throw new AssertionError(name);
      }
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw new AssertionError(e);
    }
  }
}
