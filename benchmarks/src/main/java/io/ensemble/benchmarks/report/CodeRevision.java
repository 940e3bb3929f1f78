package io.ensemble.benchmarks.report;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The measured version of the code.
 *
 * @param version the version of the programs; {@code development} outside a jar
 * @param commit the commit of their repository, with {@code -dirty} when files differ from it;
 *     {@code unknown} when there is none
 */
public record CodeRevision(String version, String commit) {

  private static final int LONGEST_SECONDS = 10;

  /** The revision of this program. Runs git. */
  public static CodeRevision current() {
    String version = CodeRevision.class.getPackage().getImplementationVersion();
    return new CodeRevision(version == null ? "development" : version, headCommit());
  }

  private static String headCommit() {
    try {
      Path code =
          Path.of(CodeRevision.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path directory = Files.isDirectory(code) ? code : code.getParent();
      Process git =
          new ProcessBuilder(
                  "git",
                  "-C",
                  String.valueOf(directory),
                  "describe",
                  "--always",
                  "--dirty",
                  "--abbrev=12",
                  "--exclude=*")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        boolean ended = git.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
        String text =
            ended
                ? new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip()
                : "";
        return text.isEmpty() ? "unknown" : text;
      } finally {
        git.destroyForcibly();
      }
    } catch (IOException | URISyntaxException | SecurityException e) {
      return "unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
  }
}
