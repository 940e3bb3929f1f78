package io.ensemble.cli.output;

/**
 * Whether the output goes to a terminal. The launcher sets system properties for that. Java itself
 * cannot distinguish standard output from standard error, so without the launcher no terminal is
 * assumed.
 */
public final class Terminal {

  private Terminal() {}

  /** Whether standard output may have colours. */
  public static boolean coloursOnOut() {
    return isTerminal("ensemble.terminal.out") && mayColour();
  }

  /** Whether a line on standard error may be overwritten. */
  public static boolean movesOnErr() {
    return isTerminal("ensemble.terminal.err") && !"dumb".equals(System.getenv("TERM"));
  }

  private static boolean mayColour() {
    String refused = System.getenv("NO_COLOR"); // See no-color.org.
    return (refused == null || refused.isEmpty()) && !"dumb".equals(System.getenv("TERM"));
  }

  private static boolean isTerminal(String property) {
    return Boolean.getBoolean(property);
  }
}
