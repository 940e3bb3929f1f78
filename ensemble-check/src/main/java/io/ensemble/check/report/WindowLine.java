package io.ensemble.check.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is noted beside a history where the primary alone acknowledges: the bounds, a write whose
 * caller was told that it is done, a report of writes in doubt, or the end of an epoch. All but one
 * are null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WindowLine(
    @Nullable Bounds bounds, @Nullable Done done, @Nullable Report report, @Nullable Epoch epoch) {

  /**
   * What the history is judged by.
   *
   * @param writes how many writes a process may have in doubt when an epoch ends
   * @param longestNanos how long a write of unknown outcome may have been under way
   */
  public record Bounds(int writes, long longestNanos) {}

  /**
   * An epoch was there at the second moment and not at the first, both on the history's clock.
   *
   * @param number of the later epoch
   */
  public record Epoch(long number, long beforeNanos, long nowNanos) {}

  /**
   * A write that was acknowledged and changed its key.
   *
   * @param client whose operation it is in the history
   * @param callNanos when that was called; a client has one operation at a time
   */
  public record Done(long client, long callNanos, Place place) {}

  /**
   * What {@link InDoubtWrites} says.
   *
   * @param process the number of the process that was told
   * @param atNanos when, on the history's clock
   */
  public record Report(int process, long atNanos, long epoch, Fate fate, List<Place> writes) {

    /** As it was reported. */
    InDoubtWrites<String> asTold() {
      return new InDoubtWrites<>(
          "",
          epoch,
          fate,
          writes.stream().map(w -> new InDoubtWrites.Write<>(w.key, w.stamp())).toList());
    }
  }

  /** A write's stamp, as plain numbers. */
  public record Place(String key, long micros, long high, long low) {

    static Place of(String key, Stamp stamp) {
      return new Place(key, stamp.micros(), stamp.writer().high(), stamp.writer().low());
    }

    Stamp stamp() {
      return new Stamp(micros, new WriterId(high, low));
    }
  }

  public static WindowLine of(Bounds bounds) {
    return new WindowLine(bounds, null, null, null);
  }

  public static WindowLine of(Epoch epoch) {
    return new WindowLine(null, null, null, epoch);
  }

  public static WindowLine of(Done done) {
    return new WindowLine(null, done, null, null);
  }

  public static WindowLine of(int process, long atNanos, InDoubtWrites<String> told) {
    return new WindowLine(
        null,
        null,
        new Report(
            process,
            atNanos,
            told.epoch(),
            told.fate(),
            told.writes().stream().map(w -> Place.of(w.key(), w.stamp())).toList()),
        null);
  }
}
