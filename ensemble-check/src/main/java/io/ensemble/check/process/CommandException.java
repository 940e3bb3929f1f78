package io.ensemble.check.process;

/** A command's end that needs no stack trace: one line for its user, and the exit code. */
public final class CommandException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** Fails with {@link ExitCode#FAILED}. */
  public CommandException(String line) {
    this(ExitCode.FAILED, line);
  }

  /**
   * @param exitCode one of {@link ExitCode}
   * @param line what was wanted, what came, what to do
   */
  public CommandException(int exitCode, String line) {
    super(line);
    this.exitCode = exitCode;
  }

  /** As the first constructor, with what caused it, shown with {@code --debug}. */
  public CommandException(String line, Throwable cause) {
    super(line, cause);
    this.exitCode = ExitCode.FAILED;
  }

  /** What the process exits with. */
  public int exitCode() {
    return exitCode;
  }
}
