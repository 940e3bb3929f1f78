package io.ensemble.cli.demo.versions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.process.CommandException;
import io.ensemble.cli.demo.StepReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration at a small size. */
class VersionsDemoIT {

  private static final long FIRST = 1_700_000_000;
  private static final int COMMITS = 20;

  @TempDir Path repository;

  private void git(long second, String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C"));
    command.add(repository.toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("GIT_AUTHOR_DATE", second + " +0000");
    builder.environment().put("GIT_COMMITTER_DATE", second + " +0000");
    assertThat(builder.start().waitFor()).as("git %s", command).isZero();
  }

  private void history() throws IOException, InterruptedException {
    git(FIRST, "init", "-q");
    for (int i = 0; i < COMMITS; i++) {
      Files.writeString(repository.resolve("changing"), "version " + i);
      Files.writeString(repository.resolve("new" + i), "once");
      if (i > 2) {
        Files.delete(repository.resolve("new" + (i - 2)));
      }
      git(FIRST + 60L * i, "add", "-A");
      git(FIRST + 60L * i, "commit", "-q", "-m", "commit " + i);
    }
  }

  @Test
  void everyAnswerIsAsGitHasIt() throws Exception {
    history();
    Instant asOf = Instant.ofEpochSecond(FIRST + 60 * 9 + 30);

    VersionsDemo.Report report =
        new VersionsDemo(repository, 100, Optional.of(asOf), line -> {}).run();

    assertThat(report.steps()).allSatisfy(step -> assertThat(step.ok()).as("%s", step).isTrue());
    assertThat(report.ok()).isTrue();
    assertThat(report.commits()).isEqualTo(COMMITS);
    assertThat(report.steps())
        .extracting(StepReport::detail)
        .anyMatch(detail -> detail.startsWith("4 files, each as in commit"))
        .anyMatch(detail -> detail.equals("2 added, 1 changed, 2 removed"));
  }

  @Test
  void aDirectoryWithoutARepositoryIsRefused(@TempDir Path empty) {
    assertThatThrownBy(() -> new VersionsDemo(empty, 10, Optional.empty(), line -> {}).run())
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("--repository");
  }
}
