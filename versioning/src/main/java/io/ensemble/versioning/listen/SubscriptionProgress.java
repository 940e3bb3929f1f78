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
 * The keys of a subscription, the position of each, and the keys that are due to be read. It has as
 * many entries as there are keys, however many versions and events arrive. Thread-safe.
 */
final class SubscriptionProgress {

  private final Predicate<String> isSelected;
  private final Map<String, KeyPosition> positions = new HashMap<>();

  /** Keys of a start position that are not selected now: they remain in the position. */
  private final Map<String, KeyPosition> others = new HashMap<>();

  /** Keys to be read, in the order of their turns. */
  private final Set<String> due = new LinkedHashSet<>();

  /** Keys to be read after a pause. */
  private final Set<String> later = new LinkedHashSet<>();

  /** The state of a key's entry before a read that has not found all versions yet. */
  private final Map<String, Optional<Stamp>> seen = new HashMap<>();

  /** The state of a key's entry before a read that has found all versions. */
  private final Map<String, Optional<Stamp>> deliveredStamps = new HashMap<>();

  /**
   * Without keys.
   *
   * @param isSelected tests whether a name is that of a selected key
   */
  SubscriptionProgress(Predicate<String> isSelected) {
    this.isSelected = isSelected;
  }

  /** Adopts a start position. All its selected keys are due. */
  synchronized void take(Map<String, KeyPosition> position) {
    position.forEach(
        (name, keyPosition) -> {
          if (isSelected.test(name)) {
            begin(name, keyPosition);
            due.add(name);
          } else {
            others.put(name, keyPosition);
          }
        });
  }

  /** Sets the position of a key. */
  synchronized void begin(String name, KeyPosition keyPosition) {
    positions.put(name, keyPosition);
  }

  /**
   * A key may have changed.
   *
   * @return whether it has become due now; never for a key that is not selected
   */
  synchronized boolean hint(String name) {
    if (!isSelected.test(name)) {
      return false;
    }
    positions.putIfAbsent(name, KeyPosition.NONE);
    return due.add(name);
  }

  /** A key exists; it is due if it is new. */
  synchronized void found(String name) {
    if (!positions.containsKey(name)) {
      hint(name);
    }
  }

  synchronized List<String> names() {
    return new ArrayList<>(positions.keySet());
  }

  /** The next key that is due; null if there is none. */
  synchronized @Nullable String next() {
    if (due.isEmpty()) {
      return null;
    }
    String name = due.iterator().next();
    due.remove(name);
    return name;
  }

  synchronized KeyPosition position(String name) {
    return positions.getOrDefault(name, KeyPosition.NONE);
  }

  /** The key was delivered up to this position. */
  synchronized void delivered(String name, KeyPosition keyPosition) {
    positions.put(name, keyPosition);
  }

  /**
   * A key's entry was read: the key is due if the entry differs from the one that was completely
   * delivered.
   */
  synchronized boolean read(String name, Optional<Stamp> stamp) {
    if (stamp.equals(deliveredStamps.get(name))) {
      return false;
    }
    seen.put(name, stamp);
    due.add(name);
    return true;
  }

  /**
   * The last state of a key's entry that was read, unless all versions were delivered since;
   * otherwise null.
   */
  synchronized @Nullable Optional<Stamp> seen(String name) {
    return seen.get(name);
  }

  /**
   * The versions that a read found were delivered.
   *
   * @param before the result of {@link #seen} before the read
   * @param more whether another read must follow, after those of other keys
   */
  synchronized void pageDelivered(String name, @Nullable Optional<Stamp> before, boolean more) {
    if (more) {
      due.add(name);
    } else if (before != null) {
      deliveredStamps.put(name, before);
      seen.remove(name, before);
    }
  }

  /**
   * A read has failed.
   *
   * @return whether it is the first of those that {@link #retryFailed} makes due
   */
  synchronized boolean failed(String name) {
    later.add(name);
    return later.size() == 1;
  }

  /** Makes the keys due whose reads failed. */
  synchronized void retryFailed() {
    due.addAll(later);
    later.clear();
  }

  synchronized Map<String, KeyPosition> position() {
    Map<String, KeyPosition> all = new HashMap<>(others);
    all.putAll(positions);
    return all;
  }
}
