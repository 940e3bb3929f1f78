package io.ensemble.rest.resource.object;

import io.ensemble.rest.http.Problem;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Versions in addresses and responses: milliseconds since 1970, a dot, and a count. */
public final class VersionText {

  private static final Pattern VERSION = Pattern.compile("([0-9]{1,19})(?:\\.([0-9]{1,10}))?");

  /** The clock by which the service rejects versions, as the caches that it opens do. */
  private static final HybridTimes TIMES = new HybridTimes();

  private VersionText() {}

  public static String of(HybridTime version) {
    return version.millis() + "." + version.count();
  }

  /**
   * A version, or a moment, chosen by a client for a write or a read as of it. The version must not
   * be too far ahead of the service's clock.
   *
   * @throws io.ensemble.rest.http.ProblemException if the text is not a version, or is too far
   *     ahead
   */
  static HybridTime parseChosen(String field, String text) {
    HybridTime version = parse(field, text);
    if (TIMES.isTooFarAhead(version)) {
      throw Problem.invalid(
          field,
          "a version at most %d s ahead of the clock of the service"
              .formatted(HybridTimes.MAX_CLOCK_SKEW.toSeconds()),
          text);
    }
    return version;
  }

  /**
   * A version, or a moment by the calendar.
   *
   * @throws io.ensemble.rest.http.ProblemException if the text is neither
   */
  public static HybridTime parse(String field, String text) {
    try {
      Matcher version = VERSION.matcher(text);
      if (version.matches()) {
        int count = version.group(2) == null ? 0 : Integer.parseInt(version.group(2));
        return new HybridTime(Long.parseLong(version.group(1)), count);
      }
      return HybridTime.at(Instant.parse(text));
    } catch (DateTimeException | IllegalArgumentException | ArithmeticException e) {
      throw Problem.invalid(
          field, "milliseconds since 1970, a dot and a count, or a time in ISO 8601", text);
    }
  }
}
