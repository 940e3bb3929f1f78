package io.ensemble.check.process;

/** The exit codes of commands, for scripts. */
public final class ExitCode {

  /** The command succeeded. */
  public static final int OK = 0;

  /** The command failed, or was refused: it had no effect that was not reported. */
  public static final int FAILED = 1;

  /** The command line is wrong. */
  public static final int USAGE = 2;

  /** A write may have been applied, may still be, or never will. */
  public static final int UNKNOWN = 3;

  private ExitCode() {}
}
