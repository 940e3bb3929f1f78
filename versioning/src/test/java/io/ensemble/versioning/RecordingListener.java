package io.ensemble.versioning;

import io.ensemble.versioning.listen.MissedVersions;
import io.ensemble.versioning.listen.NewVersion;
import io.ensemble.versioning.listen.VersionListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Records deliveries as texts: {@code key 3=value}, with the sequence number. */
final class RecordingListener implements VersionListener<String, String, Long> {

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final Consumer<NewVersion<String, String, Long>> before;

  RecordingListener() {
    this(version -> {});
  }

  /** Records each version after {@code before} has returned for it. */
  RecordingListener(Consumer<NewVersion<String, String, Long>> before) {
    this.before = before;
  }

  @Override
  public void added(NewVersion<String, String, Long> version) {
    before.accept(version);
    told.add(version.key() + " " + version.sequence() + "=" + version.value().orElse("-"));
  }

  @Override
  public void missed(MissedVersions<String, Long> missedVersions) {
    told.add(
        missedVersions instanceof MissedVersions.Gone<String, Long> gone
            ? gone.key() + " " + gone.first() + "-" + gone.last() + " gone"
            : missedVersions.key() + " another history");
  }

  String next() {
    return next(1).get(0);
  }

  /** Waits for {@code count} deliveries. */
  List<String> next(int count) {
    List<String> all = new ArrayList<>();
    try {
      while (all.size() < count) {
        String one = told.poll(30, TimeUnit.SECONDS);
        if (one == null) {
          throw new AssertionError(count + " were to be told; only these were: " + all);
        }
        all.add(one);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return all;
  }

  /** The deliveries so far that were not yet returned. */
  List<String> rest() {
    List<String> all = new ArrayList<>();
    told.drainTo(all);
    return all;
  }
}
