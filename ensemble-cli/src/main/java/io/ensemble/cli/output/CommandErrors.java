package io.ensemble.cli.output;

import io.ensemble.UnknownOutcomeException;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** The form of failures for users: one line, one exit code. */
public final class CommandErrors {

  private static final int LONGEST_LINE = 600;

  private CommandErrors() {}

  /** The failure itself, without the wrappers of futures. */
  static Throwable unwrap(Throwable failure) {
    Throwable inner = failure;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  public static int exitCode(Throwable failure) {
    Throwable bare = unwrap(failure);
    if (bare instanceof CommandException ours) {
      return ours.exitCode();
    }
    if (bare instanceof UnknownOutcomeException || isUnknown(bare)) {
      return ExitCode.UNKNOWN;
    }
    return bare instanceof IllegalArgumentException ? ExitCode.USAGE : ExitCode.FAILED;
  }

  private static boolean isUnknown(Throwable bare) {
    return bare instanceof CatalogException why && why.reason() == CatalogException.Reason.UNKNOWN;
  }

  /** One line, whatever the message contains. */
  public static String line(Throwable failure) {
    Throwable bare = unwrap(failure);
    String message = bare.getMessage();
    String line = message == null || message.isBlank() ? bare.getClass().getSimpleName() : message;
    line = line.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
    return line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) + "…" : line;
  }
}
