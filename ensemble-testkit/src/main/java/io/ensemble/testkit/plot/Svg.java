package io.ensemble.testkit.plot;

/** The beginning of every picture, and its text. */
public final class Svg {

  private Svg() {}

  /** The beginning of a picture of that size in pixels; it ends with {@code </svg>}. */
  public static String begin(int width, int height) {
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" font-family="sans-serif" font-size="12">
    <rect width="%1$d" height="%2$d" fill="white"/>
    """
        .formatted(width, height);
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
