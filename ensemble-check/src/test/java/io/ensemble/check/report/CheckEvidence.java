package io.ensemble.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps the history, the notes that it is judged by, and the clients' logs of a check run that had
 * to succeed and failed.
 */
public final class CheckEvidence {
  private CheckEvidence() {}

  /**
   * Requires that a check run found no problem.
   *
   * @param parts the directory of the clients' parts
   * @param run distinguishes the runs of one test class
   * @return its report
   * @throws AssertionError with the problems and the files that were kept
   */
  public static CheckReport requireOk(CheckResult result, Path parts, Class<?> test, Object run)
      throws IOException {
    CheckReport report = result.report();
    if (!report.problems().isEmpty()) {
      Path history = FailureArtifacts.keep(result.history(), test, run);
      List<Path> kept = new ArrayList<>(List.of(history));
      // Without the notes on reported writes, the history is judged by a stricter rule.
      WindowFile.writeBeside(history, result.window());
      if (!result.window().isEmpty()) {
        kept.add(WindowFile.beside(history));
      }
      kept.addAll(logs(parts, test, run));
      throw new AssertionError(
          "problems: %s%nviolation: %s%nkept: %s"
              .formatted(report.problems(), report.violation(), kept));
    }
    assertThat(report.ok()).isTrue();
    return report;
  }

  /**
   * Requires that a command {@code check --json} found no problem.
   *
   * @param report the JSON document that it wrote
   * @param errors what it wrote to standard error
   * @throws AssertionError with the problems and the files that were kept
   */
  public static void requireOk(JsonNode report, String errors, Class<?> test, Object run)
      throws IOException {
    if (!report.get("problems").isEmpty()) {
      String directory = report.path("report").asText("");
      throw new AssertionError(
          "problems: %s%nkept: %s%n%s"
              .formatted(
                  report.get("problems"),
                  directory.isEmpty() ? List.of() : all(Path.of(directory), test, run),
                  errors));
    }
  }

  private static List<Path> logs(Path parts, Class<?> test, Object run) throws IOException {
    return copied(parts, ".log", test, run);
  }

  private static List<Path> all(Path report, Class<?> test, Object run) throws IOException {
    return copied(report, "", test, run);
  }

  private static List<Path> copied(Path from, String ending, Class<?> test, Object run)
      throws IOException {
    List<Path> copies = new ArrayList<>();
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (file.toString().endsWith(ending) && Files.size(file) > 0) {
          copies.add(FailureArtifacts.keep(file, test, run));
        }
      }
    }
    return copies;
  }
}
