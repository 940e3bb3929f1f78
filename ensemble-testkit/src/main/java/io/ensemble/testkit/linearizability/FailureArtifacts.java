package io.ensemble.testkit.linearizability;

import io.ensemble.testkit.history.HistoryWriter;
import io.ensemble.testkit.history.OperationHistory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Supplier;

/**
 * The directory for the histories and other records of failed tests: {@code target/failures}, or
 * the directory that the system property {@code ensemble.failures} names. File names begin with the
 * test's class and its seed. Thread-safe.
 */
public final class FailureArtifacts {
  private FailureArtifacts() {}

  /**
   * Judges a history, and keeps it if it is not linearizable.
   *
   * @param test the class of the test that recorded it
   * @param seed the seed of the run, or another value that distinguishes the runs of the class
   * @throws AssertionError with the checker's explanation and the name of the file that holds the
   *     history, if it is not linearizable or the checker cannot decide
   */
  public static void requireLinearizable(
      OperationHistory history,
      LinearizabilityChecker.Options options,
      Class<?> test,
      Object seed) {
    requireLinearizable(LinearizabilityChecker.check(history, options), history, test, seed);
  }

  /**
   * Keeps a history unless its verdict, which the caller already has, is that it is linearizable.
   *
   * @throws AssertionError with the explanation and the name of the file, if it is a violation or
   *     undecided
   */
  public static void requireLinearizable(
      LinearizabilityVerdict verdict, OperationHistory history, Class<?> test, Object seed) {
    if (!verdict.isLinearizable()) {
      throw new AssertionError(verdict.explain() + "\nhistory: " + keep(history, test, seed));
    }
  }

  /**
   * Requires that the verdict is not a violation; accepts an undecided one.
   *
   * @throws AssertionError with the explanation and the name of the file, if it is a violation
   */
  public static void requireNoViolation(
      LinearizabilityVerdict verdict, OperationHistory history, Class<?> test, Object seed) {
    if (verdict instanceof LinearizabilityVerdict.Violation) {
      requireLinearizable(verdict, history, test, seed);
    }
  }

  /**
   * Runs a judgement of records that are not a {@link OperationHistory}, and keeps the records if
   * the judgement fails.
   *
   * @param judgement throws an AssertionError if the records are wrong
   * @param records the records as text; called only if the judgement fails
   * @throws AssertionError with the message of the judgement and the name of the file
   */
  public static void judge(
      Runnable judgement, Supplier<String> records, Class<?> test, Object seed) {
    runOrKeep(judgement, () -> "records: " + keep(records.get(), test, seed));
  }

  /**
   * Runs a judgement of a history by other rules than linearizability, and keeps the history if the
   * judgement fails.
   *
   * @param judgement throws an AssertionError if the history is wrong
   * @throws AssertionError with the message of the judgement and the name of the file
   */
  public static void judge(
      Runnable judgement, OperationHistory history, Class<?> test, Object seed) {
    runOrKeep(judgement, () -> "history: " + keep(history, test, seed));
  }

  private static void runOrKeep(Runnable judgement, Supplier<String> kept) {
    try {
      judgement.run();
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + kept.get(), e);
    }
  }

  /**
   * Writes a history to the directory.
   *
   * @return the file
   */
  public static Path keep(OperationHistory history, Class<?> test, Object seed) {
    try {
      Path file = fresh(test, seed, ".jsonl");
      HistoryWriter.write(history, file);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep the history of a failure", e);
    }
  }

  /**
   * Writes records that are not a {@link OperationHistory} to the directory, as text.
   *
   * @return the file
   */
  public static Path keep(String records, Class<?> test, Object seed) {
    try {
      return Files.writeString(fresh(test, seed, ".txt"), records);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep the records of a failure", e);
    }
  }

  /**
   * Copies a file, such as a report or a log, to the directory.
   *
   * @return the copy
   */
  public static Path keep(Path file, Class<?> test, Object seed) {
    try {
      return Files.copy(
          file, fresh(test, seed, "-" + file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep the evidence of a failure; file=" + file, e);
    }
  }

  /** A name that no file in the directory has: a repeated failure does not replace the first. */
  private static Path fresh(Class<?> test, Object seed, String ending) throws IOException {
    Path directory =
        Path.of(System.getProperty("ensemble.failures", Path.of("target", "failures").toString()));
    Files.createDirectories(directory);
    String name = (test.getSimpleName() + "-" + seed).replaceAll("[^A-Za-z0-9._=-]+", "_");
    Path file = directory.resolve(name + ending);
    for (int i = 2; Files.exists(file); i++) {
      file = directory.resolve(name + "-" + i + ending);
    }
    return file;
  }
}
