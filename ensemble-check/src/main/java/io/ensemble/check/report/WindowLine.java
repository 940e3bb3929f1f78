package io.ensemble.check.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A note on a history of a cache whose primary alone acknowledges. It is one of these: the bounds,
 * a write that was acknowledged to its caller, a report of writes in doubt, or the end of an epoch.
 * The other fields are null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WindowLine(
    @Nullable Bounds bounds,
    @Nullable AcknowledgedWrite done,
    @Nullable Report report,
    @Nullable Epoch epoch) {

  /**
   * The bounds by which the history is judged.
   *
   * @param writes the maximum number of writes that a process may have in doubt when an epoch ends
   * @param longestNanos the maximum time for which a write of unknown outcome may have been under
   *     way
   */
  public record Bounds(int writes, long longestNanos) {}

  /**
   * An epoch that was seen at the second moment and not at the first, both on the history's clock.
   *
   * @param number the number of the later epoch
   */
  public record Epoch(long number, long beforeNanos, long nowNanos) {}

  /**
   * A write that was acknowledged and changed its key.
   *
   * @param client the client of the operation in the history
   * @param callNanos the time of its call; a client has one operation at a time
   */
  public record AcknowledgedWrite(long client, long callNanos, WriteStamp place) {}

  /**
   * The content of an {@link InDoubtWrites}.
   *
   * @param process the number of the process that received the report
   * @param atNanos the time of the report, on the history's clock
   */
  public record Report(int process, long atNanos, long epoch, Fate fate, List<WriteStamp> writes) {

    /** As it was reported. */
    InDoubtWrites<String> toInDoubtWrites() {
      return new InDoubtWrites<>(
          "",
          epoch,
          fate,
          writes.stream().map(w -> new InDoubtWrites.Write<>(w.key, w.stamp())).toList());
    }
  }

  /** A write's stamp, as plain numbers. */
  public record WriteStamp(String key, long micros, long high, long low) {

    static WriteStamp of(String key, Stamp stamp) {
      return new WriteStamp(key, stamp.micros(), stamp.writer().high(), stamp.writer().low());
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

  public static WindowLine of(AcknowledgedWrite done) {
    return new WindowLine(null, done, null, null);
  }

  public static WindowLine of(int process, long atNanos, InDoubtWrites<String> inDoubtWrites) {
    return new WindowLine(
        null,
        null,
        new Report(
            process,
            atNanos,
            inDoubtWrites.epoch(),
            inDoubtWrites.fate(),
            inDoubtWrites.writes().stream().map(w -> WriteStamp.of(w.key(), w.stamp())).toList()),
        null);
  }
}
