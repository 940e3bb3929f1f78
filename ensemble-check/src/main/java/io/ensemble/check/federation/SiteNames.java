package io.ensemble.check.federation;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.util.List;

/** The names of embedded sites. */
public final class SiteNames {

  private static final List<String> NAMES =
      List.of("lyon", "oslo", "rome", "bern", "cork", "gent", "kyiv", "lima", "pisa");

  private SiteNames() {}

  /**
   * The first {@code count} names.
   *
   * @throws CommandException if there are fewer
   */
  public static List<String> first(int count) {
    if (count < 1 || count > NAMES.size()) {
      throw new CommandException(
          ExitCode.USAGE, "--sites must be in [1, " + NAMES.size() + "]; got " + count);
    }
    return NAMES.subList(0, count);
  }
}
