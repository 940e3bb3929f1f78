package io.ensemble.versioning.listen;

import io.ensemble.versioning.drive.VersionFeed.Stamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which keys are listened to, how far each was told, and which are to be looked at. It has as many
 * entries as there are keys, however many versions and events come. Thread-safe.
 */
final class SubscriptionProgress {

  private final Predicate<String> listened;
  private final Map<String, KeyPosition> marks = new HashMap<>();

  /** Keys that a position knew, and nobody listens to now: they stay in it. */
  private final Map<String, KeyPosition> others = new HashMap<>();

  /** In the order in which their turns come. */
  private final Set<String> due = new LinkedHashSet<>();

  /** To be looked at after a pause. */
  private final Set<String> later = new LinkedHashSet<>();

  /** As which the entry was read before a look that has not found all yet. */
  private final Map<String, Optional<Stamp>> seen = new HashMap<>();

  /** As which it was read before a look that has. */
  private final Map<String, Optional<Stamp>> told = new HashMap<>();

  /**
   * Of no key yet.
   *
   * @param listened which names are those of keys that are listened to
   */
  SubscriptionProgress(Predicate<String> listened) {
    this.listened = listened;
  }

  /** Takes over how far somebody had come. All that is new to this is to be looked at. */
  synchronized void take(Map<String, KeyPosition> position) {
    position.forEach(
        (name, keyPosition) -> {
          if (listened.test(name)) {
            begin(name, keyPosition);
            due.add(name);
          } else {
            others.put(name, keyPosition);
          }
        });
  }

  /** A key is told from there on. */
  synchronized void begin(String name, KeyPosition keyPosition) {
    marks.put(name, keyPosition);
  }

  /**
   * A key may have changed.
   *
   * @return whether it is due now and was not; never if nobody listens to it
   */
  synchronized boolean hint(String name) {
    if (!listened.test(name)) {
      return false;
    }
    marks.putIfAbsent(name, KeyPosition.NONE);
    return due.add(name);
  }

  /** A key is there; it is to be looked at if it is new to this. */
  synchronized void found(String name) {
    if (!marks.containsKey(name)) {
      hint(name);
    }
  }

  synchronized List<String> names() {
    return new ArrayList<>(marks.keySet());
  }

  /** The key whose turn it is; null if none is to be looked at. */
  synchronized @Nullable String next() {
    if (due.isEmpty()) {
      return null;
    }
    String name = due.iterator().next();
    due.remove(name);
    return name;
  }

  synchronized KeyPosition mark(String name) {
    return marks.getOrDefault(name, KeyPosition.NONE);
  }

  /** What was told of a key has come so far. */
  synchronized void told(String name, KeyPosition keyPosition) {
    marks.put(name, keyPosition);
  }

  /** A key's entry was read: it is to be looked at if it was another one when all was told. */
  synchronized boolean read(String name, Optional<Stamp> stamp) {
    if (stamp.equals(told.get(name))) {
      return false;
    }
    seen.put(name, stamp);
    due.add(name);
    return true;
  }

  /** As which a key's entry was read last, unless all was told since; null if it was not. */
  synchronized @Nullable Optional<Stamp> seen(String name) {
    return seen.get(name);
  }

  /**
   * What a look found was told.
   *
   * @param before what {@link #seen} was before the look
   * @param more whether another look is to follow, after those of other keys
   */
  synchronized void looked(String name, @Nullable Optional<Stamp> before, boolean more) {
    if (more) {
      due.add(name);
    } else if (before != null) {
      told.put(name, before);
      seen.remove(name, before);
    }
  }

  /**
   * A look has failed.
   *
   * @return whether it is the first of those that {@link #again} takes
   */
  synchronized boolean failed(String name) {
    later.add(name);
    return later.size() == 1;
  }

  /** Those that have failed are to be looked at again. */
  synchronized void again() {
    due.addAll(later);
    later.clear();
  }

  synchronized Map<String, KeyPosition> position() {
    Map<String, KeyPosition> all = new HashMap<>(others);
    all.putAll(marks);
    return all;
  }
}
