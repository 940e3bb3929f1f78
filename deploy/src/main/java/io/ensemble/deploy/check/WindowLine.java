package io.ensemble.deploy.check;

import io.ensemble.DoubtfulWrites;
import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client process notes beside its part of the history where the primary alone acknowledges:
 * a write that it was told is done, or a report of writes in doubt. One of the two is null.
 */
record WindowLine(@Nullable Done done, @Nullable Report report) {

  /**
   * A write that was acknowledged and changed its key.
   *
   * @param client whose operation it is in the history
   * @param callNanos when that was called; a client has one operation at a time
   */
  record Done(long client, long callNanos, Place place) {}

  /**
   * What {@link DoubtfulWrites} says.
   *
   * @param process the number of the process that was told
   * @param atNanos when, on the history's clock
   */
  record Report(int process, long atNanos, long epoch, Fate fate, List<Place> writes) {

    /** As it was reported. */
    DoubtfulWrites<String> asTold() {
      return new DoubtfulWrites<>(
          "",
          epoch,
          fate,
          writes.stream().map(w -> new DoubtfulWrites.Write<>(w.key, w.stamp())).toList());
    }
  }

  /** A write's stamp, as plain numbers. */
  record Place(String key, long micros, long high, long low) {

    static Place of(String key, Stamp stamp) {
      return new Place(key, stamp.micros(), stamp.writer().high(), stamp.writer().low());
    }

    Stamp stamp() {
      return new Stamp(micros, new WriterId(high, low));
    }
  }

  static WindowLine of(int process, long atNanos, DoubtfulWrites<String> told) {
    return new WindowLine(
        null,
        new Report(
            process,
            atNanos,
            told.epoch(),
            told.fate(),
            told.writes().stream().map(w -> Place.of(w.key(), w.stamp())).toList()));
  }
}
