package io.ensemble.check.process;

/** The failure of a command, without stack trace: one line for its user, and the exit code. */
public final class CommandException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** Fails with {@link ExitCode#FAILED}. */
  public CommandException(String line) {
    this(ExitCode.FAILED, line);
  }

  /**
   * @param exitCode one of {@link ExitCode}
   * @param line the failure, the value, the accepted values and the remedy
   */
  public CommandException(int exitCode, String line) {
    super(line);
    this.exitCode = exitCode;
  }

  /** As the first constructor, with the cause, which {@code --debug} shows. */
  public CommandException(String line, Throwable cause) {
    super(line, cause);
    this.exitCode = ExitCode.FAILED;
  }

  /** The exit code of the process. */
  public int exitCode() {
    return exitCode;
  }
}
