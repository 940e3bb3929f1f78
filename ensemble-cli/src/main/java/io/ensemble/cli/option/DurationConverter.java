package io.ensemble.cli.option;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations: a number and its unit. */
public final class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern FORM = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

  @Override
  public Duration convert(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new TypeConversionException(
          "requires an integer and its unit, such as 500ms, 10s, 5m, 2h or 1d; got '" + text + "'");
    }
    return unit(form.group(2)).multipliedBy(Long.parseLong(form.group(1)));
  }

  private static Duration unit(String name) {
    return switch (name) {
      case "ms" -> Duration.ofMillis(1);
      case "s" -> Duration.ofSeconds(1);
      case "m" -> Duration.ofMinutes(1);
      case "h" -> Duration.ofHours(1);
      default -> Duration.ofDays(1);
    };
  }
}
