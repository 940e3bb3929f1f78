package io.ensemble.check.doctor;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a node, read from a response of its REST interface: the header {@code Date}, which
 * Infinispan 16.0.7 does not send but a proxy may, or the first line of a thread dump.
 */
public final class NodeClock {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final DateTimeFormatter DUMP = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");
  private static final int DUMP_LENGTH = 19;

  private NodeClock() {}

  /**
   * The clock by the header {@code Date}.
   *
   * @param date null without the header
   * @param asked when the node was asked, in milliseconds since 1970 by this machine's clock
   * @param answered when its answer was complete
   * @return empty without the header, or if it is malformed
   */
  public static Optional<ClockReading> inDate(
      String subject, @Nullable String date, long asked, long answered) {
    if (date == null) {
      return Optional.empty();
    }
    try {
      ZonedDateTime time = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME);
      return Optional.of(reading(subject, time, asked, answered));
    } catch (DateTimeException malformed) {
      return Optional.empty();
    }
  }

  /**
   * The clock by the first line of a thread dump, such as {@code 2026-11-27 16:34:45}.
   *
   * @param zone the time zone of the node
   * @return empty if the dump does not begin so, or the zone is unknown here
   */
  public static Optional<ClockReading> inThreadDump(
      String subject, String dump, String zone, long asked, long answered) {
    if (dump.length() < DUMP_LENGTH) {
      return Optional.empty();
    }
    try {
      LocalDateTime time = LocalDateTime.parse(dump.substring(0, DUMP_LENGTH), DUMP);
      return Optional.of(reading(subject, time.atZone(ZoneId.of(zone)), asked, answered));
    } catch (DateTimeException malformed) {
      return Optional.empty();
    }
  }

  private static ClockReading reading(
      String subject, ZonedDateTime time, long asked, long answered) {
    return ClockReading.of(subject, time.toInstant().toEpochMilli(), SECOND, asked, answered);
  }
}
