package io.ensemble.rest.resource;

import io.ensemble.rest.http.Problem;
import io.ensemble.versioning.order.HybridTime;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Versions as addresses and answers have them: milliseconds since 1970, a dot, and a count. */
final class VersionText {

  private static final Pattern VERSION = Pattern.compile("([0-9]{1,19})(?:\\.([0-9]{1,10}))?");

  /** The end of the year 9999. */
  private static final long LARGEST_MILLIS = 253_402_300_799_999L;

  private VersionText() {}

  static String of(HybridTime version) {
    return version.millis() + "." + version.count();
  }

  /**
   * A version that a client chooses: one above which there is room for those of the service.
   *
   * @throws io.ensemble.rest.http.ProblemException if it is none
   */
  static HybridTime chosen(String field, String text) {
    HybridTime version = parse(field, text);
    if (version.millis() > LARGEST_MILLIS) {
      throw Problem.invalid(field, "at most %d milliseconds".formatted(LARGEST_MILLIS), text);
    }
    return version;
  }

  /**
   * A version, or a moment by the calendar.
   *
   * @throws io.ensemble.rest.http.ProblemException if it is neither
   */
  static HybridTime parse(String field, String text) {
    try {
      Matcher version = VERSION.matcher(text);
      if (version.matches()) {
        int count = version.group(2) == null ? 0 : Integer.parseInt(version.group(2));
        return new HybridTime(Long.parseLong(version.group(1)), count);
      }
      return HybridTime.at(Instant.parse(text));
    } catch (DateTimeException | IllegalArgumentException | ArithmeticException e) {
      throw Problem.invalid(
          field, "milliseconds since 1970, a dot and a count, or a moment in ISO 8601", text);
    }
  }
}
