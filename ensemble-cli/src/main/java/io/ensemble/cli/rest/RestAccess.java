package io.ensemble.cli.rest;

import io.ensemble.check.process.CommandException;
import io.ensemble.rest.access.AccessControl;
import io.ensemble.rest.audit.AuditFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The access control of a REST service: an access file, or a token that is made when the service
 * starts.
 *
 * @param token null if a file controls the access
 */
public record RestAccess(AccessControl access, @Nullable LocalToken token)
    implements AutoCloseable {

  private static final long AUDIT_BYTES = 16 << 20;
  private static final int AUDIT_FILES = 2;

  /** Access by the token in {@code file}; changes are logged to {@code audit}. */
  static RestAccess byToken(Path file, Path audit) {
    LocalToken token = LocalToken.create(file);
    return new RestAccess(
        AccessControl.local(() -> token.text().toCharArray(), auditFile(audit)), token);
  }

  private static AuditFile auditFile(Path file) {
    return new AuditFile(file, AUDIT_BYTES, AUDIT_FILES);
  }

  /**
   * Access by an access file.
   *
   * @param audit the log of changes if the file names none
   * @throws CommandException if the file is invalid
   */
  static RestAccess byFile(Path file, Path audit) {
    try {
      return new RestAccess(AccessControl.of(file, () -> createAuditFile(audit)), null);
    } catch (RuntimeException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
  }

  private static AuditFile createAuditFile(Path audit) {
    try {
      Path directory = audit.toAbsolutePath().getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      return auditFile(audit);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the audit log to " + audit + ": " + e, e);
    }
  }

  /** Prints the token, if there is one. */
  public void show(PrintWriter out) {
    if (token != null) {
      out.println("REST token: " + token.text() + " (stored in " + token.file() + ")");
    }
  }

  @Override
  public void close() {
    try (access) {
      if (token != null) {
        token.close();
      }
    }
  }
}
