package io.ensemble.cli.option;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses bits per second: a number and its unit, or 0 for no limit. */
public final class BandwidthConverter implements ITypeConverter<Long> {

  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(kbit|mbit|gbit)");

  @Override
  public Long convert(String text) {
    if (text.equals("0")) {
      return 0L;
    }
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new TypeConversionException(
          "requires an integer and its unit, such as 500kbit, 10mbit or 1gbit; got '" + text + "'");
    }
    long unit =
        switch (form.group(2)) {
          case "kbit" -> 1_000L;
          case "mbit" -> 1_000_000L;
          default -> 1_000_000_000L;
        };
    return unit * Long.parseLong(form.group(1));
  }
}
