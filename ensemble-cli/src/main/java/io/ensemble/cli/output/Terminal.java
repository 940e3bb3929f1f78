package io.ensemble.cli.output;

/**
 * Whether somebody looks on. The launcher knows, and says so in system properties; Java itself
 * cannot tell standard output from standard error, and without the launcher nobody is assumed.
 */
public final class Terminal {

  private Terminal() {}

  /** Whether standard output may have colours. */
  public static boolean coloursOnOut() {
    return isTerminal("ensemble.terminal.out") && mayColour();
  }

  /** Whether a line on standard error may move. */
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
