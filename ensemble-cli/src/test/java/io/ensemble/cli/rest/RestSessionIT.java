package io.ensemble.cli.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ensemble.cli.CliProcess;
import io.ensemble.cli.DocumentedSession;
import io.ensemble.cli.Main;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The session of the page about REST: bash runs its commands, and their output is as shown. */
@Tag("nightly")
class RestSessionIT {

  private static final Path PAGE = Path.of("..", "docs", "rest.md");
  private static final Pattern CURL = Pattern.compile("curl (\\d+)\\.(\\d+)");
  private static final int LONGEST_MINUTES = 8;

  @TempDir Path directory;

  @Test
  void whatThePageShowsIsWhatComes() throws Exception {
    assumeTrue(File.separatorChar == '/', "a session of bash");
    boolean required = "required".equals(System.getenv("ENSEMBLE_PACKAGES"));
    assumeTrue(required || isCurlThere(), "no curl of 7.82 or later: ./install-packages");
    DocumentedSession session = DocumentedSession.of(Files.readString(PAGE));
    assertThat(session.steps()).hasSizeGreaterThan(40);
    launcher();

    List<String> came = typed(session.script());

    assertSoftly(
        all -> {
          for (int i = 0; i < came.size(); i++) {
            DocumentedSession.Step step = session.steps().get(i);
            all.assertThat(step.isShown(came.get(i)))
                .as("$ %s%nis to show%n%s%ncame%n%s", step.typed(), step.shown(), came.get(i))
                .isTrue();
          }
        });
    assertThat(came).as("the last one came to an end").hasSameSizeAs(session.steps());
  }

  private static boolean isCurlThere() throws Exception {
    try {
      Process curl = new ProcessBuilder("curl", "--version").start();
      Matcher version = CURL.matcher(new String(curl.getInputStream().readAllBytes()));
      return version.lookingAt()
          && Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2)) >= 7082;
    } catch (IOException e) {
      return false;
    }
  }

  /** A {@code ./ensemble} for the classes under test; the launcher itself would build them anew. */
  private void launcher() throws IOException {
    Path file = directory.resolve("ensemble");
    Files.writeString(
        file,
        """
        #!/bin/sh
        # For the nodes, which inherit it. Java notes it on standard error, which goes to a log.
        case "$1" in up) export %s=-XX:TieredStopAtLevel=1;; esac
        exec '%s/bin/java' -Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \\
          -Duser.home="$HOME" -Densemble.servers='%s' -cp '%s' %s "$@"
        """
            .formatted(
                CliProcess.JAVA_OPTIONS,
                System.getProperty("java.home"),
                System.getProperty("ensemble.servers"),
                System.getProperty("java.class.path"),
                Main.class.getName()));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private List<String> typed(String script) throws Exception {
    Path written = directory.resolve("written");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", script)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(written.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("ENSEMBLE_"));
    builder.environment().keySet().removeIf(name -> name.toLowerCase().endsWith("_proxy"));
    builder.environment().put("HOME", directory.toString());
    Process bash = builder.start();
    try {
      boolean ended = bash.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES);
      assertThat(ended).as(Files.readString(written)).isTrue();
      assertThat(bash.exitValue()).as(Files.readString(written)).isZero();
      return DocumentedSession.came(written);
    } finally {
      List<ProcessHandle> started = bash.descendants().toList();
      bash.destroy();
      started.forEach(ProcessHandle::destroy);
    }
  }
}
