package io.ensemble.testkit.plot;

import java.util.List;
import java.util.Locale;

/** What pictures have in common: the beginning, text, marks of an axis, and the legend. */
public final class Svg {

  /** The height of a line of the legend, in pixels. */
  public static final int LEGEND_LINE = 18;

  private Svg() {}

  /** The beginning of a picture of that size in pixels; it ends with {@code </svg>}. */
  public static String begin(int width, int height) {
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" font-family="sans-serif" font-size="12">
    <rect width="%1$d" height="%2$d" fill="white"/>
    """
        .formatted(width, height);
  }

  /** A horizontal line at {@code y}, with {@code number} to the left of it. */
  public static String horizontalMark(int left, int right, double y, String number) {
    return String.format(
        Locale.ROOT,
        "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
            + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
        left,
        right,
        y,
        y,
        left - 6,
        y + 4,
        number);
  }

  /** The names of curves, one below the other, in their colours. */
  public static String legend(int left, int top, List<String> names, List<String> colours) {
    StringBuilder legend = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      legend.append(
          "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n"
              .formatted(
                  left,
                  top + LEGEND_LINE * (i + 1),
                  colours.get(i % colours.size()),
                  text(names.get(i))));
    }
    return legend.toString();
  }

  /** Escapes text for XML and HTML. */
  public static String text(String plain) {
    return plain
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
