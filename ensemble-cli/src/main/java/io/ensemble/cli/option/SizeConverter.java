package io.ensemble.cli.option;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses sizes in bytes: a number and its unit, or 0. */
public final class SizeConverter implements ITypeConverter<Long> {

  private static final Pattern FORM = Pattern.compile("(\\d{1,6})(MB|GB)");

  @Override
  public Long convert(String text) {
    if (text.equals("0")) {
      return 0L;
    }
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new TypeConversionException(
          "requires an integer and its unit, such as 256MB or 1GB, or 0; got '" + text + "'");
    }
    return Long.parseLong(form.group(1)) << (form.group(2).equals("MB") ? 20 : 30);
  }
}
