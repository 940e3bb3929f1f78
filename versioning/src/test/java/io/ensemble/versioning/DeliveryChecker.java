package io.ensemble.versioning;

import io.ensemble.versioning.listen.MissedVersions;
import io.ensemble.versioning.listen.NewVersion;
import io.ensemble.versioning.listen.VersionListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Records the deliveries of successive subscriptions from the beginning on. Finds versions that are
 * delivered twice, skipped or out of order.
 */
final class DeliveryChecker implements VersionListener<String, String, Long> {

  private final Map<String, List<Optional<NewVersion<String, String, Long>>>> told =
      new HashMap<>();
  private final List<String> faults = new ArrayList<>();

  @Override
  public synchronized void added(NewVersion<String, String, Long> version) {
    check(version.key(), version.sequence());
    told.get(version.key()).add(Optional.of(version));
  }

  @Override
  public synchronized void missed(MissedVersions<String, Long> missedVersions) {
    if (missedVersions instanceof MissedVersions.Gone<String, Long> gone) {
      check(gone.key(), gone.first());
      for (long i = gone.first(); i <= gone.last(); i++) {
        told.get(gone.key()).add(Optional.empty());
      }
    } else {
      faults.add(missedVersions.toString());
    }
  }

  private void check(String key, long sequence) {
    int due = told.computeIfAbsent(key, k -> new ArrayList<>()).size() + 1;
    if (sequence != due) {
      faults.add(key + ": " + due + " was due; told " + sequence);
    }
  }

  /** How many versions were delivered, or reported as gone. */
  synchronized int count() {
    return told.values().stream().mapToInt(List::size).sum();
  }

  /** The deliveries in order; empty for versions that are gone. */
  synchronized List<Optional<NewVersion<String, String, Long>>> told(String key) {
    return List.copyOf(told.getOrDefault(key, List.of()));
  }

  synchronized List<String> faults() {
    return List.copyOf(faults);
  }
}
