package io.ensemble.cli.output;

import io.ensemble.check.process.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.ConsoleHandler;
import java.util.logging.FileHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The destination of log lines: none, a file, or standard error. Never standard output. */
public final class LogSetup {

  private static final String FORMAT = "%1$tF %1$tT.%1$tL %4$s %3$s: %5$s%6$s%n";
  private static final int LARGEST_BYTES = 10 << 20;

  private LogSetup() {}

  /** By default no lines are logged: commands report their failures themselves. */
  public static void quiet() {
    System.setProperty("org.jboss.logging.provider", "jdk");
    System.setProperty("java.util.logging.SimpleFormatter.format", FORMAT);
    LogManager.getLogManager().reset();
    Logger.getLogger("").setLevel(Level.OFF);
  }

  /** Warnings to standard error. */
  static void toStandardError() {
    quiet();
    add(new ConsoleHandler());
  }

  /** Warnings to {@code file}, which is replaced and bounded. */
  public static void toFile(Path file) {
    toFile(file, false);
  }

  /**
   * Warnings to {@code file}, appended to those of an earlier process; replaced when it is full. If
   * several processes use it concurrently, the others use {@code FILE.1}, and so on.
   */
  public static void appendToFile(Path file) {
    toFile(file, true);
  }

  private static void toFile(Path file, boolean append) {
    quiet();
    try {
      Path directory = file.toAbsolutePath().getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      // In the pattern of the handler, % has a special meaning.
      add(new FileHandler(file.toString().replace("%", "%%"), LARGEST_BYTES, 1, append));
    } catch (IOException e) {
      throw new CommandException("cannot write the log " + file + ": " + e.getMessage(), e);
    }
  }

  /** Logs the failure that ends a thread of a library, for example while a site dies. */
  public static void uncaught(Thread thread, Throwable failure) {
    Logger.getLogger(LogSetup.class.getName())
        .log(Level.WARNING, "uncaught in thread " + thread.getName(), failure);
  }

  private static void add(Handler handler) {
    handler.setFormatter(new SimpleFormatter());
    handler.setLevel(Level.ALL);
    Logger root = Logger.getLogger("");
    root.addHandler(handler);
    root.setLevel(Level.WARNING);
  }
}
